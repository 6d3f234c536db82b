package configs

import (
	"testing"

	"heldout/envs/sharedtest"
)

func TestLoadWeights(t *testing.T) {
	w := sharedtest.Must(LoadWeights())(t)
	want := Weights{
		Source: "AgentRefine (ICLR 2025), Table 6",
		HeldOut: []Weight{
			{Env: "babyai", Weight: 112},
			{Env: "sciworld", Weight: 90},
			{Env: "pddl", Weight: 60},
			{Env: "jericho", Weight: 20},
		},
		HeldIn: []string{"alfworld"},
	}
	sharedtest.Same(t, w, want, "weights")
}
