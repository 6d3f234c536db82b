package eval

import (
	"context"
	"fmt"

	"heldout/envs"
	"heldout/scoring/record"
)

// ReplayEpisode plays the recorded actions of an episode again and compares every
// observation, progress and validity, and the final success. The task must be the
// recorded one, and the episode without a preset.
func ReplayEpisode(ctx context.Context, env envs.Env, task envs.Task, e *record.Episode) ([]Mismatch, error) {
	r := replay{env: env, task: task, rec: &Recorded{Source: e.ID}}
	world, err := env.NewWorld(task)
	if err != nil {
		return nil, err
	}
	defer world.Close()
	start, err := world.Start(ctx)
	if err != nil {
		return nil, err
	}
	r.compare(0, "", "goal", e.Goal, start.Goal)
	r.compare(0, "", "observation", e.Observation, start.Observation)
	var last envs.Step
	for i, s := range e.Trajectory {
		if s.FormatError && e.Agent != Act {
			continue // the environment was not stepped
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if last, err = world.Step(ctx, s.Action); err != nil {
			return nil, fmt.Errorf("task %s, step %d: %w", task.ID, i+1, err)
		}
		if !r.sameObservation(RecordedStep{Action: s.Action, Observation: s.Observation}, last) {
			r.compare(i+1, s.Action, "observation", s.Observation, last.Observation)
		}
		r.compare(i+1, s.Action, "progress", s.Progress, last.Progress)
		r.compare(i+1, s.Action, "validity", s.Valid, last.Valid && !s.FormatError)
	}
	if e.Outcome.Final() {
		r.compare(len(e.Trajectory)+1, "", "success", e.Success, last.Success)
	}
	return r.found, nil
}
