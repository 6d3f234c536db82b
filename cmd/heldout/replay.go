package main

import (
	"context"
	"errors"
	"fmt"
	"heldout/eval/episode"
	"os"

	"github.com/spf13/cobra"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/datafile"
	"heldout/envs/sciworld"
	"heldout/eval/bench"
	"heldout/scoring/table"
)

func newReplay(sys *system) *cobra.Command {
	r := replayer{sys: sys, open: map[string]envs.Env{}, counts: map[string]*replayCount{}}
	c := &cobra.Command{
		Use:   "replay FILE… | DIR…",
		Short: "Replay recorded episodes and show differences",
		Long: `replay reads episodes from JSON Lines files, which may be compressed with gzip.
An episode has env, id (the 0-based number of the task), goal, done, progress,
grounding and steps; a step has action, observation and progress. replay plays
the actions and prints the number of episodes, steps and mismatches of every
environment and the first difference in full. It exits with 1 if there is any.

A run directory is replayed as well, also one of heldout serve --record: all
episodes without a preset, first trials only.`,
		Args: args(1, -1, "at least one file"),
		RunE: func(c *cobra.Command, files []string) error {
			defer r.close()
			for _, file := range files {
				replay := r.file
				if info, err := os.Stat(file); err == nil && info.IsDir() {
					replay = r.run
				}
				if err := replay(c.Context(), file); err != nil {
					return err
				}
			}
			return r.report()
		},
	}
	taskSource(c, sys, &r.options)
	c.Flags().Int64Var(&r.options.GeneratorSeed, "generator-seed", 0, "seed of generated tasks, for run directories")
	return c
}

// replayer replays files.
type replayer struct {
	sys     *system
	options envs.Setup
	open    map[string]envs.Env
	counts  map[string]*replayCount
	order   []string // environments as they came
	first   *episode.Mismatch
	where   string // file and line of the first mismatch
	passed  int    // episodes of runs that cannot be replayed
}

type replayCount struct{ episodes, steps, mismatches int }

func (r *replayer) close() {
	for _, env := range r.open {
		bench.CloseEnv(env)
	}
}

func (r *replayer) file(ctx context.Context, name string) error {
	f, err := datafile.Open(name, datafile.Unlimited)
	if err != nil {
		return err
	}
	defer f.Close()
	episodes := 0
	err = episode.ReadRecorded(ctx, f, name, func(line int, e *episode.Recorded) error {
		episodes++
		where := fmt.Sprintf("%s:%d", name, line)
		if err := r.episode(ctx, where, e); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		return nil
	})
	if err == nil && episodes == 0 {
		err = fmt.Errorf("%s has no episodes", name)
	}
	return err
}

// ourName turns AgentBoard's name of an environment into ours.
func ourName(name string) string {
	if name == "scienceworld" {
		return sciworld.Name
	}
	return name
}

func (r *replayer) episode(ctx context.Context, where string, e *episode.Recorded) error {
	e.Env = ourName(e.Env)
	env, ok := r.open[e.Env]
	if !ok {
		var err error
		if env, err = catalog.Open(e.Env, r.options, r.sys.outside()); err != nil {
			return err
		}
		if env.Info().Source != envs.Official {
			return fmt.Errorf("records of %s are of official tasks; give their folder with --data", e.Env)
		}
		r.open[e.Env] = env
	}
	found, err := episode.Replay(ctx, env, e)
	if err != nil {
		return err
	}
	r.count(e.Env, where, len(e.Steps), found)
	return nil
}

// count counts a replayed episode.
func (r *replayer) count(env, where string, steps int, found []episode.Mismatch) {
	c := r.counts[env]
	if c == nil {
		c = &replayCount{}
		r.counts[env] = c
		r.order = append(r.order, env)
	}
	c.episodes++
	c.steps += steps
	c.mismatches += len(found)
	if len(found) > 0 && r.first == nil {
		r.first, r.where = &found[0], where
	}
}

// report prints what was found.
func (r *replayer) report() error {
	t := table.Table{ID: "replay", Title: "Replay", Columns: []table.Column{
		{Key: "environment", Header: "Environment", Left: true},
		{Key: "episodes", Header: "Episodes"}, {Key: "steps", Header: "Steps"}, {Key: "mismatches", Header: "Mismatches"},
	}}
	for _, name := range r.order {
		c := r.counts[name]
		t.Rows = append(t.Rows, []table.Cell{table.String(name), table.Int(c.episodes), table.Int(c.steps), table.Int(c.mismatches)})
	}
	if err := render(r.sys, string(table.Text), false, t); err != nil {
		return err
	}
	if r.passed > 0 {
		r.sys.say("%d episodes are of presets or later trials and were not replayed", r.passed)
	}
	if r.first == nil {
		return nil
	}
	m := r.first
	fmt.Fprintf(r.sys.stdout, "\nfirst difference: %s, task %s, run %s, step %d, action %q: %s\nrecorded: %q\nours:     %q\n",
		table.Printable(r.where), table.Printable(m.Task.ID), table.Printable(m.Source), m.Step, m.Action, m.What, m.Want, m.Got)
	return errors.New("the replay differs from the records")
}
