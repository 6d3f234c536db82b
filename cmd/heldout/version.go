package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newVersion(sys *system) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print which build this is",
		Args:  args(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			line := "heldout " + sys.tool.Version
			if sys.tool.Commit != "" {
				line += " (" + sys.tool.Commit + ")"
			}
			_, err := fmt.Fprintln(sys.stdout, line, sys.tool.Go)
			return err
		},
	}
}
