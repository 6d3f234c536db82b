package serve

import (
	"math"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

func TestRewards(t *testing.T) {
	for _, c := range []struct {
		o      MountOptions
		s      envs.Step
		before float64
		want   float64
	}{
		{MountOptions{Reward: RewardSuccess}, envs.Step{Progress: 0.5, Valid: true}, 0.25, 0},
		{MountOptions{Reward: RewardSuccess}, envs.Step{Progress: 1, Success: true, Valid: true}, 0.25, 1},
		{MountOptions{Reward: RewardProgress}, envs.Step{Progress: 0.5}, 0.25, 0.5},
		{MountOptions{Reward: RewardDelta}, envs.Step{Progress: 0.5, Valid: true}, 0.25, 0.25},
		{MountOptions{Reward: RewardDelta, StepCost: 0.5}, envs.Step{Progress: 0.5, Valid: true}, 0.25, -0.25},
		{MountOptions{Reward: RewardDelta, StepCost: 0.25, InvalidPenalty: 0.5}, envs.Step{}, 0, -0.75},
		{MountOptions{Reward: RewardSuccess, InvalidPenalty: 0.5}, envs.Step{Valid: true}, 0, 0},
	} {
		sharedtest.Equal(t, c.o.reward(c.s, c.before), c.want, c.o, c.s)
	}
	for _, bad := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		if CheckCost("step-cost", bad) == nil {
			t.Errorf("%v is a cost", bad)
		}
	}
}
