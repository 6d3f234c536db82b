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

// mostProcesses is how many processes of a program there may be.
const mostProcesses = 1000

// longestAnswer is how long an answer may take by default.
const longestAnswer = 2 * time.Minute

// Settings are the settings for all environments that others run.
func Settings() []envs.Setting {
	return []envs.Setting{
		{Name: processesName, Type: envs.Count, Default: "1", Most: mostProcesses,
			Help: "number of processes of the program"},
		{Name: timeoutName, Type: envs.Duration, Default: "2m",
			Help: "how long an answer may take; after that, the episode ends without a result"},
		{Name: thresholdName, Type: envs.Share, Default: "none", Measured: true,
			Help: "least progress of a success, for an environment that does not say what is solved"},
	}
}

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
