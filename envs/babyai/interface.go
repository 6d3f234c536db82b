package babyai

import "heldout/envs"

// Interface implements envs.Describer. All levels have the same interface.
func (e *Env) Interface(string) envs.Interface {
	return envs.Interface{
		Actions: []string{
			"turn left", "turn right", "move forward", "drop", "toggle", checkActions,
			"pickup {thing}", "go to {thing}", "go through {door}", "toggle and go through {door}",
		},
		Name: "{what} {number}",
		Parts: map[string]string{
			"what":   "(?:red|green|blue|purple|yellow|grey) (?:(?:open|closed|locked) door|ball|box|key)",
			"number": "[0-9]+",
		},
		FoldCase: true,
		Normalize: func(action string) string {
			if action = normalize(action); asksForActions(action) {
				return checkActions
			}
			return action
		},
		Lists: []envs.ActionList{
			{Prefix: listPrefix, Separator: ", "},
			{Prefix: gymListPrefix, Separator: `", "`, Suffix: gymListSuffix},
		},
		Quotes:  []envs.Quote{{Prefix: "You cannot ", Suffix: ", as "}},
		Replies: []string{notRecognized, noChange},
		Texts: []string{
			"go to the", "go to a", "pick up the", "pick up a", "open the", "open a", "put the", "put a", "next to the",
			"next to a",
			"on your left", "on your right", "in front of you", "behind you",
			nothingInSight, emptyHanded, barrierAhead, "The task is completed.",
		},
		Series: []envs.Series{{Begin: inSight, Item: `There is a [^.\n]+\.`, Middle: "  ", Last: "  ",
			End: "  "}},
		Synonyms:      map[string]string{"pick up {thing}": "pickup {thing}"},
		PromptActions: []string{"check valid actions", "go to red ball 1", "toggle and go through blue closed door 1"},
		Articles:      true,
		Unknown:       "zzqx",
	}
}
