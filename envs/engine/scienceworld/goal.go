package scienceworld

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// goalTest is what a test of a goal says.
type goalTest uint8

const (
	unmet goalTest = iota
	met
	failed // the whole task has failed
)

// goal is one condition of a task (tasks §6), or a row of the table of tasks from which one or several are made: its
// slots have facts of the variation. It never changes; a goalState holds what it remembers from test to test.
type goal struct {
	Goal     string   // the reference's class, as the progress text prints it
	About    []string // names and numbers, without commas in them
	Text     string
	Key      string // completed with the goal; empty: none
	Requires string // the key that must be completed before; empty: none
	Clear    bool   // meeting it clears the focus

	Each  string // a row for each of these, which are separated by commas: {it}, by its number {n}
	Group string // the rows of a group instead of this one

	criterion
}

// criterion is the test of a goal.
type criterion struct {
	test  func(t trial) goalTest
	scene bool // it does not depend on the focus
}

// noItem replaces nothing.
var noItem = strings.NewReplacer()

// goals makes goals of rows, in which a replacer puts an item and its number.
func (v *variation) goals(rows []goal, item *strings.Replacer) (out []goal) {
	for _, g := range rows {
		for i, text := range strings.Split(v.fill(g.Each), ",") {
			item := item
			if g.Each != "" {
				item = strings.NewReplacer("{it}", text, "{n}", strconv.Itoa(i+1))
			}
			if g.Group != "" {
				out = append(out, v.goals(taskTable().Groups[g.Group], item)...)
			} else {
				out = append(out, v.goal(g, item))
			}
		}
	}
	return out
}

// goal makes the goal of a row.
func (v *variation) goal(g goal, item *strings.Replacer) goal {
	fill := func(s string) string { return v.fill(item.Replace(s)) }
	var about []string
	for _, text := range g.About {
		about = append(about, strings.Split(fill(text), ",")...)
	}
	g.About, g.Text, g.Key, g.Requires = about, fill(g.Text), fill(g.Key), fill(g.Requires)
	g.criterion = criteria[g.Goal]
	return g
}

// goalState is what a goal remembers.
type goalState struct {
	met     bool
	started bool    // a first try has set the rest
	place   string  // the room of the first try
	degrees float64 // the temperature of the first try
	count   int     // tries in place, or the length of the action history
}

// goals is the progress of a task: ordered goals, of which the first index goals
// are met, and unordered goals. The two lists never change.
type goals struct {
	ordered, unordered []goal
	states             []goalState // of the unordered goals
	index              int
	failed             bool
	last               *Object  // what met the last ordered goal; nil: nothing
	keys               *textSet // completed keys
	stored             phase    // of matter, for the goal that wants another
}

func newGoals(ordered, unordered []goal) *goals {
	return &goals{ordered: ordered, unordered: unordered, states: make([]goalState, len(unordered)), keys: newTextSet()}
}

// clone copies what changes. The function returns the copy of an object.
func (p *goals) clone(swap func(*Object) *Object) *goals {
	out := *p
	out.states = slices.Clone(p.states)
	out.keys = &textSet{slots: slices.Clone(p.keys.slots), used: slices.Clone(p.keys.used), n: p.keys.n}
	if p.last != nil {
		out.last = swap(p.last)
	}
	return &out
}

// reset does what the action "reset task" does, except for the focus. Completed keys and goal states stay.
func (p *goals) reset() {
	p.index, p.failed, p.last = 0, false, nil
	for i := range p.states {
		p.states[i].met = false
	}
}

// trial is one test of one goal.
type trial struct {
	w     *World
	goals *goals
	about []string   // what the goal is about
	state *goalState // of unordered goals
	focus *Object    // nil: the goal is tested without object
}

// tick tests the goals that are due (core §13.2).
func (p *goals) tick(w *World) {
	p.evaluateOrdered(w)
	p.evaluateUnordered(w)
}

func (p *goals) evaluateOrdered(w *World) {
	for p.index < len(p.ordered) && w.focus != nil {
		g := &p.ordered[p.index]
		t := trial{w: w, goals: p, about: g.About, focus: w.focus}
		switch g.test(t) {
		case unmet:
			return
		case failed:
			p.failed = true
			return
		}
		p.last = w.focus
		if g.Clear {
			w.focus = nil
		}
		p.complete(g)
		p.index++
	}
}

func (p *goals) evaluateUnordered(w *World) {
	for changed := true; changed; {
		changed = false
		for i := range p.unordered {
			g, state := &p.unordered[i], &p.states[i]
			if state.met || g.Requires != "" && !p.keys.used[p.keys.find(g.Requires)] {
				continue
			}
			t := trial{w: w, goals: p, about: g.About, state: state}
			v := g.test(t)
			if v != met && w.focus != nil && !g.scene {
				t.focus = w.focus
				v = g.test(t)
			}
			if v == met {
				state.met, changed = true, true
				p.complete(g)
			}
		}
	}
}

func (p *goals) complete(g *goal) {
	if g.Key != "" {
		p.keys.add(g.Key)
	}
}

// score is between 0 and 1, and -1 in a failed task. The unordered goals together are worth less than one ordered
// goal. The sum is computed by repeated addition, as in the reference, because its rounding is visible.
func (p *goals) score() float64 {
	if p.failed {
		return -1
	}
	unit := 1 / float64(len(p.ordered)+1) / float64(len(p.unordered))
	sum := 0.0
	for _, s := range p.states {
		if s.met {
			sum += unit
		}
	}
	return min(float64(p.index)/float64(len(p.ordered))+sum, 1)
}

// progress is the progress text (core §13.3).
func (p *goals) progress() string {
	var b strings.Builder
	line := strings.Repeat("-", 100) + "\n"
	row := func(i int, met bool, g goal) {
		fmt.Fprintf(&b, "%d\t%t\t%40s\t%s\n", i, met, g.Goal, g.Text)
	}
	b.WriteString("Completed keys: " + strings.Join(p.keys.texts(), ", ") + "\n")
	b.WriteString(line + "Sequential Subgoals:\n" + line)
	for i, g := range p.ordered {
		row(i, i < p.index, g)
	}
	b.WriteString(line + "Unordered and Optional Subgoals:\n" + line)
	for i, g := range p.unordered {
		row(i, p.states[i].met, g)
	}
	b.WriteString(line)
	return b.String()
}
