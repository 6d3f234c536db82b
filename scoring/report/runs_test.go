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

// A model's name may hold a "=", at which a flag divides.
func TestSettleNames(t *testing.T) {
	runs := []NamedRun{{}}
	for _, name := range []string{"vllm:lr=2e-5", "vllm:a", "vllm:a=b=c"} {
		runs[0].Scores = append(runs[0].Scores, &scoring.Score{Condition: record.Condition{Model: name}})
	}
	names := map[string]string{"vllm:lr": "2e-5=tuned", "vllm:a": "x=y", "a": "b=c=deep", "other": "p=q"}
	settleNames(runs, names)
	want := map[string]string{"vllm:lr=2e-5": "tuned", "vllm:a": "x=y", "a": "b=c=deep", "other": "p=q"}
	sharedtest.Same(t, names, want)
}

func TestCheckMixed(t *testing.T) {
	run := func(name string, protocols ...string) NamedRun {
		r := NamedRun{Name: name}
		for _, p := range protocols {
			c := record.Condition{Env: "alfworld"}
			if p != "" {
				c.Preset = &record.Preset{Name: p, SHA256: strings.Repeat(p[:1], 64)}
			}
			r.Scores = append(r.Scores, &scoring.Score{Condition: c})
		}
		return r
	}
	other := NamedRun{Name: "c", Scores: []*scoring.Score{{Condition: record.Condition{Env: "pddl"}}}}
	for _, c := range []struct {
		runs []NamedRun
		want string // empty for no error
	}{
		{[]NamedRun{run("a", "x"), run("b", "x")}, ""},
		{[]NamedRun{run("a", "x", "y"), run("b", "y")}, ""},
		{[]NamedRun{run("a", "x", "y")}, ""},
		{[]NamedRun{run("a", ""), run("b", "")}, ""},
		{[]NamedRun{run("a", "x"), other}, ""},
		{[]NamedRun{run("a", "x"), run("b", "y")},
			"a has x (xxxx…) of alfworld, and b has y (yyyy…): their numbers do not compare"},
		{[]NamedRun{run("a", ""), run("b", "y")}, "a has the default protocol of alfworld, and b has y"},
		{[]NamedRun{run("a", "x"), other, run("b", "x"), run("d", "z")}, "a has x (xxxx…) of alfworld, and d has z"},
	} {
		err := CheckMixed(c.runs)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// other has the benchmark's tasks in a group replaced by tasks outside it.
func other(r NamedRun) NamedRun {
	for _, s := range r.Scores {
		for i := range s.Environment.Tasks {
			s.Environment.Tasks[i].Index = -1
		}
		s.Outside = len(s.Environment.Tasks)
	}
	return r
}

// TestOutside: results on tasks outside a benchmark share no row, no difference and no
// score with the benchmark's, however many they are.
func TestOutside(t *testing.T) {
	both := func(outcomes string) []group {
		return []group{{"babyai", envs.Official, 4, "vllm:M", 0, nil, outcomes},
			{"pddl", envs.Official, 4, "vllm:M", 0, nil, outcomes}}
	}
	alone := everything([]NamedRun{other(newRun(t, "outside", both("SSSS")...))}, []Baseline{baseline("paper")},
		weights)
	same(t, "tasks", below(t, find(t, alone, "results"), "task_set"), "4 outside the benchmark",
		"4 outside the benchmark")
	same(t, "held-out", on(t, find(t, alone, "rates"), column.HeldOutScore, "model"), "GPT-9 [paper]")
	if slices.ContainsFunc(find(t, alone, "headline").Columns, func(c table.Column) bool {
		return c.Key == column.HeldOutScore
	}) {
		t.Error("tasks outside the benchmarks have a held-out score")
	}
	same(t, "numbers", below(t, find(t, alone, "tasks"), "index"), "–", "–", "–", "–", "–", "–", "–", "–")

	runs := []NamedRun{newRun(t, "benchmark", both("SSff")...), other(newRun(t, "outside", both("SSSS")...))}
	tables := everything(runs, nil, weights)
	h := find(t, tables, "headline")
	same(t, "names", below(t, h, "model"), "M")
	for place, want := range map[string]string{
		column.HeldOutScore: "50.0", "babyai": "50.0", "babyai (other tasks)": "100.0", "pddl": "50.0",
		"pddl (other tasks)": "100.0",
	} {
		same(t, place, below(t, h, place), want)
	}
	if slices.ContainsFunc(tables, func(tb table.Table) bool { return tb.ID == "verdict" && len(tb.Rows) > 0 }) {
		t.Error("tasks outside the benchmark are compared with those of the benchmark")
	}
}
