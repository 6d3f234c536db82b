package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/configs"
	"heldout/eval/bench"
)

func newSweep(sys *system, c *cobra.Command) { newRunner(sys, sweepFlags, bench.Sweep, c) }

// flagsOf are the flags of a sweep, a run's and more, that set the fields of r.
func flagsOf(r *configs.Run) *pflag.FlagSet {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	sweepFlags(flags, r)
	return flags
}

func sweepFlags(f *pflag.FlagSet, r *configs.Run) {
	runFlags(f, r)
	optionFlags(f, r, configs.Sweeping)
}
