package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heldout/configs"
	"heldout/envs"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// Proposing says how an agent searches with the proposals of a model.
type Proposing struct {
	Searching
	// Branch is the largest number of actions that the model proposes at a time and, of a
	// beam, the number of worlds in it.
	Branch int
}

// ModelSearchWays lists the ways to search with a model.
func ModelSearchWays() []string { return []string{BestFirst, Beam} }

// NewModelSearch returns an agent that looks ahead in forks of the world, where a model
// proposes the actions and says what it expects of each. The world only says what happens
// and whether the task is solved; without a solution the agent plays the way to the most
// progress. It is an oracle like that of NewSearch. The world must fork and write its
// state, and must not have been stepped.
func NewModelSearch(c Chat, in configs.Instructions, w envs.World, start envs.Start, p Proposing) (Agent, error) {
	if !slices.Contains(ModelSearchWays(), p.Way) {
		return nil, fmt.Errorf("there is no search %q with a model; there are %v", p.Way, ModelSearchWays())
	}
	if !searchable(w) {
		return nil, errNotSearchable
	}
	a := &asker{caller: newCaller(c), branch: p.Branch, system: in.System}
	a.speller, _ = envs.As[envs.Speller](w)
	a.opening = opening{examples: len(in.Examples), write: func(examples int, _ string) string {
		var b strings.Builder
		b.WriteString(strings.TrimSpace(in.Instruction) + "\n\n" + fmt.Sprintf(proposalFormat, p.Branch) + "\n")
		for _, ex := range in.Examples[:examples] {
			b.WriteString("\nHere is an example of a way:\n" + renderExample(ex, false) + "\n")
		}
		b.WriteString("\nNow this is your task.\nGoal: " + start.Goal + "\nObservation: " + start.Observation)
		return b.String()
	}}
	return &searcher{world: w, tree: tree{Searching: p.Searching, asks: a, seen: map[string]bool{}}}, nil
}

// proposalFormat says what the model is to write. Its numbers are of actions.
const proposalFormat = `You plan ahead. You see one way that was tried in a copy of the world, from the start to now. Propose up to %d different actions that could come next, the most promising first. Write each on a line of its own, followed by a vertical bar and a number from 0 to 100 that says how likely this way leads to the goal after that action:
ACTION | NUMBER
Write nothing else.`

// proposalHelp is what the record shows in place of an observation if no reply has a
// readable proposal.
const proposalHelp = "No action could be read from any reply of the search."

// proposalTries is how often the model is asked about a node until a proposal can be read.
const proposalTries = 3

type asker struct {
	*caller
	speller envs.Speller // nil for none
	system  string
	opening opening
	branch  int
	fault   record.Fault // of the last reply without a readable proposal
}

// way is what the model sees: how a node was reached. It implements transcript.
type way struct {
	*asker
	lines [][2]string // actions with what they led to
}

func (w *way) messages() []model.Message {
	var b strings.Builder
	b.WriteString(w.opening.text(&w.Memory))
	for _, l := range w.lines {
		b.WriteString("\nAction: " + l[0] + "\nObservation: " + l[1])
	}
	return w.withSystem(w.system, b.String())
}

// dropOldest removes the oldest action and what it led to, and then examples.
func (w *way) dropOldest() bool {
	if len(w.lines) > 1 {
		w.lines = w.lines[1:]
		return true
	}
	return w.opening.dropExample()
}

// propose asks the model what could come after a node, unless that is known. It reports
// whether the search goes on: the budget may be spent.
func (t *tree) propose(ctx context.Context, n *node) (goesOn bool, err error) {
	switch {
	case t.asks == nil:
		return true, nil
	case n.done || n.depth == t.Limit:
		return true, n.leave()
	case t.used.Calls >= t.Budget:
		return false, nil
	}
	w := &way{asker: t.asks}
	for at := n; at.parent != nil; at = at.parent {
		w.lines = append(w.lines, [2]string{at.action, at.observed})
	}
	slices.Reverse(w.lines)
	for range proposalTries {
		t.asks.shortened() // a prompt does not continue the last one
		reply, used, err := t.asks.ask(ctx, w)
		t.used.plus(used)
		t.used.Server = used.Server
		if err != nil {
			return false, &askError{err}
		}
		if n.untried = t.asks.read(reply.Text); len(n.untried) > 0 {
			slices.Reverse(n.untried)
			return true, nil
		}
		t.used.Unread++
		t.asks.fault = cmp.Or(reply.Fault, record.NoAction)
		if t.used.Calls >= t.Budget {
			break
		}
	}
	return true, n.leave()
}

// read returns the proposals of a reply, the first one first.
func (a *asker) read(reply string) (options []option) {
	for line := range strings.Lines(reply) {
		o, ok := readProposal(line)
		if !ok {
			continue
		}
		if a.speller != nil {
			o.action = a.speller.Spell(o.action)
		}
		if !slices.ContainsFunc(options, func(other option) bool { return other.action == o.action }) {
			options = append(options, o)
		}
		if len(options) == a.branch {
			break
		}
	}
	return options
}

// readProposal reads ACTION | NUMBER, perhaps as an item of a list.
func readProposal(line string) (o option, ok bool) {
	at := strings.LastIndexByte(line, '|')
	if at < 0 {
		return o, false
	}
	number := strings.TrimSuffix(strings.Trim(line[at+1:], " \t\r\n*`"), "%")
	value, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(value >= 0 && value <= 100) {
		return o, false
	}
	action := strings.TrimSpace(line[:at])
	action = action[len(item.FindString(action)):]
	action = action[len(actionLabel.FindString(action)):]
	o = option{action: strings.Trim(action, " \t*`\""), value: value / 100}
	return o, o.action != ""
}

// unread is the only move after a search whose replies had no readable proposal.
func (a *asker) unread(cost Usage) Move {
	m := Move{Fault: a.fault, Usage: cost}
	m.unread(proposalHelp)
	return m
}

// beam keeps, step by step, the nodes that the model expects most of.
func (t *tree) beam(ctx context.Context, root *node) error {
	for level := []*node{root}; len(level) > 0; {
		var next []*node
		for _, n := range level {
			children, goesOn, err := t.expand(ctx, n)
			if !goesOn || err != nil {
				return err
			}
			next = append(next, children...)
		}
		slices.SortFunc(next, before)
		for _, n := range next[min(len(next), t.asks.branch):] {
			if err := n.leave(); err != nil {
				return err
			}
		}
		level = next[:min(len(next), t.asks.branch)]
	}
	return nil
}

// askError is an error of the model, not of a world.
type askError struct{ error }

// blamed returns an error of a search as one of the model or as one of the world.
func blamed(err error) error {
	if asked, ok := errors.AsType[*askError](err); ok {
		return asked.error
	}
	return &WorldError{err}
}
