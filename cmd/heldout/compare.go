package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

func newCompare(sys *system) *cobra.Command {
	var out output
	var mix bool
	c := &cobra.Command{
		Use:               "compare RUN…",
		ValidArgsFunction: folders,
		Short:             "Print the tables of runs from their records",
		Long: `compare reads run directories and prints their tables. Several runs share one
table. Models that played the same tasks are compared with the first one, paired
by task. Runs that played an environment by different protocols do not compare
and are refused; --mixed prints them all the same.`,
		Example: `  heldout compare runs/base runs/tuned
  heldout compare runs/tuned --baseline agentrefine --table held-out`,
		Args: args(1, -1, "at least one run directory"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			once, err := eachOnce(sys, dirs)
			if err != nil {
				return err
			}
			out.apart = !mix
			_, err = out.print(sys, once)
			return err
		},
	}
	out.flags(c)
	c.Flags().BoolVar(&mix, "mixed", false, "print runs of different protocols in one table; their numbers do not compare")
	return c
}

// eachOnce removes repeated directories, even under different names: the same
// records count once.
func eachOnce(sys *system, dirs []string) (once []string, err error) {
	var seen []os.FileInfo
next:
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return nil, fmt.Errorf("%s is not a run directory: %w", dir, err)
		}
		for i, other := range seen {
			if os.SameFile(info, other) {
				sys.say("%s and %s are the same directory, which counts once", once[i], dir)
				continue next
			}
		}
		once, seen = append(once, dir), append(seen, info)
	}
	return once, nil
}
