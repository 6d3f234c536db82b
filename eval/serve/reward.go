package serve

import (
	"fmt"
	"strings"

	"heldout/envs"
)

// Reward says what the reward of a step is.
type Reward string

// The rewards.
const (
	// RewardSuccess is 1 at the step that solves the task and 0 at every other, so
	// that the sum of an episode and its last value agree.
	RewardSuccess Reward = "success"
	// RewardProgress is the progress after the step.
	RewardProgress Reward = "progress"
	// RewardDelta is the change of the progress.
	RewardDelta Reward = "delta"
)

// Rewards are all rewards, the default first.
func Rewards() []Reward { return []Reward{RewardSuccess, RewardProgress, RewardDelta} }

// Check reports a reward that does not exist.
func (r Reward) Check() error {
	switch r {
	case RewardSuccess, RewardProgress, RewardDelta:
		return nil
	}
	return fmt.Errorf("unknown reward %q; there are %s", r, strings.Trim(fmt.Sprint(Rewards()), "[]"))
}

// CheckCost reports a cost that is not from 0 to 1.
func CheckCost(name string, cost float64) error {
	if !(cost >= 0 && cost <= 1) {
		return fmt.Errorf("%s is %v, want a number from 0 to 1", name, cost)
	}
	return nil
}

// reward returns the reward of a step. prev is the progress before it.
func (o *MountOptions) reward(s envs.Step, prev float64) float64 {
	r := o.Reward.gross(s, prev) - o.StepCost
	if !s.Valid {
		r -= o.InvalidPenalty
	}
	return r
}

// gross returns the reward of a step without its costs.
func (r Reward) gross(s envs.Step, prev float64) float64 {
	switch r {
	case RewardProgress:
		return s.Progress
	case RewardDelta:
		return s.Progress - prev
	}
	if s.Success {
		return 1
	}
	return 0
}
