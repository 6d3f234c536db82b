package stats

import (
	"math"
	"testing"
)

// TestRateIsContinuous moves the value of one task from 0 to 1: the interval moves with
// it and never jumps, however many tasks carry the mean.
func TestRateIsContinuous(t *testing.T) {
	const tasks, step = 20, 1.0 / 256
	s := plainSampling(tasks, 0.95)
	for others := range 10 {
		for _, progress := range []float64{0.25, 0.75} {
			values := make([]float64, tasks)
			for i := range values {
				values[i] = 1
				if i > 0 && i <= others {
					values[i] = progress
				}
			}
			values[0] = step
			before := s.Rate(values)
			for values[0] < 1-step {
				values[0] += step
				after := s.Rate(values)
				if moved := max(math.Abs(after.Low-before.Low), math.Abs(after.High-before.High)); moved > 4*step {
					t.Fatalf("%d tasks at %v and one at %v: [%v, %v] becomes [%v, %v]", others, progress, values[0],
						before.Low, before.High, after.Low, after.High)
				}
				before = after
			}
		}
	}
}
