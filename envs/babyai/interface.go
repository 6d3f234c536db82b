package babyai

import (
	_ "embed"
	"slices"

	"heldout/envs"
	"heldout/envs/datafile"
)

//go:embed interface.json
var interfaceFile []byte

// Interface implements envs.Describer. All levels have the same interface.
func (e *Env) Interface(string) envs.Interface {
	i := datafile.Table[envs.Interface](interfaceFile)
	i.Actions = slices.Insert(i.Actions, 5, checkActions)
	i.Normalize = func(action string) string {
		if action = normalize(action); asksForActions(action) {
			return checkActions
		}
		return action
	}
	i.Lists = []envs.ActionList{
		{Prefix: listPrefix, Separator: ", "},
		{Prefix: gymListPrefix, Separator: `", "`, Suffix: gymListSuffix},
	}
	i.Replies = []string{notRecognized, noChange}
	i.Texts = append(i.Texts, nothingInSight, emptyHanded, barrierAhead, "The task is completed.")
	i.Series = []envs.Series{{Begin: inSight, Item: `There is a [^.\n]+\.`, Middle: "  ", Last: "  ", End: "  "}}
	return i
}
