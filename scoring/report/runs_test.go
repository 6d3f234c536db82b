package report

import (
	"slices"
	"strings"
	"testing"

	"heldout/scoring"
	"heldout/scoring/table"
)

// Runs go by short names that differ, whatever their paths are.
func TestLabel(t *testing.T) {
	long := strings.Repeat("runs/pddl-vllm-checkpoint-", 4)
	for _, c := range []struct{ names, want []string }{
		{[]string{"runs/base", "elsewhere/tuned/"}, []string{"base", "tuned"}},
		{[]string{"a/run", "b/run"}, []string{"run 1", "run 2"}},
		{[]string{long + "1a2b3c4d", "tuned"}, []string{"run 1", "run 2"}},
	} {
		var runs []Run
		for _, name := range c.names {
			runs = append(runs, Run{Name: name})
		}
		if got := label(runs); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.names, got, c.want)
		}
	}
}

// The tables say which directories the labels stand for.
func TestDirectories(t *testing.T) {
	rows := []row{
		{run: "run 1", directory: "a/run", name: "m (run 1)"}, {run: "run 1", directory: "a/run", name: "m (agent act, run 1)"},
		{run: "run 2", directory: "b/run", name: "m (run 2)"}, {run: "run 2", directory: "b/run", name: "other"},
	}
	if got := directories(rows); !slices.Equal(got, []string{"run 1: a/run.", "run 2: b/run."}) {
		t.Errorf("%q", got)
	}
	if got := directories(rows[3:]); got != nil {
		t.Errorf("%q", got)
	}
}

// What holds for these kinds alone is said.
func TestOnlyTheseKinds(t *testing.T) {
	var p pairing
	p.add(scoring.Comparison{Kinds: 4, Progress: scoring.Change{KindsOnly: true}}, table.String("pddl"), table.String("m"))
	p.add(scoring.Comparison{Kinds: 4}, table.String("pddl"), table.String("n"))
	want := []string{"pddl, m: the difference of PR holds for tasks of these kinds; 4 kinds cannot tell whether for others."}
	if notes := p.onlyTheseKinds(); !slices.Equal(notes, want) {
		t.Errorf("%q", notes)
	}
}
