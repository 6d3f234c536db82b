package report

import (
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/scoring/record"
)

// under is a change to a condition: a perturbation.
func under(name string) func(*record.Condition) {
	return func(c *record.Condition) { c.Perturbation, c.PerturbationHash = name, "hash of "+name }
}

// sweepRuns are two sweeps: one of a model with another in its place for P5, an expert and a model that is not
// complete, the other of a model that never saw data of the environment and of a perturbation of a user.
func sweepRuns(t *testing.T) []NamedRun {
	instead := func(c *record.Condition) {
		under("P5")(c)
		c.Substitute = "vllm:M"
	}
	one := newRun(t, "runs/one",
		group{"alfworld", envs.Official, 4, "vllm:M", 0, nil, "SSSf"},
		group{"alfworld", envs.Official, 4, "expert", 0, nil, "SSSS"},
		group{"alfworld", envs.Official, 4, "vllm:N", 0, nil, "SSff"},
		group{"alfworld", envs.Official, 4, "vllm:M", 0, under("P1"), "Sfff"},
		group{"alfworld", envs.Official, 4, "expert", 0, under("P1"), "SSSS"},
		group{"alfworld", envs.Official, 4, "vllm:N", 0, under("P1"), "Smff"},
		group{"alfworld", envs.Official, 4, "vllm:M-", 0, instead, "ffff"},
	)
	one.Sweep = &record.Sweep{Env: "alfworld", Perturbations: []record.Perturbation{
		{Name: "P1", Title: "other verbs", SHA256: "hash of P1"},
		{Name: "P5", Title: "another model", SHA256: "hash of P5", Model: "no-ind", Base: []string{"expert"}},
	}}
	two := newRun(t, "runs/two",
		group{"alfworld", envs.Official, 4, "vllm:K", 0, nil, "SSff"},
		group{"alfworld", envs.Official, 4, "vllm:K", 1, nil, "Sfff"},
		group{"alfworld", envs.Official, 4, "vllm:K", 0, under("mine"), "ffff"},
		group{"alfworld", envs.Official, 4, "vllm:K", 1, under("mine"), "Sfff"},
	)
	two.Sweep = &record.Sweep{Env: "alfworld", Perturbations: []record.Perturbation{
		{Name: "mine", Title: "a rule of mine", SHA256: "hash of mine"},
		{Name: "P5", Title: "another model", SHA256: "hash of P5", Model: "no-ind", Base: []string{"vllm:K"}},
	}}
	return []NamedRun{one, two}
}

// published is a table of conditions.
func published() Baseline {
	b := baseline("paper:robust")
	b.Table = configs.PublishedTable{ID: "robust", Title: "Robustness", Env: "alfworld", Columns: []string{
		"base", "P1", "P5"}, Rows: []configs.PublishedRow{
		{Model: "Tuned", Base: "Llama", HeldIn: []string{"base", "P1"}, Success: percents(60, 30, 6),
			Progress: percents(80, 50, -1)},
	}}
	return b
}

func TestRobustness(t *testing.T) {
	tables := everything(sweepRuns(t), []Baseline{published(), baseline("paper")}, weights)
	same(t, "tables", ids(tables), "headline", "verdict", "paper", "paper-robustness", "paper-best-of", "results",
		"robustness", "change", "pass-at-k", "kinds", "notes")
	r := find(t, tables, "robustness")
	same(t, "models", below(t, r, "model"),
		"M", "M", "expert", "expert", "N", "N", "K", "K", "Tuned, Llama [paper:robust]",
		"Tuned, Llama [paper:robust]")
	same(t, "rates", below(t, r, "rate"), "SR", "PR", "SR", "PR", "SR", "PR", "SR", "PR", "SR", "PR")
	same(t, "base", below(t, r, "condition_base"), "75.0 a", "87.5", "100.0", "100.0", "50.0 a", "75.0", "37.5 a",
		"68.8", "60.0†", "80.0†")
	same(t, "P1", below(t, r, "condition_P1"), "25.0", "62.5", "100.0", "100.0", "33.3*", "66.7*", "–", "–", "30.0†",
		"50.0†")
	same(t, "P5", below(t, r, "condition_P5"), "0.0", "50.0", "100.0§", "100.0§", "–", "–", "37.5§", "68.8§",
		"6.0", "–")
	same(t, "mine", below(t, r, "condition_mine"), "–", "–", "–", "–", "–", "–", "12.5", "56.2", "–", "–")
	same(t, "average", below(t, r, "average"), "33.3", "66.7", "100.0", "100.0", "41.7*‡", "70.8*‡", "29.2‡",
		"64.6‡", "32.0", "65.0‡")
	// 60, 30 and 6: the deviations of three numbers, by hand.
	same(t, "population", below(t, r, "population_std")[8:], "22.1", "15.0")
	same(t, "sample", below(t, r.Programs[0], "sample_std")[8:], "27.1", "21.2")
	notes := find(t, tables, "notes")
	for _, note := range []string{"P1: other verbs.", "mine: a rule of mine.", reuseMark + " ",
		incompleteMark + " 1 of", "[paper:robust]: A paper; Robustness."} {
		hasNote(t, notes, note)
	}
	hasNote(t, notes, "P5 was not played for N: name its model")
	hasNoNote(t, notes, "not the same in all runs")
	c := find(t, tables, "change")
	same(t, "compared", below(t, c, "model"), "M", "M", "expert", "K")
	same(t, "perturbations", below(t, c, "perturbation"), "P5, M-", "P1", "P1", "mine")
	same(t, "change", below(t, c, "success_difference"), "-75.0", "-50.0", "0.0", "-25.0")
	hasNote(t, c, "N: P1 cannot be compared with none: not every planned episode has a result.")
	hasNote(t, c, "corrected for 4 comparisons of this table (Holm), SR and PR separately "+
		"(of SR 2: p and interval of the other 2")
	runs := sweepRuns(t)[:1] // nobody plays P5
	runs[0].Scores, runs[0].Sweep.Perturbations[1].Base = runs[0].Scores[:6], nil
	hasNote(t, find(t, everything(runs, nil, weights), "robustness"), "not compared (N: 3 of 4 episodes under P1)")
}

// Rules of one name that are not the same are not passed over.
func TestOtherRules(t *testing.T) {
	runs := sweepRuns(t)
	runs[1].Sweep.Perturbations[1].SHA256 = "of other rules"
	hasNote(t, find(t, everything(runs, nil, weights), "notes"), "The rules of P5 differ between runs")
}

// A sweep beside a plain run: each has its tables.
func TestSweepBesideRun(t *testing.T) {
	plain := newRun(t, "runs/plain", group{"pddl", envs.Official, 4, "vllm:M", 0, nil, "SSSf"})
	tables := everything(append(sweepRuns(t), plain), []Baseline{baseline("paper"), published()}, weights)
	same(t, "tables", ids(tables), "headline", "verdict", "paper", "paper-robustness", "paper-best-of", "results",
		"difficulty", "abilities", "robustness", "change", "pass-at-k", "kinds", "kinds", "notes")
}
