package sciworld

import (
	"fmt"

	"heldout/envs"
)

// getLabels says how to get AgentBoard's labels.
const getLabels = "give AgentBoard's data folder with --data; without it progress is the simulator's own score, and the results do not count for the held-out score"

// Examine checks what the environment needs: AgentBoard's labels.
func Examine(o Options) []envs.Check {
	return []envs.Check{
		{Name: "simulator", Status: envs.CheckOK, Text: "built in, answers as version " + nativeVersion},
		checkLabels(o),
	}
}

func checkLabels(o Options) envs.Check {
	const name = "labels"
	if o.Variant != "" && o.Variant != AgentBoard {
		return envs.Check{Name: name, Status: envs.CheckOK, Text: "not needed in variant " + o.Variant}
	}
	if o.Data == "" {
		return envs.Check{Name: name, Status: envs.CheckOK, Text: "none; " + getLabels}
	}
	labels, _, err := readLabels(o.Data)
	if err != nil {
		return envs.Check{Name: name, Status: envs.CheckFail, Text: fmt.Sprintf("%v; %s", err, getLabels)}
	}
	return envs.Check{Name: name, Status: envs.CheckOK, Text: fmt.Sprintf("of AgentBoard's %d tasks", len(labels))}
}
