package episode

import (
	"context"
	"errors"
	"fmt"

	"heldout/envs"
	"heldout/scoring/record"
)

// ErrNoPictures says that an environment cannot be drawn.
var ErrNoPictures = errors.New("this environment has no pictures")

// Pictures plays the recorded actions of an episode again and returns the state of the world before the first step
// and after every step. differs is the first step whose observation is not the recorded one, 0 for the first
// observation, and -1 if there is none: from there on the pictures may show another course of events.
func Pictures(ctx context.Context, env envs.Env, task envs.Task, e *record.Episode) (pictures []envs.Picture,
	differs int, err error) {
	differs = -1
	same := comparer(env)
	var look func() (envs.Picture, error)
	add := func(step int) error {
		p, err := look()
		if err != nil {
			return fmt.Errorf("after step %d: %w", step, err)
		}
		pictures = append(pictures, p)
		return nil
	}
	err = retell(ctx, env, task, e, func(world envs.World, start envs.Start) error {
		if look = viewOf(world); look == nil {
			return ErrNoPictures
		}
		if start.Observation != e.Observation {
			differs = 0
		}
		return add(0)
	}, func(i int, s record.Step, ours *envs.Step) error {
		if ours != nil && differs < 0 && !same(s.Action, s.Observation, ours.Observation) {
			differs = i + 1
		}
		return add(i + 1)
	})
	return pictures, differs, err
}

// viewOf returns what draws a world, or lists what is in it; nil if the world can do neither.
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
