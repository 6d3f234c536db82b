package report

import (
	"slices"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/record"
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
		var runs []NamedRun
		for _, name := range c.names {
			runs = append(runs, NamedRun{Name: name})
		}
		sharedtest.Same(t, label(runs), c.want, c.names)
	}
}

// The tables say which directories the labels stand for.
func TestDirectories(t *testing.T) {
	rows := []row{
		{run: "run 1", directory: "a/run", line: "m (run 1)"},
		{run: "run 1", directory: "a/run", line: "m (agent act, run 1)"},
		{run: "run 2", directory: "b/run", line: "m (run 2)"}, {run: "run 2", directory: "b/run", line: "other"},
	}
	sharedtest.Same(t, directories(rows), []string{"run 1: a/run.", "run 2: b/run."})
	if got := directories(rows[3:]); got != nil {
		t.Errorf("%q", got)
	}
}

// What holds for these kinds alone is said, where it holds after correction.
func TestOnlyTheseKinds(t *testing.T) {
	var pairs pairing
	add := func(name string, about stats.Question, p, other float64) {
		change := scoring.Change{Difference: stats.Difference{P: p}, NewKindsP: other}
		pairs.add(scoring.Comparison{About: about, Kinds: 4, Success: scoring.Change{Difference: stats.Difference{P: 1},
			NewKindsP: 1}, Progress: change}, column.Environment.Val("pddl"), column.Model.Val(name))
	}
	add("m", stats.TheseKinds, 0.001, 0.2)
	add("n", stats.TheseKinds, 0.001, 0.002)
	add("corrected", stats.TheseKinds, 0.03, 0.2) // 0.06 by Holm
	add("corrected too", stats.TheseKinds, 0.03, 0.2)
	add("others corrected", stats.TheseKinds, 0.001, 0.04) // 0.16 by Holm
	add("other", stats.NewKinds, 0.001, 1)
	var got []string
	k, _ := Find("best-of-paired")
	filled := table.Table{Columns: k.Columns()}
	pairs.fill(&filled, nil)
	for _, note := range filled.Notes {
		if strings.Contains(note, "too few to say") {
			got = append(got, note)
		}
	}
	const holds = ": the difference of PR holds for tasks of these kinds; 4 kinds are too few to say so of other kinds."
	sharedtest.Same(t, got, []string{"pddl, m" + holds, "pddl, others corrected" + holds})
}

// A run has one name in all tables: the name of a model which two runs played in one place does not change with the
// place, and a table that has only one of them says the same.
func TestOneName(t *testing.T) {
	here := group{"pddl", envs.Official, 4, "vllm:M", 0, nil, "SSff"}
	other := here
	other.change = func(c *record.Condition) { c.PromptHash = "fedcba9876543210" }
	tables := everything([]NamedRun{
		newRun(t, "first", group{"babyai", envs.Official, 4, "vllm:M", 0, nil, "SSff"}, here),
		newRun(t, "second", other),
	}, nil, weights)
	for _, tb := range tables {
		i := slices.IndexFunc(tb.Columns, func(c table.Column) bool { return c.Key == "model" })
		for _, cells := range tb.Rows {
			if name := cells[i].Text; name != "M (first)" && name != "M (second)" {
				t.Errorf("table %s has %q", tb.ID, name)
			}
		}
	}
	same(t, "babyai", below(t, find(t, tables, "results"), "model"), "M (first)", "M (first)", "M (second)")
	hasNote(t, find(t, tables, "results"), "M (second) on PDDL: prompt fedcba98.")
}
