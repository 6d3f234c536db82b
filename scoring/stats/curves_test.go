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
<<<<<<< HEAD

// TestCurves simulates curves of progress over steps on the benchmarks: each of their
// intervals holds the true mean as often as it says, and none of their lower limits
// falls by much while the curve rises.
func TestCurves(t *testing.T) {
	sharedtest.Heavy(t)
	runs := sharedtest.Times(t, 60, 30)
	if *coverageRuns > 0 {
		runs = *coverageRuns
	}
	var rates []float64
	for p := 0.5; p < 0.99; p += 0.03 {
		rates = append(rates, p)
	}
	for _, b := range sharedtest.Sample(t, benchmarks()[:5], 2) {
		for _, q := range questionsOf(b) {
			s := sampling(t, q, b.groups)
			worlds, effects := make([]*world, len(rates)), make([][]float64, len(rates))
			for i, p := range rates {
				w := newWorld("normal", b, 1, 1, true)
				w.solve(p)
				worlds[i] = w
				for _, k := range w.shape {
					effects[i] = append(effects[i], w.rate(w.base, k))
				}
			}
			held, falls := make([]float64, len(rates)), []float64(nil)
			for run := range runs {
				before, fall := Interval{}, 0.0
				for i, p := range rates {
					rng := stream.New(1, "curves", b.name, fmt.Sprint(run)) // the same draws at every point
					d := worlds[i].draw(rng, b.groups, effects[i])
					truth, at := p, s.Rate(means(d.episodes)).Interval
					if q == TheseKinds {
						truth = d.ofKinds
					}
					if at.Low <= truth && truth <= at.High {
						held[i] += 1 / float64(runs)
					}
					fall = max(fall, before.Low-at.Low)
					before = at
				}
				falls = append(falls, fall)
			}
			slices.Sort(falls)
			t.Logf(
				"| %s | %s | %.1f-%.1f (%.1f) | falls of the lower limit in points: median %.1f, 95 %% %.1f, largest %.1f |", b.name, q,
				100*least(held), 100*most(held), 100*Mean(held), 100*falls[runs/2], 100*falls[runs*95/100],
				100*falls[runs-1])
			if Mean(held) < 0.93 || least(held) < 0.84 {
				t.Errorf("%s, %s: coverage %.3f, at least %.3f", b.name, q, Mean(held), least(held))
			}
		}
	}
}
=======
>>>>>>> w69a
