package replay

import (
	"context"
	"encoding/json"
	"fmt"

	"heldout/envs"
	"heldout/eval/bench"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

func (r *Replayer) run(ctx context.Context, dir string) error {
	var planned map[string]plannedEpisode
	var failed error
	episodes := 0
	_, err := record.EachEpisode(record.Parts{dir}, func(m *record.Manifest, e *record.Episode) {
		if failed != nil {
			return
		}
		if planned == nil {
			planned = plannedEpisodes(m)
		}
		p, ok := planned[e.ID]
		switch {
		case !ok || p.condition.Preset != nil || e.Trial > 1:
			r.Passed++ // what a preset or a later trial does is more than its actions
		default:
			episodes++
			failed = r.recorded(ctx, dir, p, e)
		}
	})
	if err == nil {
		err = failed
	}
	if err == nil && episodes == 0 {
		err = fmt.Errorf("%s has no episode that can be replayed: those of presets and later trials cannot", dir)
	}
	return err
}

type plannedEpisode struct {
	condition *record.Condition
	task      envs.Task
}

func plannedEpisodes(m *record.Manifest) map[string]plannedEpisode {
	out := map[string]plannedEpisode{}
	for i := range m.Groups {
		g := &m.Groups[i]
		env, _ := m.EnvironmentOf(g.Condition) // reading has checked it
		for j, id := range g.Episodes {
			out[id] = plannedEpisode{&g.Condition, env.Tasks[j]}
		}
	}
	return out
}

func (r *Replayer) recorded(ctx context.Context, dir string, p plannedEpisode, e *record.Episode) error {
	c := *p.condition
	c.Seed, c.StepLimit = 0, 0 // one environment for all of them
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	key := dir + " " + string(b)
	env, ok := r.open[key]
	if !ok {
		if env, err = bench.ReopenEnv(c, r.setup, r.outside); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		r.open[key] = env
	}
	task, err := bench.SameTask(env, p.task)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	proof, err := episode.ReplayEpisode(ctx, env, task, e)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	r.count(c.Env, dir, len(e.Trajectory), proof.Found)
	return nil
}
