package babyai

import "heldout/envs"

// Settings are the options of the environment.
func Settings() []envs.Setting {
	return []envs.Setting{
		{Name: "variant", Type: envs.Choice, Values: []string{AgentBoard, AgentGym}, Measured: true,
			Help: "whose text layer: AgentBoard's with sub-goals, or AgentGym's without"},
	}
}

// Configured returns the options for settings.
func Configured(s envs.Settings) Options {
	return Options{Variant: s["variant"]}
}
