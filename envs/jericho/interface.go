package jericho

import "heldout/envs"

// Interface implements envs.Spoken. Each story decides what it understands.
func (e *Env) Interface(string) envs.Interface {
	return envs.Interface{
		Actions:  []string{helpAction},
		Open:     true,
		Unknown:  "zzqx", // begins like no word of the games
		Slot:     `[^\n]+`,
		FoldCase: true,
		Lists:    []envs.ActionList{{Prefix: helpPrefix, Separator: ", ", Last: []string{helpAction}}},
	}
}
