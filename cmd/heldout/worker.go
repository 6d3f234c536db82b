package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/datafile"
	"heldout/eval/bench"
	"heldout/eval/scale/queue"
	"heldout/scoring/table"
)

func newWorker(sys *system, c *cobra.Command) {
	var q queueFlags
	var job string
	defaults := configs.DefaultRun()
	c.RunE = func(c *cobra.Command, _ []string) error {
		if q.Address == "" {
			return usage(errors.New("give the --queue of the run, such as nats://HOST:4222"))
		}
		if err := queue.CheckAddress(q.Address); err != nil {
			return usage(err)
		}
		if err := errors.Join(usage(q.Security.Check()), q.login(sys)); err != nil {
			return err
		}
		return workOn(c.Context(), sys, &q, job, c.Flags())
	}
	c.Flags().StringVar(&q.Address, "queue", "", "")
	c.Flags().StringVar(&job, "job", "", "")
	q.connectionFlags(c.Flags())
	workerFlags(c.Flags(), &defaults)
}

func workerFlags(f *pflag.FlagSet, r *configs.Run) {
	flags := flagsOf(r)
	for _, name := range ownedBy(configs.EachWorker, configs.EachOne) {
		f.AddFlag(flags.Lookup(name))
	}
	settingFlags(f, &r.Setup)
}

func workOn(ctx context.Context, sys *system, q *queueFlags, name string, own *pflag.FlagSet) error {
	patience, err := own.GetDuration("give-up-after")
	if err != nil {
		return err
	}
	role := "heldout worker"
	if host, err := os.Hostname(); err == nil {
		role += " on " + host
	}
	w, err := queue.Join(ctx, q.Options(role, patience, sys.warn), name)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Job.SameTool(sys.tool); err != nil {
		return err
	}
	err = w.Job.SameFiles(func(path string) ([]byte, error) { return datafile.Read(path, datafile.MaxConfig) })
	if err != nil {
		return fmt.Errorf("the run %s cannot be played here: %w", w.Job.Name, err)
	}
	job, err := rebuild(sys, w.Job, own)
	if err != nil {
		return fmt.Errorf("the run %s cannot be played here: %w", w.Job.Name, err)
	}
	defer job.Close()
	if err := w.Job.SamePlan(job.Plan); err != nil {
		return err
	}
	if job.Config.Concurrency < 1 {
		return usage(errors.New("--concurrency auto is not for workers: give a number"))
	}
	if err := job.Meet(ctx); err != nil {
		return err
	}
	sys.say("joined the run %s: %s at a time", w.Job.Name, table.Counted(int(job.Config.Concurrency), "episode"))
	started := sys.now()
	err = w.Work(ctx, job.Worker(sys.warn), job.Servers(), int(job.Config.Concurrency))
	sys.say("played %s in %v", table.Counted(w.Finished(), "episode"), sys.now().Sub(started).Round(time.Second))
	if err != nil {
		return err
	}
	sys.say("the run is complete")
	return nil
}

// local reports environments that only the leader of a queue may reach: a worker starts and
// asks nothing that another machine names.
func local(r *configs.Run) error {
	if i := slices.IndexFunc(r.Env, envs.IsExternal); i >= 0 {
		return fmt.Errorf("workers of a queue do not reach %s, which is outside of heldout: play it without --queue",
			r.Env[i])
	}
	if strings.HasPrefix(r.Agent, configs.OwnAgent) {
		return errors.New("workers of a queue do not start an agent of yours: play it without --queue")
	}
	return nil
}

// rebuild prepares the described run, with the worker's own flags.
func rebuild(sys *system, about queue.Job, own *pflag.FlagSet) (*bench.Job, error) {
	kind := bench.Plain
	if about.Command == "sweep" {
		kind = bench.Sweep
	}
	var sweep cobra.Command
	newSweep(sys, &sweep)
	setup := bench.DefaultSetup(sys.bench())
	job, _, err := bench.Prepare(sys.bench(), kind, bench.Input{
		File: about.File, Content: about.Config, Chosen: about.Chosen,
		Own: ownKeys(sweep.Flags()), // which only the leader reads
		Override: func(r *configs.Run) error {
			d := configs.DefaultRun() // what the file says of these is the leader's
			r.Data, r.Out, r.Concurrency, r.APIKeyEnv, r.Header = setup.Data, "", d.Concurrency, "", nil
			return errors.Join(apply(r, about.Flags), override(r, own), local(r))
		},
	})
	return job, err
}
