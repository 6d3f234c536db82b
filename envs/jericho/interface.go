package jericho

import "heldout/envs"

// Interface implements envs.Describer. Each story decides what it understands; the
// forms are commands that most stories know.
func (e *Env) Interface(string) envs.Interface {
	return envs.Interface{
		Actions: []string{
			helpAction, "look", "inventory",
			"take {thing}", "drop {thing}", "open {thing}", "close {thing}", "examine {thing}", "read {thing}",
			"put {thing}", "give {thing}",
			"unlock {thing}", "push {thing}", "pull {thing}", "turn {thing}", "wear {thing}", "eat {thing}",
			"light {thing}", "ask {thing}", "tell {thing}",
		},
		Open:     true,
		Unknown:  "zzqx", // begins like no word of the games
		Slot:     `[^\n]+`,
		FoldCase: true,
		Normalize: func(action string) string {
			if asksForHelp(action) {
				return helpAction
			}
			return action
		},
		Lists: []envs.ActionList{{Prefix: helpPrefix, Separator: ", ", Last: []string{helpAction}}},
		// Answers of the library that most stories share.
		Texts: []string{
			"Taken.", "Dropped.", "You can't see any such thing.", "That's not a verb I recognise.",
			"That's not a verb I recognize.",
			"I beg your pardon?", "You can't go that way.",
		},
		// Blanks at the end, as Infocom's games have them, are not a sentence.
		Series: []envs.Series{{Begin: "^ *", Item: `[^\n]*[^\n ]`, Middle: ". ", Last: ". ", Fixed: true}},
		PromptActions: []string{
			"look", "inventory", "examine lamp", "take lamp", "drop lamp", "open box", "close box", "read book",
			"push lever", "pull lever", "turn lever", "wear coat", "eat bread", "light lamp", "put coin in box",
			"give bread to guard",
			"unlock door with key", "ask guard about gate", "tell guard about thief",
		},
	}
}
