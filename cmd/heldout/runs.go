package main

import (
	"cmp"
	"math"

	"github.com/spf13/cobra"

	"heldout/eval/bench"
	"heldout/eval/show/view"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

func newRuns(sys *system) *cobra.Command {
	var asJSON, rates, wide bool
	c := &cobra.Command{
		Use:               "runs [DIR]",
		ValidArgsFunction: folders,
		Short:             "List the run directories below a folder",
		Long: `runs lists the run directories below a folder, without DIR below the folder
runs, one line each: what was run and when, how far it is, and the mean success
rate so far in percent. --rates has a line for each environment, model and
perturbation. It skips hidden folders and follows no links.

With --format json, standard output has one JSON object per run and line.`,
		Example: "  heldout runs\n  heldout runs /data/experiments --format json",
		Args:    args(0, 1, "at most one folder"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			root := bench.RunsDir
			if len(dirs) > 0 {
				root = dirs[0]
			}
			found, err := record.RunsBelow([]string{root}, sys.tell())
			if err != nil {
				return err
			}
			l := view.Listing{Root: root, Runs: found, Now: sys.now, Warn: sys.warn}
			var t table.Table
			switch {
			case asJSON:
				return l.WriteJSON(sys.stdout)
			case rates:
				t, err = l.Rates()
			case wide:
				t, err = l.Table(math.MaxInt32)
			default:
				t, err = l.Table(cmp.Or(sys.columns, plainWidth))
			}
			if err != nil {
				return err
			}
			return render(sys, string(table.Text), wide, t)
		},
	}
	jsonFlag(c, &asJSON, "form of output; json has one object per run")
	c.Flags().BoolVar(&rates, "rates", false, "a line for each environment, model and perturbation")
	c.Flags().BoolVar(&wide, "wide", false, "show all columns, however wide")
	return c
}
