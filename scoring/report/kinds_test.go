package report

import (
	"slices"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// TestKinds: a model with one game at 50 % and another at 0 % does not read as 25.
func TestKinds(t *testing.T) {
	for _, preset := range []*record.Preset{nil, {Name: "p@1", SHA256: "abcdef"}} {
		m := &record.Manifest{Schema: record.Schema, Environments: []record.Environment{{
			Info: envs.Info{Name: "pddl", Source: envs.Official, StepLimit: 30}, Protocol: preset.Key(), Total: 4,
			Tasks: []envs.Task{{ID: "a", Type: "gripper"}, {ID: "b", Type: "barman"}, {ID: "c", Type: "gripper"},
				{ID: "d"}},
		}}}
		c := record.Condition{Env: "pddl", Source: envs.Official, Model: "random", Agent: "random",
			Perturbation: "none", StepLimit: 30, Preset: preset}
		m.Groups = []record.Group{{Condition: c, Episodes: []string{"0", "1", "2", "3"}}}
		run := scoring.NewRun(m)
		score := 0.25
		for i, outcome := range []record.Outcome{record.Success, record.Failure, record.Failure} {
			run.Add(record.Position{Task: int32(i), Trial: 1},
				&record.Result{Outcome: outcome, Success: outcome == record.Success, Progress: 0.5, Score: &score}, nil)
		}
		scores := sharedtest.Must(scoring.Compute(run, stats.TheseKinds))(t)
		kinds := find(t, everything([]NamedRun{{Name: "run", Scores: scores}}, nil, weights), "kinds")
		same(t, "barman", below(t, kinds, "barman"), "0.0*")
		same(t, "gripper", below(t, kinds, "gripper"), "50.0*")
		same(t, "all", below(t, kinds, "All"), "33.3*")
		hasNote(t, kinds, "(1 not run)")
		lines := kinds.Programs[0]
		same(t, "kinds", below(t, lines, "kind"), "barman", "gripper", "", "", "")
		same(t, "heads", below(t, lines, "head"), "barman", "gripper", "barman", "gripper", "All")
		same(t, "tasks", below(t, lines, "tasks"), "1", "2", "1", "2", "3")
		same(t, "success", below(t, lines, "success"), "0.0*", "50.0*", "0.0*", "50.0*", "33.3*")
		same(t, "progress", below(t, lines, "progress"), slices.Repeat([]string{"50.0*"}, 5)...)
		if preset != nil {
			same(t, "values", below(t, lines, "metric_value"), slices.Repeat([]string{"25.0*"}, 5)...)
		}
	}
}
