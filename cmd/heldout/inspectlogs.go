package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"heldout/eval"
	"heldout/eval/bench"
	"heldout/eval/share/inspectlog"
	"heldout/eval/training/export"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// inspectLogs is the format of Inspect's logs.
const inspectLogs = "inspect"

// exportInspect writes runs as logs of Inspect.
func exportInspect(c *cobra.Command, sys *system, dirs []string, o export.Options, seeds string) error {
	only, err := episodeFilter(o.Filter, seeds)
	err = cmp.Or(err, refuseFlags(c, inspectLogs, "format", "out", "force", "env", "model", "preset", "seeds", "prompt",
		"reflection-prompt", "originals", "data"))
	switch {
	case err != nil:
		return usage(err)
	case o.Out == "":
		return usage(errors.New("--out is missing: the folder for Inspect's logs"))
	}
	runs, err := (&chosen{EpisodeFilter: only}).runs(sys, dirs)
	if err != nil {
		return err
	}
	prompts := bench.Prompts{Texts: o.Texts}
	written, err := inspectlog.Write(c.Context(), runs,
		inspectlog.Options{Dir: o.Out, Force: o.Force, Sent: prompts.Sent, Now: sys.now()})
	if err != nil {
		return err
	}
	sys.warnUncovered(written.Uncovered)
	for _, file := range written.Files {
		if _, err := fmt.Fprintln(sys.stdout, table.Printable(file)); err != nil {
			return err
		}
	}
	sys.sayInspect(written)
	return nil
}

// sayInspect says what logs have, and what they do not have.
func (sys *system) sayInspect(w *inspectlog.Written) {
	if w.Recorded > 0 {
		sys.warn(fmt.Sprintf("%s with actions and observations in place of messages; the first: %s",
			table.Counted(w.Recorded, "episode"), table.Printable(w.Reason.Error())))
	}
	if w.Later > 0 {
		sys.say("left out: %s of later trials", table.Counted(w.Later, "episode"))
	}
	if w.Missing > 0 {
		sys.warn(table.Counted(w.Missing, "planned episode") + " without a result: the rates are those of the others")
	}
	sys.say("%s in %s; inspect view --log-dir shows them", table.Counted(w.Episodes, "episode"),
		table.Counted(len(w.Files), "log"))
}

// episodeFilter is what to read of runs.
func episodeFilter(o export.Filter, seeds string) (record.EpisodeFilter, error) {
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
