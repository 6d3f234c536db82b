package pddl

import (
	"embed"
	"strings"
	"unicode"
	"unicode/utf8"

	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/envs/engine/planning"
)

// domains holds our own writing of the four games' rules, for generated tasks.
// Official tasks bring their domain files along.
//
//go:embed domains/*.pddl
var domains embed.FS

// strategyGame is one of the four strategy games.
type strategyGame struct {
	Name string
	// Capacity is the number of the game's problems that the benchmark uses.
	Capacity int
	// Difficulty has a letter for each problem, e or h.
	Difficulty string
	// ChangesOnly: an observation lists only the facts that an action made true.
	ChangesOnly bool
	// ListsLook: the list of valid actions ends with "look around".
	ListsLook bool
	// Facts and Actions are texts of facts and actions, by name. A fact or action without one is rendered as its name
	// and arguments.
	Facts, Actions map[string]string
}

//go:embed games.json
var gamesText []byte

// games are the four games in the benchmark's order.
var games = datafile.Table[[4]strategyGame](gamesText)

// difficultyOf returns the class of a game's i-th problem.
func (g *strategyGame) difficultyOf(i int) envs.Difficulty {
	if g.Difficulty[i] == 'h' {
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
