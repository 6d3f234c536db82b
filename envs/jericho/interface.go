package jericho

import (
	_ "embed"

	"heldout/envs"
	"heldout/envs/datafile"
)

//go:embed interface.json
var interfaceFile []byte

// Interface implements envs.Describer. Each story decides what it understands; the forms are commands that most
// stories know, and the texts are answers of the library that most share. Blanks at the end, as Infocom's games
// have them, are not a sentence, and zzqx begins like no word of the games.
func (e *Env) Interface(string) envs.Interface {
	i := datafile.Table[envs.Interface](interfaceFile)
	i.Actions = append([]string{helpAction}, i.Actions...)
	i.Normalize = func(action string) string {
		if asksForHelp(action) {
			return helpAction
		}
		return action
	}
	i.Lists = []envs.ActionList{{Prefix: helpPrefix, Separator: ", ", Last: []string{helpAction}}}
	return i
}
