package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"heldout/eval/training/export"
	"heldout/eval/training/frame"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// The formats of records: as lines of JSON, and as Parquet files.
const (
	recordLines = "records"
	parquet     = "parquet"
)

// exportFrames writes records for data frames.
func exportFrames(c *cobra.Command, sys *system, dirs []string, format string, o export.Options, f frame.Options,
	texts bool) error {
	names := []string{"format", "out", "force", "steps", "attempts"}
	if format == parquet {
		names = append(names, "texts")
	}
	err := usage(refuseFlags(c, format, names...))
	switch {
	case err != nil:
		return err
	case o.Out == "":
		return usage(fmt.Errorf("--out is missing: the %s to write",
			map[string]string{recordLines: "file", parquet: "folder for the files"}[format]))
	}
	runs, err := record.Runs(dirs, sys.tell())
	if err != nil {
		return err
	}
	var summary *frame.Summary
	write := func(w io.Writer) (err error) {
		summary, err = frame.Write(c.Context(), w, runs, f)
		return err
	}
	if format == recordLines {
		err = export.WriteFile(o.Out, o.Force, write)
	} else {
		err = exportParquet(c.Context(), sys, o, write, f.Trajectories, texts)
	}
	if err != nil {
		return err
	}
	sys.warnUncovered(summary.Uncovered)
	sys.say("%s, %s, %s", table.Counted(summary.Runs, "run"), table.Counted(summary.Episodes, "episode"),
		table.Counted(summary.Steps, "step"))
	return nil
}

// exportParquet has the Python package write Parquet files. They get their names once all of them are whole.
func exportParquet(ctx context.Context, sys *system, o export.Options, write func(io.Writer) error,
	steps, texts bool) error {
	content := map[bool]string{true: "texts", false: "numbers"}[texts]
	names := []string{"runs.parquet", "episodes.parquet", "steps.parquet"}
	if !steps {
		names = names[:2]
	}
	if err := sys.parquet(ctx, noLines, "examples"); err != nil {
		return err
	}
	if err := os.MkdirAll(o.Out, 0o777); err != nil {
		return err
	}
	paths, err := export.Tables(filepath.Join(o.Out, "tables"), names, o.Force, func(files []string) error {
		return sys.parquet(ctx, write, append([]string{"frames", content}, files...)...)
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(sys.stdout, strings.Join(paths, "\n"))
	return err
}

// parquet has the Python package write Parquet files, of what is written to it or of other files.
func (sys *system) parquet(ctx context.Context, write func(io.Writer) error, arguments ...string) error {
	_, err := sys.pipe(ctx, write, append([]string{parquet}, arguments...)...)
	return err
}

// noLines writes nothing. Without lines, the Python package only says whether it has the libraries that a command
// needs.
func noLines(io.Writer) error { return nil }
