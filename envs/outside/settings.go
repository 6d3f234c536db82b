package outside

import (
	"strconv"
	"time"

	"heldout/envs"
)

const (
	processesName = "env-processes"
	timeoutName   = "env-timeout"
	thresholdName = "success-threshold"
)

// longestAnswer is how long an answer may take by default.
const longestAnswer = 2 * time.Minute

// Configured returns the options that settings choose.
func Configured(s envs.Settings) (o Options) {
	o.Processes, o.Timeout = max(1, s.Number(processesName)), longestAnswer
	if d, err := time.ParseDuration(s[timeoutName]); err == nil {
		o.Timeout = d
	}
	if x, err := strconv.ParseFloat(s[thresholdName], 64); err == nil {
		o.Threshold = x
	}
	return o
}
