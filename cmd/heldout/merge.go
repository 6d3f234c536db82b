package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"heldout/eval/bench"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

func newMerge(sys *system, c *cobra.Command) {
	c.RunE = func(_ *cobra.Command, dirs []string) error {
		m, err := record.Merge(dirs[0], dirs[1:])
		if err != nil {
			return err
		}
		for _, text := range m.Warnings {
			sys.warn(text)
		}
		sys.warnUncovered(m.Uncovered)
		return printMerged(sys.stdout, dirs[0], m)
	}
}

// printMerged says what a merge did; an *IncompleteError if episodes are missing.
func printMerged(w io.Writer, out string, m *record.Merged) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s\n", table.Counted(m.Lines, "line"), table.Printable(out))
	if m.Twice > 0 {
		fmt.Fprintln(&b, table.Counted(m.Twice, "line was there twice and counts once",
			"lines were there twice and count once"))
	}
	if len(m.Absent) > 0 {
		fmt.Fprintf(&b, "not there: %s\n", record.NameShards(m.Absent))
	}
	missing := describeMissing(&b, m.Planned, m.Missing)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return err
	}
	if missing > 0 {
		return &bench.IncompleteError{Missing: missing}
	}
	return nil
}
