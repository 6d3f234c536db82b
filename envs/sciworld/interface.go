package sciworld

import "heldout/envs"

// Interface implements envs.Describer. The simulator accepts many wordings of an
// action; the forms are the ones that prompts and the help action name, with one
// slot for all that follows the verb.
func (e *Env) Interface(string) envs.Interface {
	return envs.Interface{
		Actions: []string{
			helpAction, "look around", "inventory", "task", "wait", "wait1",
			"look at {thing}", "look in {thing}", "open {thing}", "close {thing}", "go {thing}", "pick up {thing}",
			"put down {thing}",
			"move {thing}", "pour {thing}", "dunk {thing}", "mix {thing}", "activate {thing}", "deactivate {thing}",
			"use {thing}",
			"connect {thing}", "disconnect {thing}", "focus on {thing}", "read {thing}", "eat {thing}", "flush {thing}",
		},
		Open:     true,
		Articles: true,
		Unknown:  "zzqx",
		Slot:     `[^\n]+`,
		Lists: []envs.ActionList{
			{Prefix: helpPrefix, Separator: ", ", Last: []string{helpAction}},
			{Prefix: choicePrefix, Separator: "\n", Mark: ":\t"},
		},
		Replies: []string{notUnderstood},
		Texts: []string{
			"Your task is to", "This room is called the", "This outside location is called the", "In it, you see:",
			"You also see:",
			"In your inventory, you see:", "You move to the", "It's not clear how to get there from here.",
			"You decide to wait for",
		},
		Series: []envs.Series{{Begin: `:[ ]*\n\t`, Item: `[^\n\t]+`, Middle: "\n\t", Last: "\n\t"}},
		PromptActions: []string{
			"look around", "inventory", "wait", "wait1", "look at OBJ", "look in OBJ", "open OBJ", "close OBJ",
			"go OBJ", "go kitchen",
			"pick up OBJ", "put down OBJ", "move OBJ to OBJ", "pour OBJ in OBJ", "dunk OBJ in OBJ", "mix OBJ",
			"pour OBJ into OBJ", "dunk OBJ into OBJ", "use OBJ", "use OBJ [on OBJ]", "go to LOC",
			"activate OBJ", "deactivate OBJ",
			"use OBJ on OBJ", "connect OBJ to OBJ", "disconnect OBJ", "focus on OBJ", "read OBJ", "eat OBJ",
			"flush OBJ",
		},
	}
}
