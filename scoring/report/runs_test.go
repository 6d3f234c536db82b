package report

import (
	"slices"
	"strings"
	"testing"

	"heldout/scoring"
	"heldout/scoring/stats"
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

// Where interval and test disagree, a note says so: with five tasks that differ
// p is 0.062 at least.
func TestDisagreement(t *testing.T) {
	d, ok := stats.Paired([]float64{0, 0, 0, 0, 0, 0}, []float64{0, 0.1, 0.15, 0.2, 0.15, 0.2}, scoring.Level, nil)
	if !ok || d.High >= 0 || d.P != 0.0625 {
		t.Fatalf("%+v", d)
	}
	agree, ok := stats.Paired([]float64{0, 0, 0, 0}, []float64{0, 0.1, -0.1, 0.2}, scoring.Level, nil)
	if !ok {
		t.Fatal(agree)
	}
	var p pairing
	p.add(scoring.Comparison{Success: d, Progress: agree}, table.String("pddl"), table.String("m"))
	notes := p.disagreements()
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "Interval and test disagree about a difference: pddl m, SR (p 0.062 before any correction). ") {
		t.Errorf("%q", notes)
	}
}
