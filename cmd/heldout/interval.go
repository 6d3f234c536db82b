package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"heldout/scoring/stats"
)

// intervalFlag adds the flag that says what intervals are about.
func intervalFlag(c *cobra.Command, about *string) {
	c.Flags().StringVar(about, "interval", string(stats.TheseKinds),
		"what 95% intervals and tests are about: tasks (other decodings of these tasks), kinds (new tasks of these kinds), new-kinds (other kinds of tasks)")
}

// checkInterval reports an unknown question.
func checkInterval(about string) error {
	if slices.Contains(stats.Questions(), stats.Question(about)) {
		return nil
	}
	return usage(fmt.Errorf("unknown interval %q; there are %s", about, strings.Trim(fmt.Sprint(stats.Questions()), "[]")))
}
