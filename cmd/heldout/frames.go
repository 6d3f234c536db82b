package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"heldout/eval/training/frame"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

func exportFrames(c *cobra.Command, sys *system, dirs []string, out string, force bool, o frame.Options) error {
	err := usage(refuseFlags(c, parquet, "format", "out", "force", "steps", "texts", "attempts"))
	switch {
	case err != nil:
		return err
	case out == "":
		return usage(errors.New("--out is missing: the folder for the files"))
	}
	runs, err := record.Runs(dirs, sys.tell())
	if err != nil {
		return err
	}
	o.Dir, o.Force = out, force
	report, err := frame.Write(c.Context(), runs, o)
	if err != nil {
		return err
	}
	sys.warnUncovered(report.Uncovered)
	for _, name := range report.Files {
		if _, err := fmt.Fprintln(sys.stdout, name); err != nil {
			return err
		}
	}
	sys.say("%s, %s, %s", table.Counted(report.Runs, "run"), table.Counted(report.Episodes, "episode"),
		table.Counted(report.Steps, "step"))
	return nil
}
