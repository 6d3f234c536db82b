package pddl

import (
	"regexp"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/envs/engine/planning"
	"heldout/envs/pytext"
)

// Interface implements envs.Describer: every game has its own actions. Their forms are the forms in the list of
// valid actions, without the final period and with the slots {a}, {b}, … in order. The environment itself reads
// actions more freely: it looks for the action's name and the names of things.
func (e *Env) Interface(taskType string) envs.Interface {
	i := envs.Interface{
		Actions:  []string{checkAction, lookAction},
		Name:     "{word}{number}",
		Parts:    map[string]string{"word": "[A-Za-z][A-Za-z-]*", "number": "[0-9]+"},
		Slot:     "[A-Za-z][A-Za-z0-9-]*",
		FoldCase: true,
		Normalize: func(action string) string {
			switch text := pytext.Lower(action); { // what World.Step looks for
			case strings.Contains(text, "check"):
				return checkAction
			case strings.Contains(text, lookAction):
				return lookAction
			}
			return strings.TrimRight(strings.TrimSpace(action), ". ")
		},
		Lists: []envs.ActionList{{Prefix: listPrefix, Separator: ", ", Sorted: true,
			Last: []string{checkAction, lookAction}}},
		Replies:  []string{notUnderstood, noEffect},
		Texts:    []string{"The goal is to satisfy the following conditions:", strings.TrimSpace(satisfied)},
		Free:     true,
		Articles: true,
		Unknown:  "zzqx",
	}
	for _, p := range e.problems {
		if p.game.Name != taskType {
			continue
		}
		for _, a := range p.parsed.Domain.Actions {
			i.Actions = append(i.Actions, p.game.form(a.Name, len(a.Params)))
		}
		i.Series = []envs.Series{p.game.series(p.parsed.Domain.Predicates)}
		break // all problems of a game have one domain
	}
	return i
}

// series is how observations enumerate facts. Some templates of facts end with a blank, and
// a fact without a template has no period.
func (g *strategyGame) series(predicates []planning.Predicate) envs.Series {
	var items, wide []string
	for _, p := range predicates {
		text := g.fact(planning.Atom{Predicate: p.Name, Args: slices.Repeat([]string{"\x00"}, len(p.Params))})
		pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(text)), "\x00", "[a-z][a-z0-9_-]*")
		if items = append(items, pattern); strings.HasSuffix(text, " ") {
			wide = append(wide, pattern)
		}
	}
	anyOf := func(patterns []string) string { return "(?i:" + strings.Join(patterns, "|") + ")" }
	return envs.Series{Begin: "^", Item: anyOf(items), Middle: " ", Last: " ", Wide: anyOf(wide),
		Tail: strings.TrimSpace(satisfied)}
}

// form is the template of an action with named slots.
func (g *strategyGame) form(action string, arity int) string {
	template, ok := g.Actions[action]
	if !ok {
		template = action + strings.Repeat(" {}", arity)
	}
	for slot := 'a'; strings.Contains(template, "{}"); slot++ {
		template = strings.Replace(template, "{}", "{"+string(slot)+"}", 1)
	}
	return strings.TrimRight(template, ". ")
}
