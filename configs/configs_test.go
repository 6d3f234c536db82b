package configs_test

import (
	"testing"

	"heldout/envs/sharedtest"

	"github.com/google/go-cmp/cmp"

	"heldout/configs"
)

func TestLoadWeights(t *testing.T) {
	w := sharedtest.Must(configs.LoadWeights())(t)
	want := configs.Weights{
		Source: "AgentRefine (ICLR 2025), Table 6",
		HeldOut: []configs.Weight{
			{Env: "babyai", Weight: 112},
			{Env: "sciworld", Weight: 90},
			{Env: "pddl", Weight: 60},
			{Env: "jericho", Weight: 20},
		},
		HeldIn: []string{"alfworld"},
	}
	if diff := cmp.Diff(want, w); diff != "" {
		t.Errorf("weights (-want +got):\n%s", diff)
	}
	sum := 0.0
	for _, h := range w.HeldOut {
		sum += h.Weight
	}
	if sum != 282 {
		t.Errorf("the weights sum to %v, want 282", sum)
	}
}
