package pddl

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"heldout/envs"
	"heldout/envs/engine/planning"
	"heldout/envs/pytext"
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
// that held at the same time after an action that changed something.
func (w *world) Step(_ context.Context, action string) (envs.Step, error) {
	text := pytext.Lower(action)
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

func (w *world) list() string {
	actions := append(w.valid(), checkAction)
	if w.in.game.ListsLook {
		actions = append(actions, lookAction)
	}
	return listPrefix + strings.Join(actions, ", ")
}

// valid are the texts of the listed operators that are applicable.
func (w *world) valid() []string {
	texts := []string{}
	for _, op := range w.in.listed {
		if w.applicable(op) {
			texts = append(texts, w.in.texts[op])
		}
	}
	return texts
}

func (w *world) applicable(operator int) bool {
	return w.state.Satisfies(w.in.task.Operators[operator].Precondition)
}

// act carries out an action. The verb is the first word that names an action with a currently valid form. The
// arguments are the words that name objects, wherever they are.
func (w *world) act(words []string) (observation string, valid bool) {
	var v *verb
	args := make([]string, 0, 16) // more than any action takes
	for _, text := range words {
		means := w.in.words[text]
		if v == nil && means.verb != nil && slices.ContainsFunc(means.verb.listed, w.applicable) {
			v = means.verb
		}
		if means.object {
			args = append(args, text)
		}
	}
	if v == nil || len(args) < v.arity {
		return notUnderstood, false
	}
	key := appendCall(make([]byte, 0, 128), v.name, args[:v.arity])
	for _, i := range w.in.calls[string(key)] {
		if w.applicable(i) {
			return w.apply(i)
		}
	}
	return noEffect, false
}

func (w *world) apply(operator int) (observation string, valid bool) {
	w.in.task.Apply(&w.in.task.Operators[operator], w.state, w.spare)
	if w.spare.Equal(w.state) {
		return noEffect, false
	}
	w.state, w.spare = w.spare, w.state
	var share float64
	share, w.done = w.in.reached(w.state)
	w.progress = max(w.progress, share)
	var prev planning.State
	if w.in.game.ChangesOnly {
		prev = w.spare
	}
	observation = w.in.describe(w.state, prev)
	if w.done {
		observation += satisfied
	}
	return observation, true
}

// Actions implements envs.Lister: the actions that change the world, in the form of the environment's own list.
func (w *world) Actions(context.Context) ([]string, error) {
	return w.valid(), nil
}

// ExpertAction implements envs.Expert.
func (w *world) ExpertAction(context.Context) (string, error) {
	operator, ok := w.guide.Next(w.in.task, w.state)
	if !ok {
		return "", nil
	}
	return w.in.texts[operator], nil
}

// Fork implements envs.Forker.
func (w *world) Fork() (envs.World, error) {
	f := *w
	f.state, f.spare = w.state.Clone(), w.spare.Clone()
	return &f, nil
}

// AppendState implements envs.StateAppender.
func (w *world) AppendState(b []byte) ([]byte, error) {
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(w.progress))
	b = strconv.AppendBool(b, w.done)
	return w.state.Append(b), nil
}
