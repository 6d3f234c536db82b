// Package replay plays recorded episodes again, of a reference implementation or of
// our own runs, and counts the differences.
package replay

import (
	"context"
	"fmt"
	"os"
	"slices"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/datafile"
	"heldout/envs/sciworld"
	"heldout/eval/bench"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// Replayer replays files and run directories.
type Replayer struct {
	// Counts are what was replayed, by environment in the order in which they came.
	Counts []*Count
	// First is the first difference, at Where; nil if there is none.
	First    *episode.Mismatch
	Location string
	// Passed counts the episodes of runs that cannot be replayed.
	Passed int

	worlds bench.Worlds
	open   map[string]envs.Env // for records of references
}

// Count counts the replayed episodes of an environment.
type Count struct {
	Env                         string
	Episodes, Steps, Mismatches int
}

// New returns a replayer of environments that are set up so.
func New(setup envs.Setup, outside envs.Outside) *Replayer {
	return &Replayer{worlds: bench.Worlds{Texts: bench.Texts{Setup: setup, Outside: outside}},
		open: map[string]envs.Env{}}
}

// Path replays a file of recorded episodes, or a run directory.
func (r *Replayer) Path(ctx context.Context, path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return r.run(ctx, path)
	}
	return r.file(ctx, path)
}

func (r *Replayer) file(ctx context.Context, name string) error {
	f, err := datafile.Open(name, datafile.Unlimited)
	if err != nil {
		return err
	}
	defer f.Close()
	episodes := 0
	err = episode.ReadRecorded(ctx, f, name, func(line int, e *episode.Recorded) error {
		episodes++
		return r.episode(ctx, fmt.Sprintf("%s:%d", name, line), e)
	})
	if err == nil && episodes == 0 {
		err = fmt.Errorf("%s has no episodes", name)
	}
	return err
}

func ourName(name string) string {
	if name == "scienceworld" {
		return sciworld.Name
	}
	return name
}

func (r *Replayer) episode(ctx context.Context, location string, e *episode.Recorded) error {
	e.Env = ourName(e.Env)
	env, ok := r.open[e.Env]
	if !ok {
		var err error
		if env, err = catalog.Open(e.Env, r.worlds.Setup, r.worlds.Outside); err != nil {
			return err
		}
		if env.Info().Source != envs.Official {
			return fmt.Errorf("records of %s hold official tasks; give their folder with --data", e.Env)
		}
		r.open[e.Env] = env
	}
	found, err := episode.Replay(ctx, env, e)
	if err != nil {
		return err
	}
	r.count(e.Env, location, len(e.Steps), found)
	return nil
}

func (r *Replayer) count(env, location string, steps int, found []episode.Mismatch) {
	i := slices.IndexFunc(r.Counts, func(c *Count) bool { return c.Env == env })
	if i < 0 {
		i = len(r.Counts)
		r.Counts = append(r.Counts, &Count{Env: env})
	}
	c := r.Counts[i]
	c.Episodes++
	c.Steps += steps
	c.Mismatches += len(found)
	if len(found) > 0 && r.First == nil {
		r.First, r.Location = &found[0], location
	}
}

func (r *Replayer) run(ctx context.Context, dir string) error {
	var plan *record.Plan
	var failed error
	episodes := 0
	_, err := record.EachEpisode(record.Parts{dir}, func(m *record.Manifest, e *record.Episode) {
		if failed != nil {
			return
		}
		if plan == nil {
			plan = m.Plan()
		}
		pos, ok := plan.Find(e.ID)
		switch {
		case !ok || m.Groups[pos.Group].Condition.Preset != nil || e.Trial > 1:
			r.Passed++ // what a preset or a later trial does is more than its actions
		default:
			episodes++
			if err := r.recorded(ctx, dir, m, pos, e); err != nil {
				failed = fmt.Errorf("%s: %w", dir, err)
			}
		}
	})
	if err == nil {
		err = failed
	}
	if err == nil && episodes == 0 {
		err = fmt.Errorf("%s has no episode that can be replayed: episodes of presets and later trials cannot", dir)
	}
	return err
}

func (r *Replayer) recorded(ctx context.Context, dir string, m *record.Manifest, pos record.Position,
	e *record.Episode) error {
	c := m.Groups[pos.Group].Condition
	about, _ := m.EnvironmentOf(c) // reading has checked it
	env, task, err := r.worlds.Task(c, about.Tasks[pos.Task])
	if err != nil {
		return err
	}
	proof, err := episode.ReplayEpisode(ctx, env, task, e)
	if err != nil {
		return err
	}
	r.count(c.Env, dir, len(e.Trajectory), proof.Found)
	return nil
}
