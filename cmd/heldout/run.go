package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"heldout/configs"
)

func newRun(sys *system) *cobra.Command {
	return newRunner(sys, runFlags, plainRun, &cobra.Command{
		Use:   "run",
		Short: "Play the tasks, record the episodes and print the tables",
		Long: `run plays every task with every model and seed, records each finished episode in
the run directory, and prints the tables. The same command continues a run that was
stopped, or fills in episodes that failed for want of a server. Without --env, --model
and --config it plays generated tasks with the baselines expert and random.`,
		Example: `  heldout run
  heldout run --env pddl --data DIR --model expert
  heldout run --env pddl --data DIR --model vllm:NAME --base-url http://HOST:8000/v1 --seeds 0-9 --temperature 1.0 --concurrency 64`,
		Args: args(0, 0, "no arguments"),
	})
}

// newRunner completes c to a command that plays what its flags and a
// configuration file say. The kind adds what the command stands for.
func newRunner(sys *system, flags flagger, kind runKind, c *cobra.Command) *cobra.Command {
	var out output
	var file string
	var dry bool
	shown := configs.DefaultRun()
	c.RunE = func(c *cobra.Command, _ []string) error {
		r, skipped, err := resolve(sys, c.Flags(), kind, file)
		if err != nil {
			return usage(err)
		}
		for _, why := range skipped {
			fmt.Fprintf(sys.stderr, "skipped: %v\n", why)
		}
		if err := validate(r, kind); err != nil {
			return usage(err)
		}
		if err := out.check(); err != nil {
			return err
		}
		job, err := newJob(sys, r)
		if err != nil {
			return usage(err)
		}
		defer job.close()
		if dry {
			return job.describe(sys)
		}
		return job.run(c.Context(), sys, &out)
	}
	flags(c.Flags(), &shown)
	c.Flags().StringVar(&file, "config", "", "YAML file with keys named like these flags; flags win")
	c.Flags().BoolVar(&dry, "dry-run", false, "print the plan and what it costs in model calls, and stop")
	c.Flags().BoolVar(&out.quiet, "quiet", false, "show no progress while episodes are played")
	out.flags(c)
	return c
}
