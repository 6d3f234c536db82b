package scoring

import (
	"math"
	"testing"

	"heldout/envs/stream"
)

// TestConditionStd: conditions that change nothing are apart by chance alone, and
// one that changes much is apart by that.
func TestConditionStd(t *testing.T) {
	rng := stream.New(1, "conditions")
	play := func(solved float64) *Score {
		outcomes := make([]byte, 300)
		for i := range outcomes {
			if outcomes[i] = 'n'; rng.Float64() < solved {
				outcomes[i] = 'S'
			}
		}
		return playedAs(t, "boxes", string(outcomes))
	}
	var same, apart []*Score
	for range 6 {
		same = append(same, play(0.5))
	}
	for _, rate := range []float64{0.3, 0.5, 0.7} {
		apart = append(apart, play(rate))
	}
	if std, _ := ConditionStd(same); std > 0.02 {
		t.Errorf("conditions alike: %v", std)
	}
	if success, progress := ConditionStd(apart); math.Abs(success-0.2) > 0.05 || success != progress {
		t.Errorf("conditions 0.2 apart: %v and %v", success, progress)
	}
	if std, _ := ConditionStd(same[:1]); !math.IsNaN(std) {
		t.Errorf("one condition: %v", std)
	}
	if std, _ := ConditionStd([]*Score{same[0], newRun(300, 1).score(t)}); !math.IsNaN(std) {
		t.Errorf("an incomplete one: %v", std)
	}
}

// TestConditionStdByHand: two conditions of two tasks, 1 0 and 1 1. The rates 0.5
// and 1 have the sample variance 0.125, and the mean square is 0.25, of two tasks
// 0.125: nothing is left.
func TestConditionStdByHand(t *testing.T) {
	std, _ := ConditionStd([]*Score{playedAs(t, "boxes", "Sn"), playedAs(t, "boxes", "SS")})
	if std > 1e-6 {
		t.Errorf("std = %v, want 0", std)
	}
}
