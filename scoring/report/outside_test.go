package report

import (
	"slices"
	"testing"

	"heldout/envs"
	"heldout/scoring/column"
	"heldout/scoring/table"
)

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
// score with those of the benchmark, however many they are.
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
