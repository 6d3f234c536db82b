package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"heldout/scoring/record"
	"heldout/scoring/table"
)

func newRepair(sys *system, c *cobra.Command) {
	c.RunE = func(_ *cobra.Command, dirs []string) error {
		parts, err := record.Parts(dirs).Dirs()
		if err != nil {
			return err
		}
		for _, dir := range parts {
			lead := ""
			if dir != dirs[0] {
				lead = filepath.Base(dir) + ": "
			}
			if err := repair(sys, dir, lead); err != nil {
				return err
			}
		}
		return nil
	}
}

// repair repairs a run directory. Lead begins every line about a shard.
func repair(sys *system, dir, lead string) error {
	r, err := record.Repair(dir)
	if err != nil {
		return err
	}
	for _, text := range r.Warnings {
		sys.warn(text)
	}
	sys.warnUncovered(r.Uncovered)
	return printRepaired(sys.stdout, r, lead)
}

func printRepaired(w io.Writer, r *record.Repaired, lead string) error {
	var b strings.Builder
	for _, bad := range r.Bad {
		fmt.Fprintf(&b, "line %d set aside: %s\n", bad.Number, table.Printable(bad.Cause.Error()))
	}
	fmt.Fprintf(&b, "%s, %s\n", table.Counted(len(r.Bad), "bad line"), table.Counted(r.Attempts, "good one"))
	if r.File != "" {
		fmt.Fprintf(&b, "the bad lines are in %s\n", table.Printable(r.File))
	}
	if r.Planned == 0 {
		b.WriteString("run.json is missing, so the plan is not known; the command that made the run writes it again\n")
	} else {
		describeMissing(&b, r.Planned, r.Missing)
	}
	for line := range strings.Lines(b.String()) {
		if _, err := io.WriteString(w, lead+line); err != nil {
			return err
		}
	}
	return nil
}

// describeMissing lists planned episodes without a result, and returns their number.
func describeMissing(b *strings.Builder, planned int, groups []record.Missing) int {
	missing := 0
	for _, m := range groups {
		missing += len(m.Tasks)
	}
	if missing == 0 {
		fmt.Fprintf(b, "all %d planned episodes have a result\n", planned)
		return 0
	}
	b.WriteString(table.Counted(missing, fmt.Sprintf("of %d planned episodes has", planned),
		fmt.Sprintf("of %d planned episodes have", planned)))
	b.WriteString(" no result; the command that made the run plays them:\n")
	for _, m := range groups {
		c := m.Condition
		fmt.Fprintf(b, "  %s, %s, perturbation %s, seed %d: %s\n", c.Env, table.Printable(c.Model),
			table.Printable(c.Perturbation), c.Seed, table.Printable(abbreviate(m.Tasks)))
	}
	return missing
}

func abbreviate(tasks []string) string {
	const limit = 10
	return table.Shortlist(tasks, limit)
}
