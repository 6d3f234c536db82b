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
	s := &training.Synthesis{Verify: synth.DefaultOptions(), MaxCalls: generate.MostCalls, Cutoff: nearThreshold}
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
	addFlags(c.Flags(), map[string]any{"personas": &s.Personas, "prompt": &s.Prompt, "count": &s.Count,
		"max-calls": &s.MaxCalls, "near": &s.Cutoff})
	verifyFlags(c.Flags(), &s.Verify, &s.Signal)
	a.flags(c)
}

// verifyFlags adds the flags for what the verification leaves open.
func verifyFlags(f *pflag.FlagSet, o *synth.Options, signal *string) {
	*signal = "any"
	addFlags(f, map[string]any{"min-errors": &o.MinErrors, "error-signal": signal,
		"success-text": &o.SuccessText})
}
