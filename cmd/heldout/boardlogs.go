package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"heldout/eval"
	"heldout/eval/training/export"
	"heldout/scoring/agentboard"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// boardLogs is the format of AgentBoard's logs.
const boardLogs = "agentboard"

// exportBoard writes runs as folders of AgentBoard's logs.
func exportBoard(c *cobra.Command, sys *system, dirs []string, o export.Options, seeds string) error {
	only, err := boardFilter(o.Filter, seeds)
	err = cmp.Or(err, refuseFlags(c, boardLogs, "format", "out", "force", "env", "model", "preset", "seeds"))
	switch {
	case err != nil:
		return usage(err)
	case o.Out == "":
		return usage(errors.New("--out is missing: the folder for AgentBoard's files"))
	}
	runs, err := (&chosen{EpisodeFilter: only}).runs(sys, dirs)
	if err != nil {
		return err
	}
	written, err := agentboard.Write(o.Out, runs, o.Force)
	if err != nil {
		return err
	}
	sys.warnUncovered(written.Uncovered)
	for _, folder := range written.Folders {
		if _, err := fmt.Fprintln(sys.stdout, table.Printable(folder)); err != nil {
			return err
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(written.LeftOut)) {
		if n := written.LeftOut[reason]; n > 0 {
			sys.say("left out: %s %s", table.Counted(n, "episode"), reason)
		}
	}
	if written.Missing > 0 {
		sys.warn(table.Counted(written.Missing, "planned episode") +
			" without a result: the rates are those of the others")
	}
	sys.say("%s in %s; ability scores are over the environments played", table.Counted(written.Episodes, "episode"),
		table.Counted(len(written.Folders), "folder"))
	return nil
}

// refuseFlags reports a flag in use that a format does not have.
func refuseFlags(c *cobra.Command, format string, names ...string) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if !slices.Contains(names, f.Name) {
			err = cmp.Or(err, fmt.Errorf("--%s is not for --format %s", f.Name, format))
		}
	})
	return err
}

// boardFilter is what to read of runs.
func boardFilter(o export.Filter, seeds string) (record.EpisodeFilter, error) {
	only := record.EpisodeFilter{Env: o.Envs, Model: o.Players, Preset: o.Presets}
	if seeds == "" {
		return only, nil
	}
	list, err := eval.ParseSeeds(seeds)
	for _, seed := range list {
		only.Seed = append(only.Seed, fmt.Sprint(seed))
	}
	return only, err
}
