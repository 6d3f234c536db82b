package sciworld

import "heldout/envs"

// Interface implements envs.Spoken. The simulator accepts many wordings of an
// action.
func (e *Env) Interface(string) envs.Interface {
	return envs.Interface{
		Actions: []string{helpAction},
		Open:    true,
		Unknown: "zzqx",
		Slot:    `[^\n]+`,
		Lists:   []envs.ActionList{{Prefix: helpPrefix, Separator: ", ", Last: []string{helpAction}}},
		Replies: []string{notUnderstood},
	}
}
