package hotpotqa

import "heldout/envs"

// Interface implements envs.Spoken.
func (e *Env) Interface(string) envs.Interface {
	return envs.Interface{
		Actions: []string{"search[{text}]", "lookup[{text}]", "finish[{text}]", "think[{text}]"},
		Slot:    `[^\n]*`,
		Quotes:  []envs.Quote{{Before: invalid}},
	}
}
