package report

import (
	"fmt"
	"testing"

	"heldout/envs"
	"heldout/scoring/record"
	"heldout/scoring/refinement"
)

// TestOldFormTable: twelve tasks, each of two old actions and one new one. Every second
// episode learns, two steps after its first refusal.
func TestOldFormTable(t *testing.T) {
	env := record.Environment{Info: envs.Info{Name: "pddl", Source: envs.Generated, StepLimit: 30}, Total: 12}
	m := &record.Manifest{Schema: record.Schema, Groups: make([]record.Group, 2)}
	var results []record.Result
	var counts []refinement.Counts
	counter := refinement.NewCounter(nil)
	old, now, other := record.Step{OldForm: "go to {recep}"}, record.Step{NewForm: "go to {recep}", Valid: true},
		record.Step{NewForm: "look", Valid: true}
	for i := range 12 {
		env.Tasks = append(env.Tasks, envs.Task{ID: fmt.Sprintf("t%d", i), Index: i, Type: "kind",
			Digest: fmt.Sprint(i)})
		for k, perturbation := range []string{"none", "verbs:2"} {
			g := &m.Groups[k]
			g.Condition = record.Condition{Env: "pddl", Source: envs.Generated, Model: "vllm:M", Agent: "react",
				Perturbation: perturbation, StepLimit: 30}
			e := record.Episode{Result: record.Result{ID: fmt.Sprintf("%d-%d", k, i), Attempt: 1,
				Outcome: record.Failure, Steps: 3}, Trajectory: []record.Step{{Valid: true}}}
			if k == 1 {
				e.Trajectory = [][]record.Step{{old, old, now}, {old, old, other}}[i%2]
			}
			g.Episodes = append(g.Episodes, e.ID)
			results = append(results, e.Result)
			counts = append(counts, counter.Count(&e, refinement.Marked))
		}
	}
	m.Environments = []record.Environment{env}
	forms := 2
	m.Sweep = &record.Sweep{Env: "pddl", Perturbations: []record.Perturbation{
		{Name: "verbs:2", Title: "synonyms", Parts: parts("verbs:2"), Forms: &forms},
	}}
	tables := everything([]NamedRun{{Name: "runs/a", Scores: scoresFrom(t, m, results, counts), Manifest: *m}}, nil,
		weights)
	o := find(t, tables, "old-forms")
	for key, want := range map[string]string{
		"perturbation": "verbs:2", "actions": "36", "old": "66.7", "episodes": "12", "refused": "12", "never": "6",
		"within_1": "0.0", "within_3": "–", "median_steps": "2",
	} {
		same(t, key, below(t, o, key), want)
	}
	hasNote(t, o, "they are censored at their end")
}
