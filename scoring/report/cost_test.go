package report

import (
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/scoring/record"
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
