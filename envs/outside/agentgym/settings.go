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

// Settings are the settings for AgentGym's servers alone.
func Settings() []envs.Setting {
	return []envs.Setting{
		{Name: "env-timeout", Type: envs.Duration, Default: "2m", Help: "how long a server may take to answer"},
		{Name: nameName, Type: envs.Choice, Values: append([]string{"auto"}, names()...),
			Help: "environment of an AgentGym server; auto is what its greeting says"},
		{Name: tasksName, Type: envs.Words, Default: "all",
			Help: "indices of the tasks of an AgentGym server, such as 0-99"},
		{Name: versionName, Type: envs.Words, Default: "unknown",
			Help: "version of an AgentGym server, which does not say it, such as a commit"},
	}
}

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
