package pddl

import (
	"slices"
	"strings"

	"heldout/envs/engine/planning"
)

// instance is a ground problem with everything that its worlds need to read and
// write text quickly. It is immutable and all worlds share it.
type instance struct {
	game *strategyGame
	task *planning.Task
	goal string // the goal sentence
	// facts are all facts that can ever hold, sorted by text.
	facts   []fact
	targets []planning.Fact // the goal's facts
	// texts renders each of task.Operators.
	texts []string
	// listed are the operators that the benchmark calls valid if they are applicable, sorted by text.
	listed []int
	// words are the words that mean something in an action.
	words map[string]word
	// calls finds operators by their name and arguments; see appendCall.
	calls map[string][]int
}

// word holds the meanings of a word: a verb, an object, or both if the names are equal.
type word struct {
	verb   *verb // nil if no action has this name
	object bool
}

// verb is the name of one or more actions.
type verb struct {
	name   string
	arity  int
	listed []int // the listed operators of that name
}

// fact is a fact with its text.
type fact struct {
	planning.Fact
	text string
}

func newInstance(g *strategyGame, task *planning.Task, targets []planning.Atom) *instance {
	in := &instance{
		game: g, task: task,
		words: map[string]word{},
		calls: map[string][]int{},
	}
	for _, o := range task.Objects {
		in.words[o.Name] = word{object: true}
	}
	in.goal = goalSentence(g, targets)
	for _, a := range targets {
		in.targets = append(in.targets, task.Fact(a))
	}
	for i, a := range task.Facts {
		in.facts = append(in.facts, fact{planning.Fact(i), capitalize(g.fact(a))})
	}
	for _, a := range task.Constant {
		in.facts = append(in.facts, fact{planning.Always, capitalize(g.fact(a))})
	}
	slices.SortStableFunc(in.facts, func(a, b fact) int { return strings.Compare(a.text, b.text) })
	for i := range task.Operators {
		in.addOperator(i)
	}
	slices.SortStableFunc(in.listed, func(a, b int) int { return strings.Compare(in.texts[a], in.texts[b]) })
	return in
}

func (in *instance) addOperator(i int) {
	op := &in.task.Operators[i]
	name := op.Action.Name
	atom := planning.Atom{Predicate: name}
	distinct := true
	for n, arg := range op.Args {
		atom.Args = append(atom.Args, in.task.Objects[arg].Name)
		distinct = distinct && !slices.Contains(op.Args[:n], arg)
	}
	key := string(appendCall(nil, name, atom.Args))
	in.texts = append(in.texts, render(in.game.Actions, atom))
	if w := in.words[name]; w.verb == nil {
		in.words[name] = word{&verb{name: name, arity: len(op.Args)}, w.object}
	}
	in.calls[key] = append(in.calls[key], i)
	if distinct { // the benchmark lists no action that names an object twice
		in.listed = append(in.listed, i)
		v := in.words[name].verb
		v.listed = append(v.listed, i)
	}
}

// appendCall appends the key of an action in calls.
func appendCall(key []byte, name string, args []string) []byte {
	key = append(key, name...)
	for _, arg := range args {
		key = append(append(key, ' '), arg...)
	}
	return key
}

// goalSentence states the goal, its conditions sorted.
func goalSentence(g *strategyGame, targets []planning.Atom) string {
	var texts []string
	for _, a := range targets {
		texts = append(texts, g.fact(a))
	}
	slices.Sort(texts)
	return "The goal is to satisfy the following conditions: " + strings.Join(texts, ", ")
}

// describe lists the facts of s; if since is given, those that did not hold in it.
func (in *instance) describe(s, since planning.State) string {
	text := make([]byte, 0, 2048) // longer than most
	for i := range in.facts {
		f := &in.facts[i]
		if !f.Holds(s) || since != nil && f.Holds(since) {
			continue
		}
		if len(text) > 0 {
			text = append(text, ' ')
		}
		text = append(text, f.text...)
	}
	return string(text)
}

// reached returns the share of the goal's facts that hold in s, and whether all hold.
func (in *instance) reached(s planning.State) (share float64, complete bool) {
	n := 0
	for _, t := range in.targets {
		if t.Holds(s) {
			n++
		}
	}
	return float64(n) / float64(len(in.targets)), n == len(in.targets)
}
