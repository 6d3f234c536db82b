package episode

import (
	"context"
	"fmt"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring/record"
)

// retell plays the actions of a record again in a new world of its task. It calls begun
// once the world has started, and onStep for every recorded step, with our answer to
// its action; nil if the action of the step did not reach the environment.
func retell(ctx context.Context, env envs.Env, task envs.Task, e *record.Episode,
	begun func(envs.World, envs.Start) error, onStep func(i int, recorded record.Step, ours *envs.Step) error,
) error {
	ep := Episode{Task: &task, Benchmark: &Benchmark{Env: env}, Condition: &record.Condition{Seed: e.Seed}}
	world, start, err := ep.begin(ctx)
	if err != nil {
		return err
	}
	defer world.Close()
	if err := begun(world, start); err != nil {
		return err
	}
	for i, s := range e.Trajectory {
		var ours *envs.Step
		if !s.FormatError || e.Agent == configs.Act { // else the environment was not stepped
			if err := ctx.Err(); err != nil {
				return err
			}
			step, err := world.Step(ctx, s.Action)
			if err != nil {
				return fmt.Errorf("task %s, step %d: %w", task.ID, i+1, err)
			}
			ours = &step
		}
		if err := onStep(i, s, ours); err != nil {
			return err
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
