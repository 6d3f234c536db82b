package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/eval"
	"heldout/eval/bench"
	"heldout/eval/progress"
	"heldout/scoring/record"
	"heldout/scoring/report"
)

func newRun(sys *system) *cobra.Command {
	return newRunner(sys, runFlags, bench.Plain, &cobra.Command{
		Use:   "run",
		Short: "Play the tasks, record the episodes and print the tables",
		Long: `run plays every task with every model and seed, records each finished episode,
and prints the table and what it shows. The same command continues a run that
was stopped, and retries what failed because of a server. Without flags it plays
generated tasks with the baselines expert and random. Environments have flags of
their own (heldout envs ENV); every flag is a key of --config (heldout help
keys).`,
		Example: `  heldout run
  heldout run --env pddl --model vllm:NAME --base-url http://HOST:8000/v1 \
          --seeds 0-9 --temperature 1.0
  heldout run --preset agentrefine:alfworld,agentboard:alfworld --data DIR \
          --model vllm:NAME --base-url http://HOST:8000/v1`,
		Args: args(0, 0, "no arguments"),
	})
}

// newRunner completes c to a command that plays what its flags and a
// configuration file say. The kind adds what the command stands for.
func newRunner(sys *system, flags flagger, kind bench.Kind, c *cobra.Command) *cobra.Command {
	var out output
	var file string
	var dry bool
	var q queueFlags
	var all bool
	shown := configs.DefaultRun()
	c.RunE = func(c *cobra.Command, _ []string) error {
		if all {
			return c.Help()
		}
		given := bench.Given{
			File: file, Own: ownKeys(c.Flags()), Chosen: c.Flags().Changed("env") || c.Flags().Changed("model") ||
				c.Flags().Changed("preset"),
			Over: func(r *configs.Run) error {
				err := override(r, c.Flags())
				if q.on() {
					withoutServers(r)
				}
				return err
			},
		}
		if err := setOwnKeys(c.Flags(), given); err != nil {
			return usage(err)
		}
		unsuited := report.Suit(out.tables, map[report.Only]bool{report.Sweeps: kind == bench.Sweep,
			report.Baselines: len(out.baselines) > 0})
		if err := errors.Join(out.check(), usage(unsuited), q.check(c.Flags()), q.login(sys)); err != nil {
			return err
		}
		job, skipped, err := bench.Prepare(sys.bench(), kind, given)
		for _, why := range skipped {
			sys.say("skipped: %v", why)
		}
		if err != nil {
			return usage(err)
		}
		defer job.Close()
		out.names = job.Config.Names
		seeds, models := job.Plan.Breadth()
		if err := report.Suit(out.tables, map[report.Only]bool{
			report.Trials: job.Config.Trials > 1, report.Families: job.OfFamilies(),
			report.Presets: len(job.Config.Preset) > 0,
			report.Seeds:   seeds > 1, report.Pairs: models > 1, report.Threes: models > 2,
		}); err != nil {
			return usage(err)
		}
		if dry {
			return errors.Join(describe(sys, job), rehearse(c.Context(), sys, job, q.on()))
		}
		if q.on() {
			return lead(c.Context(), sys, &leading{job, &q, c, given}, &out)
		}
		return play(c.Context(), sys, job, &out)
	}
	flags(c.Flags(), &shown)
	grouped(c.Flags(), queueGroup, func() { q.leaderFlags(c.Flags()) })
	c.Flags().StringVar(&file, "config", "", "YAML file whose keys are the names of these flags; flags override it")
	c.Flags().BoolVar(&dry, "dry-run", false,
		"print the plan and its cost in model calls, make the checks of a run, and stop")
	c.Flags().BoolVar(&out.quiet, "quiet", false, "show no progress")
	c.Flags().BoolVar(&all, helpAll, false, "explain all flags")
	out.flags(c)
	return c
}

// rehearse makes the checks that a run makes before its first episode. Servers are
// those of workers if it is led.
func rehearse(ctx context.Context, sys *system, j *bench.Job, led bool) error {
	if led {
		return eval.Fits(j.Dir, j.Plan)
	}
	unready, err := j.Check(ctx)
	if unready != nil {
		sys.say("not checked, because no model server is ready: %v", unready)
	}
	return err
}

// play plays what is missing of a job and prints the tables. A finished run needs no
// server.
func play(ctx context.Context, sys *system, j *bench.Job, out *output) error {
	if waits := j.Config.WaitForServers > 0; !waits || !j.Finished() {
		if err := j.Meet(ctx); err != nil && (waits || ctx.Err() != nil || !j.Finished()) {
			return err
		} else if err != nil {
			sys.say("no episode is missing, so the run needs no model server: %v", err)
		}
	}
	return work(ctx, sys, j, out, int(j.Config.Concurrency), func(s *bench.Session, shown *progress.Run) error {
		return s.Play(ctx, shown, sys.warn)
	})
}

// work opens the run directory of a job, has what is missing played, and prints
// the tables. Concurrency is less than 1 if it changes.
func work(ctx context.Context, sys *system, j *bench.Job, out *output, concurrency int,
	playOn func(*bench.Session, *progress.Run) error) error {
	sys.saveMemory()
	session, err := j.Begin()
	if err != nil {
		return err
	}
	warn := func() {
		for _, text := range session.TakeWarnings() {
			sys.warn(text)
		}
	}
	warn()
	if session.Recovered > 0 {
		sys.say("passed over %d bytes of an episode that a crash left unfinished", session.Recovered)
	}
	if session.Done > 0 {
		sys.say("%d of %d episodes already have a result in %s", session.Done, session.Done+len(session.Missing), j.Dir)
	}
	shown := progress.NewRun(session.Missing, concurrency, sys.now)
	finish := func() {}
	if !out.quiet && len(session.Missing) > 0 {
		finish = sys.follow(shown.Line)
	}
	silence := broadcast(shown, session.SetStatus)
	runErr := playOn(session, shown)
	silence()
	err = errors.Join(runErr, session.End())
	finish()
	warn()
	if err != nil {
		return stopped(ctx, err, j.Dir)
	}
	if j.Plan.Shard != nil {
		return endShard(sys, j)
	}
	j.Plan = nil // tables are made from records alone, and the plan of a large run takes much memory
	runs, err := out.print(sys, []record.Chosen{{Parts: record.Parts{j.Dir}}})
	if err != nil {
		return err
	}
	sys.say("records: %s\nmore: heldout report %s; heldout view; heldout compare %s --table NAME, or all", j.Dir, j.Dir,
		j.Dir)
	return bench.Complete(runs[0].Scores)
}

// endShard says how far a shard is. It has no tables of its own: they would be
// those of an arbitrary part of the tasks.
func endShard(sys *system, j *bench.Job) error {
	done, missing, err := j.Shortfall()
	if err != nil {
		return err
	}
	sys.say("shard %s: %d episodes have a result; heldout compare %s prints the tables of all shards", j.Plan.Shard,
		done, filepath.Dir(j.Dir))
	if missing > 0 {
		return &bench.IncompleteError{Missing: missing}
	}
	return nil
}

// stopped says what is left of a run that ended with an error.
func stopped(ctx context.Context, err error, dir string) error {
	var unusable *eval.UnusableError
	switch {
	case errors.Is(err, record.ErrMoved):
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("stopped; what is finished is kept in %s, and the same command continues", dir)
	case errors.As(err, &unusable):
		return fmt.Errorf("%w\nwhat is finished is kept in %s; the same command continues once the server has changed",
			err, dir)
	}
	return fmt.Errorf("%w\nwhat is finished is kept in %s, and the same command continues", err, dir)
}
