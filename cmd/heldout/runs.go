package main

import (
	"github.com/spf13/cobra"

	"heldout/eval/bench"
	"heldout/eval/show/view"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

func newRuns(sys *system, c *cobra.Command) {
	var asJSON, rates, wide bool
	c.RunE = func(_ *cobra.Command, dirs []string) error {
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
		default:
			t, err = l.Table()
		}
		if err != nil {
			return err
		}
		return render(sys, string(table.Text), wide, t)
	}
	jsonFlag(c, &asJSON)
	c.Flags().BoolVar(&rates, "rates", false, "")
	c.Flags().BoolVar(&wide, "wide", false, "")
}
