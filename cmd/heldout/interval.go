package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heldout/envs/spelling"
	"heldout/scoring/stats"
)

// intervalFlag adds the flag that selects the population of the intervals.
func intervalFlag(c *cobra.Command, about *string) {
	c.Flags().StringVar(about, "interval", string(stats.TheseKinds),
		"population of 95% intervals and tests: tasks (these tasks, decoded again), kinds (new tasks of these "+
			"kinds), new-kinds (new kinds of tasks; too narrow at low rates if a few kinds are far easier: help "+
			"statistics)")
}

// checkInterval reports an unknown question.
func checkInterval(about string) error {
	if slices.Contains(stats.Questions(), stats.Question(about)) {
		return nil
	}
	return usage(fmt.Errorf("unknown interval %q%s; there are %s", about, spelling.Hint(about, intervalNames()),
		strings.Join(intervalNames(), ", ")))
}
