package eval

import (
	"context"
	"errors"
	"fmt"

	"heldout/envs"
	"heldout/scoring/record"
)

// ErrNoPictures says that an environment cannot be drawn.
var ErrNoPictures = errors.New("this environment has no pictures")

// Pictures plays the recorded actions of an episode again and returns the state of
// the world before the first step and after every step. differs is the first step
// whose observation is not the recorded one, 0 for the first observation, and -1 if
// there is none: from there on the pictures may be of another course of events.
func Pictures(ctx context.Context, env envs.Env, task envs.Task, e *record.Episode) (pictures []envs.Picture, differs int, err error) {
	world, err := env.NewWorld(task)
	if err != nil {
		return nil, 0, err
	}
	defer world.Close()
	look := viewOf(world)
	if look == nil {
		return nil, 0, ErrNoPictures
	}
	start, err := world.Start(ctx)
	if err != nil {
		return nil, 0, err
	}
	differs = -1
	if start.Observation != e.Observation {
		differs = 0
	}
	same := comparer(env)
	for i := 0; ; i++ {
		p, err := look()
		if err != nil {
			return nil, 0, fmt.Errorf("after step %d: %w", i, err)
		}
		pictures = append(pictures, p)
		if i == len(e.Trajectory) {
			return pictures, differs, nil
		}
		s := e.Trajectory[i]
		if s.FormatError && e.Agent != Act {
			continue // the environment was not stepped
		}
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		answer, err := world.Step(ctx, s.Action)
		if err != nil {
			return nil, 0, fmt.Errorf("step %d: %w", i+1, err)
		}
		if differs < 0 && !same(s.Action, s.Observation, answer.Observation) {
			differs = i + 1
		}
	}
}

// viewOf returns what draws a world, or lists what is in it; nil if the world can
// do neither.
func viewOf(w envs.World) func() (envs.Picture, error) {
	if v, ok := envs.As[envs.Viewer](w); ok {
		return func() (envs.Picture, error) { return v.View(), nil }
	}
	if v, ok := envs.As[envs.Inspector](w); ok {
		return func() (envs.Picture, error) {
			text, err := v.Inspect()
			return envs.Picture{Rows: [][]envs.Glyph{{{Text: text}}}}, err
		}
	}
	return nil
}

// comparer returns how an environment compares a recorded observation with ours.
func comparer(env envs.Env) func(action, recorded, ours string) bool {
	if c, ok := envs.As[envs.Comparer](env); ok {
		return c.SameObservation
	}
	return func(_, recorded, ours string) bool { return recorded == ours }
}
