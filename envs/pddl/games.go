package pddl

import (
	"embed"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"

	"heldout/envs"
	"heldout/envs/engine/planning"
)

// domains holds our own writing of the four games' rules, for generated tasks.
// Official tasks bring their domain files along.
//
//go:embed domains/*.pddl
var domains embed.FS

// strategyGame is one of the four strategy games.
type strategyGame struct {
	name string
	// capacity is the number of the game's problems that the benchmark uses.
	capacity int
	// difficulty has a letter for each problem, e or h.
	difficulty string
	// changesOnly: an observation lists only the facts that an action made true.
	changesOnly bool
	// listsLook: the list of valid actions ends with "look around".
	listsLook bool
	templates
}

// templates are texts of facts and actions, by name. A fact or action without one is rendered as its name and
// arguments.
type templates struct{ Facts, Actions map[string]string }

//go:embed templates.json
var templatesText []byte

func templatesOf(game string) templates {
	var all map[string]templates
	if err := json.Unmarshal(templatesText, &all); err != nil {
		panic(err) // it is ours, and tests read it
	}
	return all[game]
}

// games are the four games in the benchmark's order.
var games = [...]strategyGame{
	{name: "gripper", capacity: 20, difficulty: "eeeeeeeeeeeeeeeeeeee", templates: templatesOf("gripper")},
	{name: "blockworld", capacity: 10, difficulty: "eeehhehhhe", templates: templatesOf("blockworld")},
	{name: "barman", capacity: 20, difficulty: "hhhhhhhhhhhhheeheeeh", changesOnly: true, listsLook: true,
		templates: templatesOf("barman")},
	{name: "tyreworld", capacity: 10, difficulty: "eeeehehhhe", changesOnly: true, listsLook: true,
		templates: templatesOf("tyreworld")},
}

// difficultyOf returns the class of a game's i-th problem.
func (g *strategyGame) difficultyOf(i int) envs.Difficulty {
	if g.difficulty[i] == 'h' {
		return envs.Hard
	}
	return envs.Easy
}

// fact renders a fact as it appears in the goal; observations capitalize it.
func (g *strategyGame) fact(a planning.Atom) string { return render(g.Facts, a) }

// render puts arguments into a template one after the other, as far as it has places.
func render(templates map[string]string, a planning.Atom) string {
	text, ok := templates[a.Predicate]
	if !ok {
		return strings.Join(append([]string{a.Predicate}, a.Args...), " ")
	}
	for _, arg := range a.Args {
		text = strings.Replace(text, "{}", arg, 1)
	}
	return text
}

// capitalize makes the first letter upper case and all others lower case.
func capitalize(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return ""
	}
	return string(unicode.ToTitle(first)) + strings.ToLower(s[n:])
}
