package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"heldout/configs"
	"heldout/eval/bench"
	"heldout/eval/training"
	"heldout/eval/training/calls"
	"heldout/scoring/table"
)

// modelCalls is shared by commands that ask a model outside episodes and keep the calls.
type modelCalls struct {
	run        configs.Run // model, servers and decoding
	out        string
	seed       int64
	format     string
	wide       bool
	quiet, dry bool
}

func newModelCalls(temperature float64, maxTokens int) *modelCalls {
	a := &modelCalls{run: configs.DefaultRun()}
	a.run.Temperature, a.run.MaxTokens = temperature, maxTokens
	return a
}

func (a *modelCalls) flags(c *cobra.Command) {
	f := c.Flags()
	optionFlags(f, &a.run, configs.Server, configs.Sampling, configs.Length)
	addFlags(f, map[string]any{"seed": &a.seed, "out": &a.out, "dry-run": &a.dry, "quiet": &a.quiet,
		"wide": &a.wide})
	formatFlag(c, &a.format)
}

func (a *modelCalls) check() error {
	var faults configs.Faults
	switch {
	case len(a.run.Model) == 0:
		faults.Add(errors.New("no model is given; name one with --model: vllm:NAME, openai:NAME or ollama:NAME"))
	case len(a.run.Model) > 1:
		faults.Add(fmt.Errorf("there are %d models; give one", len(a.run.Model)))
	case bench.IsBaseline(a.run.Model[0]):
		faults.Add(fmt.Errorf("%s is not a model on a server; give vllm:NAME, openai:NAME or ollama:NAME",
			a.run.Model[0]))
	default:
		faults.Add(bench.Validate(a.run, bench.Plain))
	}
	faults.Note(a.run.Concurrency == configs.Auto, "concurrency auto is for runs; give a number")
	faults.Note(a.run.MaxTokens < 1, "max-tokens is %d, want at least 1", a.run.MaxTokens)
	faults.Note(!slices.Contains(table.Formats(), table.Format(a.format)), "unknown format %q; there are %s",
		a.format, formats())
	return usage(faults.Err())
}

func (a *modelCalls) calls(sys *system) *training.ModelCalls {
	return &training.ModelCalls{
		Run: a.run, Dir: a.out, Outside: sys.bench(), Say: sys.say,
		Counter: func(items int) (training.Counter, func()) {
			progress := calls.NewProgress(items, sys.now)
			if a.quiet {
				return progress, func() {}
			}
			return progress, sys.follow(progress.Line)
		},
	}
}

func withoutResult(n int, noun string) error {
	if n == 0 {
		return nil
	}
	return &codedError{errors.New(table.Counted(n, noun+" has no result; the same command tries it again",
		noun+"s have no result; the same command tries them again")), exitIncomplete}
}
