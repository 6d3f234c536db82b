package main

import (
	"github.com/spf13/cobra"

	"heldout/eval/training"
	"heldout/eval/training/synth"
)

func newVerify(sys *system, c *cobra.Command) {
	o := synth.DefaultOptions()
	var lenient, asJSON, force bool
	var signal, masked string
	c.RunE = func(_ *cobra.Command, files []string) error {
		if err := training.TakeSignal(&o, signal); err != nil {
			return usage(err)
		}
		v := training.Verification{Out: sys.stdout, JSON: asJSON, Options: o, Lenient: lenient}
		return v.Files(files, masked, force)
	}
	f := c.Flags()
	verifyFlags(f, &o, &signal)
	addFlags(f, map[string]any{"lenient": &lenient, "masked": &masked, "force": &force})
	jsonFlag(c, &asJSON)
}
