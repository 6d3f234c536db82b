package agentgym

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"heldout/envs"
	"heldout/envs/outside"
)

const (
	nameName    = "agentgym-env"
	tasksName   = "agentgym-tasks"
	versionName = "agentgym-version"
)

type options struct {
	name, tasks, version string
	timeout              time.Duration
}

func configured(s envs.Settings) options {
	return options{name: s[nameName], tasks: s[tasksName], version: cmp.Or(s[versionName], "unknown"),
		timeout: outside.Configured(s).Timeout}
}

// indices are the first and the last index of the tasks.
func (o options) indices(k *dialect) (first, last int, err error) {
	if o.tasks == "" {
		return 0, k.Tasks - 1, nil
	}
	low, high, ranged := strings.Cut(o.tasks, "-")
	if !ranged {
		high = low
	}
	first, err1 := strconv.Atoi(low)
	last, err2 := strconv.Atoi(high)
	if err1 != nil || err2 != nil || first < 0 || last < first || last-first >= outside.MostTasks {
		return 0, 0, fmt.Errorf("--%s is %q, want an index or a range of at most %d, such as 0-99", tasksName, o.tasks,
			outside.MostTasks)
	}
	return first, last, nil
}
