package main

import (
	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/eval/show/inventory"
	"heldout/scoring/report"
)

func newPublished(sys *system, c *cobra.Command) {
	var format string
	var wide bool
	c.RunE = func(_ *cobra.Command, names []string) error {
		if len(names) == 0 {
			t, err := inventory.Published()
			if err != nil {
				return err
			}
			return render(sys, format, wide, t)
		}
		p, err := report.ReadPublished(names[0])
		if err != nil {
			return usage(err)
		}
		weights, err := configs.LoadWeights()
		if err != nil {
			return err
		}
		return render(sys, format, wide, report.Published(p, weights)...)
	}
	formatFlag(c, &format)
	c.Flags().BoolVar(&wide, "wide", false, "")
}
