package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"heldout/scoring/report"
	"heldout/scoring/stats"
)

func newPower(sys *system, c *cobra.Command) {
	var format string
	var wide bool
	points, interval := 5.0, string(stats.TheseKinds)
	c.RunE = func(_ *cobra.Command, dirs []string) error {
		if !(points > 0 && points < 100) {
			return usage(fmt.Errorf("difference %v is not between 0 and 100 percentage points", points))
		}
		source, err := report.Inputs{Interval: interval}.Load()
		if err != nil {
			return usage(err)
		}
		runs, err := new(chosen).runs(sys, dirs)
		if err != nil {
			return err
		}
		results, uncovered, err := source.Read(runs, false)
		if err != nil {
			return err
		}
		sys.warnUncovered(uncovered)
		t := report.Power(results.Runs, points/100)
		if len(t.Rows) == 0 {
			return fmt.Errorf("there is nothing to plan from: %s", strings.Join(t.Notes, " "))
		}
		return render(sys, format, wide, t)
	}
	formatFlag(c, &format)
	addFlags(c.Flags(), map[string]any{"difference": &points, "interval": &interval, "wide": &wide})
}
