package sciworld

import (
	_ "embed"

	"heldout/envs"
	"heldout/envs/datafile"
)

//go:embed interface.json
var interfaceFile []byte

// Interface implements envs.Describer. The simulator accepts many wordings of an action; the forms are the ones
// that prompts and the help action name, with one slot for all that follows the verb.
func (e *Env) Interface(string) envs.Interface {
	i := datafile.Table[envs.Interface](interfaceFile)
	i.Actions = append([]string{helpAction}, i.Actions...)
	i.Lists = []envs.ActionList{
		{Prefix: helpPrefix, Separator: ", ", Last: []string{helpAction}},
		{Prefix: choicePrefix, Separator: "\n", Mark: ":\t"},
	}
	i.Replies = []string{notUnderstood}
	return i
}
