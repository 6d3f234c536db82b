package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/natefinch/atomic"
	"github.com/spf13/cobra"

	"heldout/eval"
	"heldout/eval/bench"
	"heldout/eval/share/modelcalls"
	"heldout/eval/training/export"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// The formats of model calls: as lines of JSON, and as Inspect's logs.
const (
	callLines   = "calls"
	inspectLogs = "inspect"
)

// exportCalls writes episodes with the calls of their models.
func exportCalls(c *cobra.Command, sys *system, dirs []string, format string, o export.Options, seeds string) error {
	only, err := episodeFilter(o.Filter, seeds)
	err = cmp.Or(err, refuseFlags(c, format, "format", "out", "force", "env", "model", "preset", "seeds", "prompt",
		"reflection-prompt", "originals", "data"))
	switch {
	case err != nil:
		return usage(err)
	case o.Out == "":
		return usage(fmt.Errorf("--out is missing: the %s to write",
			map[string]string{callLines: "file", inspectLogs: "folder for Inspect's logs"}[format]))
	}
	runs, err := (&chosen{EpisodeFilter: only}).runs(sys, dirs)
	if err != nil {
		return err
	}
	prompts := bench.Prompts{Worlds: &bench.Worlds{Texts: o.Texts}}
	write := func(w io.Writer) (*modelcalls.Summary, error) {
		return modelcalls.Write(c.Context(), w, runs, prompts.Sent, sys.now())
	}
	if format == callLines {
		return exportLines(sys, o, write)
	}
	return exportInspect(c, sys, o, write)
}

// exportLines writes model calls as a file of lines.
func exportLines(sys *system, o export.Options, write func(io.Writer) (*modelcalls.Summary, error)) error {
	var summary *modelcalls.Summary
	err := export.WriteFile(o.Out, o.Force, func(w io.Writer) (err error) {
		summary, err = write(w)
		return err
	})
	if err != nil {
		return err
	}
	sys.sayCalls(summary)
	sys.say("%s and %s in %s", table.Counted(summary.Conditions, "condition"),
		table.Counted(summary.Episodes, "episode"), table.Printable(o.Out))
	return nil
}

// exportInspect has the Python package write model calls as logs of Inspect. They get their names only if
// all goes well.
func exportInspect(c *cobra.Command, sys *system, o export.Options,
	write func(io.Writer) (*modelcalls.Summary, error)) error {
	if _, _, err := sys.python(); err != nil {
		return err
	}
	if err := os.MkdirAll(o.Out, 0o777); err != nil {
		return fmt.Errorf("the folder cannot be made: %w; name another one with --out", err)
	}
	work, err := record.OpenWorkplace(o.Out)
	if err != nil {
		return err
	}
	defer work.Close()
	if err := work.Empty(); err != nil {
		return err
	}
	arguments := []string{"inspect", work.Dir, o.Out}
	if o.Force {
		arguments = append(arguments, "--force")
	}
	var summary *modelcalls.Summary
	files, err := sys.pipe(c.Context(), func(w io.Writer) (err error) {
		summary, err = write(w)
		return err
	}, arguments...)
	if err != nil {
		return err
	}
	for _, name := range files {
		file := filepath.Join(o.Out, name)
		if err := atomic.ReplaceFile(work.Path(name), file); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(sys.stdout, table.Printable(file)); err != nil {
			return err
		}
	}
	sys.sayCalls(summary)
	sys.say("%s in %s; inspect view --log-dir shows them", table.Counted(summary.Episodes, "episode"),
		table.Counted(len(files), "log"))
	return nil
}

// sayCalls says what was left out.
func (sys *system) sayCalls(w *modelcalls.Summary) {
	sys.warnUncovered(w.Uncovered)
	if w.Recorded > 0 {
		sys.warn(fmt.Sprintf("%s with actions and observations in place of messages; the first: %s",
			table.Counted(w.Recorded, "episode"), table.Printable(w.Reason.Error())))
	}
	if w.Skipped > 0 {
		sys.say("left out: %s of later trials", table.Counted(w.Skipped, "episode"))
	}
	if w.Missing > 0 {
		sys.warn(table.Counted(w.Missing, "planned episode") + " without a result: the rates leave them out")
	}
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
