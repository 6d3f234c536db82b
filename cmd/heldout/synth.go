package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/eval/training"
	"heldout/eval/training/synth"
	"heldout/eval/training/synth/generate"
)

// The defaults of heldout synth.
const (
	synthTemperature = 1.0
	synthMaxTokens   = 4096
	nearThreshold    = 0.7
)

func newSynth(sys *system, c *cobra.Command) {
	a := newModelCalls(synthTemperature, synthMaxTokens)
	s := &training.Synthesis{Verify: synth.DefaultOptions()}
	c.RunE = func(c *cobra.Command, _ []string) error {
		var folder error
		if strings.TrimSpace(a.out) == "" {
			folder = errors.New("no folder is given; name one with --out")
		}
		if err := errors.Join(a.check(), folder, s.Check()); err != nil {
			return usage(err)
		}
		s.ModelCalls, s.Seed = a.calls(sys), a.seed
		g, err := s.Generator()
		if err != nil {
			return usage(err)
		}
		if a.dry {
			_, err := fmt.Fprintf(sys.stdout, "folder: %s\n%s\n", a.out, g.Estimate(s.Count))
			return err
		}
		tables, missing, err := s.Make(c.Context(), g)
		if err != nil {
			return err
		}
		if err := render(sys, a.format, a.wide, tables...); err != nil {
			return err
		}
		sys.say("results: %s", a.out)
		return withoutResult(missing, "item")
	}
	f := c.Flags()
	f.StringVar(&s.Personas, "personas", "", "")
	f.StringVar(&s.Prompt, "prompt", "", "")
	f.IntVar(&s.Count, "count", 0, "")
	f.IntVar(&s.MaxCalls, "max-calls", generate.MostCalls, "")
	f.Float64Var(&s.Cutoff, "near", nearThreshold, "")
	verifyFlags(f, &s.Verify, &s.Signal)
	a.flags(c)
}

// verifyFlags adds the flags for what the verification leaves open.
func verifyFlags(f *pflag.FlagSet, o *synth.Options, signal *string) {
	f.IntVar(&o.MinErrors, "min-errors", o.MinErrors, "")
	f.StringVar(signal, "error-signal", "any", "")
	f.StringVar(&o.SuccessText, "success-text", o.SuccessText, "")
}
