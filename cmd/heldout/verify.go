package main

import (
	"github.com/spf13/cobra"

	"heldout/eval/training"
	"heldout/eval/training/synth"
)

func newVerify(sys *system) *cobra.Command {
	o := synth.DefaultOptions()
	var lenient, asJSON, force bool
	var signal, masked string
	c := &cobra.Command{
		Use:  "verify FILE…",
		Args: args(1, -1, "at least one file"),
		RunE: func(_ *cobra.Command, files []string) error {
			if err := training.TakeSignal(&o, signal); err != nil {
				return usage(err)
			}
			v := training.Verification{Out: sys.stdout, JSON: asJSON, Options: o, Lenient: lenient}
			return v.Files(files, masked, force)
		},
	}
	f := c.Flags()
	verifyFlags(f, &o, &signal)
	f.BoolVar(&lenient, "lenient", false,
		"accept text around the JSON and trailing commas in scripts and trajectories that are strings, and count them")
	f.StringVar(&masked, "masked", "",
		"write the trajectories that pass, with the turns that a model is trained on, to this file")
	f.BoolVar(&force, "force", false, "replace the file of --masked")
	jsonFlag(c, &asJSON, "form of output; json has one object per trajectory")
	return c
}
