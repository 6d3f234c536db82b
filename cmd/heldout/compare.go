package main

import (
	"github.com/spf13/cobra"
)

func newCompare(sys *system) *cobra.Command {
	var out output
	c := &cobra.Command{
		Use:   "compare RUN…",
		Short: "Print the tables of runs again, from their records alone",
		Long: `compare reads run directories and prints their tables. Several runs come into one
table; models that played the same tasks are compared task by task with the first.`,
		Example: `  heldout compare runs/base runs/tuned
  heldout compare runs/tuned --baseline agentrefine --format latex --table held-out`,
		Args: args(1, -1, "at least one run directory"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			_, err := out.print(sys, dirs)
			return err
		},
	}
	out.flags(c)
	return c
}
