package report

import (
	"slices"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// A bill counts all attempts, also failed ones, perturbed episodes and reflections.
func TestCost(t *testing.T) {
	perturbed := func(c *record.Condition) { c.Perturbation = "P1" }
	of := newRun(t, "runs/a",
		group{env: "babyai", tasks: 2, model: "vllm:m", outcomes: "Sf"},
		group{env: "pddl", tasks: 2, model: "vllm:m", outcomes: "Sm"},
		group{env: "pddl", tasks: 2, model: "vllm:m", outcomes: "S-", change: perturbed},
		group{env: "pddl", tasks: 2, model: "expert", outcomes: "SS"})
	for _, s := range of.Scores {
		if s.Condition.Model == "vllm:m" {
			s.Spent.Calls, s.Spent.PromptTokens, s.Spent.CompletionTokens = 10, 1000, 104
			s.Spent.CachedTokens, s.Spent.ReasoningTokens = 600, 40
		}
	}
	free := find(t, everything([]NamedRun{of}, nil, weights), "cost")
	if free.Columns[len(free.Columns)-1].Key == "dollars_per_solved" {
		t.Error("there are dollars without a price")
	}
	hasNote(t, free, "Dollars need prices: give --set prices=SPEC=INPUT/CACHED/OUTPUT.")
	cached := 0.25
	of.Prices = configs.Prices{"m": {Input: 2.5, Cached: &cached, Output: 10}}
	paid := find(t, everything([]NamedRun{of}, nil, weights), "cost")
	same(t, "environments", below(t, paid, "environment"), "babyai", "pddl", "all")
	same(t, "calls", below(t, paid, "calls"), "10", "20", "30")
	same(t, "cached", below(t, paid, "cached_tokens"), "600", "1200", "1800")
	same(t, "dollars", below(t, paid, "dollars"), "0.0022", "0.0044", "0.0066")
	same(t, "per solved", below(t, paid, "dollars_per_solved"), "0.0022", "0.0022", "0.0022")
	same(t, "per episode", below(t, paid, "dollars_per_episode"), "0.0011", "0.0022", "0.0016")
	err := CheckModels([]NamedRun{of}, nil, configs.Prices{"vllm:other": {}}, nil)
	sharedtest.Fails(t, err, "which no run has")
}

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
		scores := scoring.Compute(run, stats.TheseKinds)
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
