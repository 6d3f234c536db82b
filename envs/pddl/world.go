package pddl

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/envs/planning"
)

// The fixed answers of the benchmark's environment.
const (
	notUnderstood = "The action is not valid and therefore takes no effect. Please check valid actions."
	noEffect      = "The action is not valid and therefore takes no effect. Please remember to satisfy the restriction of actions. You can also check valid actions."
	satisfied     = " The goal is satisfied."
	listPrefix    = "Valid actions are: "
	checkAction   = "check valid actions"
	lookAction    = "look around"
)

// world is one running copy of a problem.
type world struct {
	in       *instance
	state    planning.State
	spare    planning.State // scratch for the next state
	progress float64
	done     bool

	guide planning.Guide // the expert's
}

func newWorld(in *instance) *world {
	return &world{in: in, state: in.task.Init.Clone(), spare: in.task.Init.Clone()}
}

// Start implements envs.World.
func (w *world) Start(context.Context) (envs.Start, error) {
	return envs.Start{Goal: w.in.goal, Observation: w.in.describe(w.state, nil)}, nil
}

// Close implements envs.World.
func (w *world) Close() error { return nil }

// Step implements envs.World. Progress is the largest share of the goal's facts
// that held at once after an action which changed something.
func (w *world) Step(_ context.Context, action string) (envs.Step, error) {
	text := lower(action)
	var observation string
	valid := true
	switch {
	case strings.Contains(text, "check"):
		observation = w.list()
	case strings.Contains(text, lookAction):
		observation = w.in.describe(w.state, nil)
	default:
		observation, valid = w.act(tokenize(text))
	}
	return envs.Step{Observation: observation, Progress: w.progress, Done: w.done, Success: w.done, Valid: valid}, nil
}

// lower brings text into lower case as Python does, as far as it can matter: the
// one capital of which Go makes a letter of a name becomes two characters.
func lower(s string) string {
	return strings.ToLower(strings.ReplaceAll(s, "İ", "i̇"))
}

// list answers "check valid actions".
func (w *world) list() string {
	var b strings.Builder
	b.WriteString(listPrefix)
	for _, op := range w.in.listed {
		if w.applicable(op) {
			b.WriteString(w.in.texts[op])
			b.WriteString(", ")
		}
	}
	b.WriteString(checkAction)
	if w.in.game.listsLook {
		b.WriteString(", " + lookAction)
	}
	return b.String()
}

func (w *world) applicable(operator int) bool {
	return w.state.Satisfies(w.in.task.Operators[operator].Precondition)
}

// act carries out an action. The first word that names an action of which some
// form is valid now is the verb; the words that name objects, wherever they
// stand, are its arguments.
func (w *world) act(words []string) (observation string, valid bool) {
	verb := slices.IndexFunc(words, w.recognized)
	if verb < 0 {
		return notUnderstood, false
	}
	name := words[verb]
	var args []string
	for _, word := range words {
		if w.in.objects[word] {
			args = append(args, word)
		}
	}
	if len(args) < w.in.arity[name] {
		return notUnderstood, false
	}
	for _, i := range w.in.calls[call(name, args[:w.in.arity[name]])] {
		if w.applicable(i) {
			return w.apply(i)
		}
	}
	return noEffect, false
}

// recognized reports whether some action of that name is valid now.
func (w *world) recognized(name string) bool {
	return slices.ContainsFunc(w.in.verbs[name], w.applicable)
}

// apply makes an operator's change and describes it.
func (w *world) apply(operator int) (observation string, valid bool) {
	w.in.task.Apply(&w.in.task.Operators[operator], w.state, w.spare)
	if w.spare.Equal(w.state) {
		return noEffect, false
	}
	w.state, w.spare = w.spare, w.state
	var share float64
	share, w.done = w.in.reached(w.state)
	w.progress = max(w.progress, share)
	var before planning.State
	if w.in.game.changesOnly {
		before = w.spare
	}
	observation = w.in.describe(w.state, before)
	if w.done {
		observation += satisfied
	}
	return observation, true
}

// Actions implements envs.Lister: the actions that change the world, as the
// environment's own list shows them.
func (w *world) Actions(context.Context) ([]string, error) {
	var out []string
	for _, op := range w.in.listed {
		if w.applicable(op) {
			out = append(out, w.in.texts[op])
		}
	}
	return out, nil
}

// ExpertAction implements envs.Expert.
func (w *world) ExpertAction(context.Context) (string, error) {
	operator, ok := w.guide.Next(w.in.task, w.state)
	if !ok {
		return "", nil
	}
	return w.in.texts[operator], nil
}

// snapshot is what envs.Snapshotter keeps of a world: a world.
type snapshot world

// Snapshot implements envs.Snapshotter.
func (w *world) Snapshot() (any, error) {
	s := snapshot(*w)
	s.state = w.state.Clone()
	return s, nil
}

// Restore implements envs.Snapshotter.
func (w *world) Restore(s any) error {
	snap, ok := s.(snapshot)
	if !ok || snap.in != w.in {
		return fmt.Errorf("not a snapshot of this PDDL world: %T", s)
	}
	spare := w.spare
	*w = world(snap)
	w.state, w.spare = snap.state.Clone(), spare
	return nil
}
