package stats

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// pairedContrast is the contrast of tasks that are drawn by a sampling.
func pairedContrast(s Sampling, after, before []float64, seeds int) func(u, v float64) (Difference, error) {
	return func(u, v float64) (Difference, error) {
		diffs := make([]float64, len(after))
		for i := range diffs {
			diffs[i] = u*after[i] - v*before[i]
		}
		return s.Paired(diffs, seeds), nil
	}
}

// lossWorld plays tasks before and after a change that takes a share of the rate.
type lossWorld struct {
	world
	after      float64 // base in logits
	conditions int     // whose mean counts
	shared     bool    // the tasks' effects are the same before and after
	counts     float64 // chance that a condition counts on a task
}

// draw plays a benchmark: the rates of the tasks before and after, and the share of
// the rate of these kinds that is lost in truth.
func (w *lossWorld) draw(rng *rand.Rand, groups []Group, ratesBefore, ratesAfter []float64) (before, after []float64,
	lost float64) {
	var sumBefore, sumAfter float64
	w.each(rng, groups, func(kind int, effect float64) {
		sumBefore, sumAfter = sumBefore+ratesBefore[kind], sumAfter+ratesAfter[kind]
		task := w.task * pick(rng, w.normal)
		rate := share(rng, w.seeds, logistic(w.base+effect+task))
		if !w.shared {
			task = w.task * pick(rng, w.normal)
		}
		mean, counted := 0.0, 0.0
		for range w.conditions {
			if w.counts == 1 || rng.Float64() < w.counts {
				mean += share(rng, w.seeds, logistic(w.after+effect+task)) / float64(w.conditions)
				counted += 1 / float64(w.conditions)
			}
		}
		before, after = append(before, rate*counted), append(after, mean)
	})
	return before, after, 1 - sumAfter/sumBefore
}

// player plays a benchmark and returns the share that is lost, and the true one.
func (w *lossWorld) player(t *testing.T, b benchmark, q Question, p, lost float64) func() (Lost, float64, error) {
	t.Helper()
	after := w.world.solve(p * (1 - lost))
	w.after = w.base
	before := w.world.solve(p)
	s := sampling(t, q, b.groups)
	rng := stream.New(1, "lost", b.name, string(q),
		fmt.Sprint(p, lost, w.kind, w.seeds, w.conditions, w.shared, w.counts))
	return func() (Lost, float64, error) {
		y, x, truth := w.draw(rng, b.groups, before, after)
		if q == NewKinds {
			truth = lost
		}
		l, err := LostShare(Mean(x), Mean(y), false, pairedContrast(s, x, y, w.seeds))
		return l, truth, err
	}
}

// newLossWorld has kinds that differ by the standard deviation in logits, and as many conditions.
func newLossWorld(b benchmark, std float64, seeds, conditions int, shared bool, counts float64) *lossWorld {
	w := &lossWorld{world: *newWorld("normal", b, std, seeds, false), conditions: conditions, shared: shared,
		counts: counts}
	w.task = 1.5
	return w
}

// TestMeanLostCovers simulates all benchmarks at once: the mean of the shares that are
// lost. Shares and rates differ between them. With -coverage 500 -v it plays more cells.
func TestMeanLostCovers(t *testing.T) {
	sharedtest.Heavy(t)
	runs, counts := sharedtest.Times(t, 100, 50), []float64{0.5}
	if *coverageRuns > 0 {
		runs, counts = *coverageRuns, []float64{1, 0.5, 0.2}
	}
	for _, q := range []Question{TheseKinds, NewKinds} {
		for _, seeds := range sharedtest.Sample(t, []int{1, 10}, 1) {
			var row coverages
			for _, of := range counts {
				for _, lost := range []float64{0, 0.5, 0.9} {
					var players []func() (Lost, float64, error)
					for i, b := range benchmarks() {
						players = append(players, newLossWorld(b, 1, seeds, 4, true, of).player(t, b, q,
							0.3+0.1*float64(i), lost*(0.7+0.05*float64(i))))
					}
					covered, _ := covering(runs, func() (truth float64, in Interval, err error) {
						var parts []Lost
						for _, play := range players {
							if l, real, err := play(); err == nil {
								parts, truth = append(parts, l), truth+real
							}
						}
						return truth / float64(len(parts)), MeanLost(parts, 0.95).Interval, nil
					})
					row = append(row, covered)
				}
			}
			row.check(t, fmt.Sprintf("%s, %d seeds", q, seeds), 0.88, 0.88)
		}
	}
}

// TestLostShareCovers simulates the benchmarks: rates of which a part is lost. No cell
// may cover less than 88 %, or 75 % for new kinds on the whole grid, and no benchmark less than 93 % on average. Cells
// count if
// half of the runs have an interval. With -coverage 500 -v it plays the whole grid,
// with rates of 10 to 90 % that rise by a tenth or lose up to nine tenths.
func TestLostShareCovers(t *testing.T) {
	sharedtest.Heavy(t)
	runs, stds, rates, losses := sharedtest.Times(t, 200, 80), []float64{1}, []float64{0.1, 0.5}, []float64{0, 0.5}
	conditions, sharings, of := []int{4}, []bool{true}, sharedtest.Sample(t, benchmarks()[:5], 1)
	if *coverageRuns > 0 {
		runs, stds, rates, losses = *coverageRuns, []float64{0, 1, 1.5}, []float64{0.1, 0.3, 0.5, 0.9},
			[]float64{-0.1, 0, 0.2, 0.5, 0.9}
		conditions, sharings, of = []int{1, 8}, []bool{true, false}, benchmarks()
	}
	var worlds []func(b benchmark, seeds int) *lossWorld
	for _, std := range stds {
		for _, n := range conditions {
			for _, shared := range sharings {
				for _, counts := range []float64{1, 0.5} {
					worlds = append(worlds, func(b benchmark, seeds int) *lossWorld {
						return newLossWorld(b, std, seeds, n, shared, counts)
					})
				}
			}
		}
	}
	for _, b := range of {
		for _, q := range questionsOf(b) {
			floor := 0.88
			if q == NewKinds && *coverageRuns > 0 { // few kinds that differ much, of which nearly all is lost
				floor = 0.75
			}
			for _, seeds := range []int{1, 10} {
				var row coverages
				for _, world := range worlds {
					for _, p := range rates {
						for _, lost := range losses {
							play := world(b, seeds).player(t, b, q, p, lost)
							covered, bounded := covering(runs, func() (float64, Interval, error) {
								l, truth, err := play()
								return truth, l.Interval, err
							})
							if bounded >= 0.5 { // else it is mostly refused
								row = append(row, covered)
							}
						}
					}
				}
				row.check(t, fmt.Sprintf("%s, %s, %d seeds, %d cells", b.name, q, seeds, len(row)), floor, 0.93)
			}
		}
	}
}

// TestLostShareByHand has ten tasks of one kind that a model solves, and five of them after the change. With t² =
// 5.117354 (9 degrees of freedom) and the variance 0.25/9 = 1/36 of the rate after, the limits of what is kept, r,
// solve 100·(0.5-r)² = t²·(100/36 + 2 + 2·(0.5-r)²) for r up to 1, and with u = 1/r 100·(0.5u-1)² = t²·(100u²/36 +
// 2 + 2·(0.5u-1)²) beyond.
func TestLostShareByHand(t *testing.T) {
	groups := make([]Group, 10)
	var before, after []float64
	for i := range groups {
		groups[i] = Group{"kind", fmt.Sprint(i)}
		before, after = append(before, 1), append(after, float64(i%2))
	}
	s := sampling(t, TheseKinds, groups)
	l := sharedtest.Must(LostShare(0.5, 1, false, pairedContrast(s, after, before, 1)))(t)
	near(t, "Value", l.Value, 0.5, 1e-12)
	near(t, "Low", l.Low, 1-1/0.972693, 1e-5)
	near(t, "High", l.High, 1, 0)
	near(t, "P", l.P, 0.0575, 1e-4)
	// After is 0 for all: 100·r² = t²·(2 + 2r²), and no more than all can be lost.
	l = sharedtest.Must(LostShare(0, 1, false, pairedContrast(s, make([]float64, 10), before, 1)))(t)
	near(t, "Value", l.Value, 1, 0)
	near(t, "Low", l.Low, 1-math.Sqrt(2*5.117354/(100-2*5.117354)), 1e-6)
	near(t, "High", l.High, 1, 0)
}

// TestNoLostShare: a rate of 0 has no share, and one that is not certainly above 0 has no interval.
func TestNoLostShare(t *testing.T) {
	s := sampling(t, TheseKinds, twelve)
	none, few := make([]float64, 12), make([]float64, 12)
	few[3] = 1
	if l, err := LostShare(Mean(few), 0, false, pairedContrast(s, few, none, 1)); !errors.Is(err, ErrNothing) ||
		!math.IsNaN(l.Value) || !math.IsNaN(l.High) {
		t.Errorf("a rate of 0 before: %+v, %v", l, err)
	}
	l, err := LostShare(0, Mean(few), false, pairedContrast(s, none, few, 1))
	if !errors.Is(err, ErrNoBase) || l.Value != 1 || !math.IsNaN(l.Low) || math.IsNaN(l.P) {
		t.Errorf("one task of twelve before: %+v, %v", l, err)
	}
	bad := errors.New("no design")
	fails := func(u, v float64) (Difference, error) { return Difference{}, bad }
	if _, err := LostShare(0.5, 1, false, fails); !errors.Is(err, bad) {
		t.Errorf("the error of the contrast becomes %v", err)
	}
}

// TestLostShareProperties: the interval holds the value, ends at 1, and agrees with the test of the difference.
func TestLostShareProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(4, 40).Draw(rt, "tasks")
		seeds := rapid.SampledFrom([]int{1, 3, 10}).Draw(rt, "seeds")
		kinds := rapid.IntRange(1, 4).Draw(rt, "kinds")
		rate := rapid.Custom(func(t *rapid.T) float64 {
			return float64(rapid.IntRange(0, seeds).Draw(t, "")) /
				float64(seeds)
		})
		before := rapid.SliceOfN(rate, n, n).Draw(rt, "before")
		after := rapid.SliceOfN(rate, n, n).Draw(rt, "after")
		groups := make([]Group, n)
		for i := range groups {
			groups[i] = Group{fmt.Sprint(i % kinds), fmt.Sprint(i)}
		}
		s, err := NewSampling(TheseKinds, groups, 0.95)
		if err != nil {
			rt.Skip(err)
		}
		l, err := LostShare(Mean(after), Mean(before), false, pairedContrast(s, after, before, seeds))
		if err != nil {
			if !errors.Is(err, ErrNoBase) && !errors.Is(err, ErrNothing) {
				rt.Fatal(err)
			}
			return
		}
		const tiny = 1e-9
		switch {
		case l.Value > 1 || l.High > 1+tiny:
			rt.Fatalf("more than everything is lost: %+v", l)
		case l.Low > l.Value+tiny || l.Value > l.High+tiny:
			rt.Fatalf("the interval does not hold the value: %+v", l)
		case math.Abs(l.P-0.05) > 1e-6 && (l.P >= 0.05) != (l.Low <= 0 && 0 <= l.High):
			rt.Fatalf("interval and p disagree: %+v", l)
		case Mean(after) == 0 && (l.Value != 1 || l.High != 1):
			rt.Fatalf("all is lost, and the share is %+v", l)
		}
		same, err := LostShare(Mean(before), Mean(before), false, pairedContrast(s, before, before, seeds))
		if err != nil || same.Value != 0 || same.Low > 0 || same.High < 0 {
			rt.Fatalf("nothing changes, and the share is %+v, %v", same, err)
		}
	})
}
