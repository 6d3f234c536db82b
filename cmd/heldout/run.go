package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/eval/bench"
	"heldout/eval/progress"
	"heldout/eval/scale"
	"heldout/eval/scale/queue"
	"heldout/scoring/record"
	"heldout/scoring/report"
)

func newRun(sys *system, c *cobra.Command) { newRunner(sys, runFlags, bench.Plain, c) }

// newRunner completes c to a command that plays what its flags and a
// configuration file say. The kind adds what the command stands for.
func newRunner(sys *system, flags flagger, kind bench.Purpose, c *cobra.Command) {
	var out output
	var file string
	var dry bool
	var q queueFlags
	var series checkpointFlags
	var explain bool
	defaults := configs.DefaultRun()
	c.Args = flagsOnly
	c.RunE = func(c *cobra.Command, _ []string) error {
		if explain {
			return c.Help()
		}
		input := bench.Input{
			File: file, Own: ownKeys(c.Flags()), Chosen: c.Flags().Changed("env") || c.Flags().Changed("model") ||
				c.Flags().Changed("preset"),
			Override: func(r *configs.Run) error {
				err := override(r, c.Flags())
				if q.on() { // only a worker needs servers
					r.BaseURL, r.NoIndBaseURL, r.APIKeyEnv, r.Header, r.Concurrency = configs.Servers{}, nil, "", nil, 1
					err = errors.Join(err, local(r))
				}
				return err
			},
		}
		if err := setOwnKeys(c.Flags(), input); err != nil {
			return usage(err)
		}
		unsuited := report.Suit(out.tables, map[report.Only]bool{report.Sweeps: kind == bench.Sweep})
		if err := errors.Join(out.check(), usage(out.checkLog()), usage(unsuited), q.check(c.Flags()),
			q.login(sys), series.check(c.Flags())); err != nil {
			return err
		}
		if series.on() {
			return series.play(c.Context(), sys, input, dry, &out)
		}
		job, skipped, err := bench.Prepare(sys.bench(), kind, input)
		for _, reason := range skipped {
			sys.say("skipped: %v", reason)
		}
		if err != nil {
			return usage(err)
		}
		defer job.Close()
		if job.Plan.Shard != nil && len(out.logTo) > 0 {
			return usage(errors.New("a shard has no rates of its own: join the shards with heldout merge, and log the " +
				"whole run"))
		}
		out.Names, out.Prices, out.HeldIn = job.Config.Names, job.Config.Prices, job.Config.HeldIn
		seeds, models := job.Plan.Breadth()
		if err := report.Suit(out.tables, map[report.Only]bool{
			report.Trials: job.Config.Trials > 1, report.Families: job.OfFamilies(),
			report.Presets: len(job.Config.Preset) > 0,
			report.Seeds:   seeds > 1, report.Pairs: models > 1,
		}); err != nil {
			return usage(err)
		}
		if err := out.checkReference(job); err != nil {
			return usage(err)
		}
		if dry {
			return errors.Join(forecast(c.Context(), sys, job, out.format),
				job.Rehearse(c.Context(), q.on(), sys.screen()))
		}
		on, closeEvents, err := out.screen(sys)
		if err != nil {
			return usage(err)
		}
		defer closeEvents()
		logs, err := out.openTrackers(c.Context(), sys)
		if err != nil {
			return err
		}
		defer logs.close(c.Context())
		for _, logger := range logs {
			logger.Follow(job.Dir)
		}
		if q.on() {
			about := queue.Job{Tool: sys.tool, Command: c.Name(), Flags: shared(c.Flags())}
			err = scale.Lead(c.Context(), job, on, q.Location, about, input, !c.Flags().Changed("env"))
		} else {
			err = job.Play(c.Context(), on)
		}
		if err != nil {
			return err
		}
		err = finish(c.Context(), sys, job, &out)
		logs.log(c.Context(), false, job.Dir)
		return err
	}
	flags(c.Flags(), &defaults)
	grouped(c.Flags(), queueGroup, func() { q.leaderFlags(c.Flags()) })
	if kind == bench.Plain {
		grouped(c.Flags(), checkpointGroup, func() { series.flags(c.Flags()) })
	}
	out.logStep = noStep
	addFlags(c.Flags(), map[string]any{"config": (*onceText)(&file), "dry-run": &dry, "quiet": &out.quiet,
		"events": &out.eventsFile, "log-step": &out.logStep, helpAll: &explain})
	c.Flags().StringArrayVar(&out.logTo, "log", nil, "")
	out.flags(c)
}

func forecast(ctx context.Context, sys *system, j *bench.Job, format string) error {
	if format == "json" {
		return json.NewEncoder(sys.stdout).Encode(j.Forecast(ctx))
	}
	_, err := io.WriteString(sys.stdout, brokenLines(j.Describe(ctx, plainWidth), sys.columns, true))
	return err
}

// pasteable matches the name of a directory that fits on a line with two commands, and that a shell takes as it is.
var pasteable = regexp.MustCompile(`^[\w./][\w./-]{0,9}$`)

// finish prints the tables of a job that is played.
func finish(ctx context.Context, sys *system, j *bench.Job, out *output) error {
	if j.Plan.Shard != nil {
		return j.EndShard(sys.screen())
	}
	j.Plan = nil // tables are made from records alone, and the plan of a large run takes much memory
	out.Measure = true
	runs, err := out.print(sys, []record.Chosen{{Parts: record.Parts{j.Dir}}})
	if err != nil {
		return err
	}
	if err := out.log(ctx, sys, runs); err != nil {
		return err
	}
	name := j.Dir
	if !pasteable.MatchString(name) {
		name = "RUN"
	}
	sys.say("records: %s\nmore: heldout view; heldout report %s; heldout compare %[2]s --table NAME, or all", j.Dir, name)
	return bench.Complete(runs[0].Scores)
}

// screen is where a run is shown, with the events if there is a file for them. Close it when
// the tables are printed.
func (o *output) screen(sys *system) (on bench.Screen, done func(), err error) {
	on, done = sys.screen(), func() {}
	if !o.quiet {
		on.Follow = func(run *progress.Tracker) func() { return sys.followRun(run, o.Names) }
	}
	if o.eventsFile == "" {
		return on, done, nil
	}
	f, err := os.OpenFile(o.eventsFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return on, done, err
	}
	on.Events, o.events = f, f
	return on, func() { f.Close() }, nil
}

// screen is where a run is shown, without its progress.
func (s *system) screen() bench.Screen {
	return bench.Screen{Say: func(line string) { s.say("%s", line) }, Warn: s.warn}
}
