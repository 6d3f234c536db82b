package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/eval/training"
	"heldout/eval/training/export"
	"heldout/eval/training/judge"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// The defaults of heldout judge.
const (
	judgeMaxTokens = 512
	judgeTurnsOf   = 50 // trajectories, as in the paper
	judgeHistory   = 32_768
)

func samplingFlags(f *pflag.FlagSet, s *training.Sampling) {
	*s = training.Sampling{Trajectories: judgeTurnsOf, Kind: judge.Balanced, History: judgeHistory}
	addFlags(f, map[string]any{"trajectories": &s.Trajectories, "sample": (*string)(&s.Kind),
		"max-history": &s.History})
}

func newJudge(sys *system, c *cobra.Command) {
	a, j := newModelCalls(0, judgeMaxTokens), &training.Judging{}
	c.RunE = func(c *cobra.Command, path []string) error {
		if err := errors.Join(a.check(), usage(j.Check())); err != nil {
			return usage(err)
		}
		j.ModelCalls, j.Seed = a.calls(sys), a.seed
		turns, err := j.Prepare(path[0])
		if err != nil {
			return err
		}
		if a.dry {
			_, err := fmt.Fprintf(sys.stdout, "folder: %s\n%s, one per turn; replies of at most %d tokens\n",
				j.Dir, table.Counted(turns, "call"), a.run.MaxTokens)
			return err
		}
		tables, missing, err := j.Label(c.Context())
		if err != nil {
			return err
		}
		if err := render(sys, a.format, a.wide, tables...); err != nil {
			return err
		}
		sys.say("labels: %s", filepath.Join(j.Dir, record.LabelsFile))
		return withoutResult(missing, "turn")
	}
	samplingFlags(c.Flags(), &j.Sampling)
	addFlags(c.Flags(), map[string]any{"prompt": &j.Prompt, "human": &j.Human})
	a.flags(c)
}

func newSheet(sys *system, c *cobra.Command) {
	var s training.Sampling
	var out string
	var force bool
	var seed int64
	c.RunE = func(_ *cobra.Command, path []string) error {
		if out == "" {
			return usage(errors.New("no file is given; name one with --out"))
		}
		if err := s.Check(); err != nil {
			return usage(err)
		}
		sample, turns, source, err := s.Draw(path[0], seed)
		if err != nil {
			return err
		}
		sys.warnUncovered(source.Uncovered)
		err = export.WriteFile(out, force, func(w io.Writer) error { return judge.WriteSheet(w, turns, s.History) })
		if err != nil {
			return err
		}
		for _, note := range sample.Notes() {
			sys.say("%s", note)
		}
		return nil
	}
	samplingFlags(c.Flags(), &s)
	addFlags(c.Flags(), map[string]any{"seed": &seed, "out": &out, "force": &force})
}
