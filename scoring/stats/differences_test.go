package stats

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// playTwo draws the tries of two equal models with effects of their own on shared
// tasks, by model and task. Under NewKinds kinds have effects of their own too.
func playTwo(rng *rand.Rand, groups []Group, q Question, seeds int, base float64) (tries [2][][]float64) {
	pick := func() float64 { return normalEffects[rng.IntN(len(normalEffects))] }
	kinds := map[string][2]float64{}
	for _, g := range groups {
		if _, ok := kinds[g.Kind]; !ok {
			shared, own := pick(), 0.0
			if q == NewKinds {
				own = 0.5
			}
			kinds[g.Kind] = [2]float64{shared + own*pick(), shared + own*pick()}
		}
		shared := base + 1.5*pick()
		for model := range tries {
			p := logistic(shared + kinds[g.Kind][model] + 0.7*pick())
			of := make([]float64, seeds)
			for i := range of {
				if rng.Float64() < p {
					of[i] = 1
				}
			}
			tries[model] = append(tries[model], of)
		}
	}
	return tries
}

// twoModels returns the differences of two equal models, of every try or of the best of several.
func twoModels(rng *rand.Rand, groups []Group, q Question, seeds, best int, base float64) []float64 {
	tries := playTwo(rng, groups, q, seeds, base)
	diffs := values(tries[0], best)
	for i, rate := range values(tries[1], best) {
		diffs[i] -= rate
	}
	return diffs
}

var normalEffects = quantiles("normal")

// alike reports equal models that a test tells apart in more than a share of the runs, or whose intervals say another
// thing than the test.
func alike(t *testing.T, name string, runs int, most float64, play func() Difference) {
	t.Helper()
	rejected := 0
	for range runs {
		d := play()
		if excludes := d.Low > 0 || d.High < 0; excludes != (d.P < 0.05) {
			t.Fatalf("%s: interval and p disagree: %+v", name, d)
		}
		if d.P < 0.05 {
			rejected++
		}
	}
	share := float64(rejected) / float64(runs)
	t.Logf("%s: rejects %.1f %%", name, 100*share)
	if share > most {
		t.Errorf("%s: equal models differ in %.1f %% of the runs", name, 100*share)
	}
}

// TestDifferencesCover plays two equal models: about 95 % of the intervals hold 0,
// and no test rejects in more than 7 % of the runs, or 8 % of the best of several tries, rare success included.
func TestDifferencesCover(t *testing.T) {
	for _, b := range sharedtest.Sample(t, benchmarks()[:5], 1, 3) {
		for _, q := range questionsOf(b) {
			s := sampling(t, q, b.groups)
			for _, c := range []struct {
				seeds, best, runs int
				easy, most        float64
			}{{1, 0, 500, 0, 0.07}, {10, 0, 500, 0, 0.07}, {10, 5, sharedtest.Times(t, 300, 150), -1, 0.08},
				{10, 10, sharedtest.Times(t, 300, 150), -1, 0.08}} {
				for _, base := range []float64{-4.5, c.easy} { // about 3 and 50 %
					name := fmt.Sprintf("%s, %s, %d seeds, best of %d, base %v", b.name, q, c.seeds, c.best, base)
					rng := stream.New(1, "differences", name)
					alike(t, name, c.runs, c.most, func() Difference {
						return s.Paired(twoModels(rng, b.groups, q, c.seeds, c.best, base), c.seeds/max(1, c.best))
					})
				}
			}
		}
	}
}

// TestHeldOutDifferencesCover is TestDifferencesCover for the weighted mean of the four held-out environments.
func TestHeldOutDifferencesCover(t *testing.T) {
	sharedtest.Heavy(t)
	for _, q := range []Question{TheseKinds, NewKinds} {
		var samplings []Sampling
		for _, b := range benchmarks()[1:5] {
			samplings = append(samplings, sampling(t, q, b.groups))
		}
		for _, seeds := range sharedtest.Sample(t, []int{10, 1}, 1) {
			for _, base := range []float64{-4.5, 0} {
				name := fmt.Sprintf("%s, %d seeds, base %v", q, seeds, base)
				rng := stream.New(1, "held-out differences", name)
				alike(t, name, 500, 0.07, func() Difference {
					var parts []Difference
					for i, b := range benchmarks()[1:5] {
						parts = append(parts, samplings[i].Paired(twoModels(rng, b.groups, q, seeds, 0, base), seeds))
					}
					return CombineDifferences(parts, []float64{112, 90, 60, 20}, 0.95)
				})
			}
		}
	}
}

// TestCombineDifferences is worked by hand: shares of 3/4 and 1/4.
func TestCombineDifferences(t *testing.T) {
	parts := []Difference{{Mean: 0.2, Centre: 0.16, Variance: 0.004, Degrees: 10, N: 30},
		{Mean: -0.4, Centre: -0.32, Variance: 0.016, Degrees: 20, N: 10}}
	d := CombineDifferences(parts, []float64{3, 1}, 0.95)
	near(t, "Mean", d.Mean, 0.05, 1e-12)
	near(t, "Centre", d.Centre, 0.04, 1e-12)
	near(t, "Variance", d.Variance, 0.00325, 1e-12)
	near(t, "Degrees", d.Degrees, 0.00325*0.00325/(0.00225*0.00225/10+0.001*0.001/20), 1e-9)
	near(t, "centre of the interval", (d.Low+d.High)/2, 0.04, 1e-12)
	sharedtest.Equal(t, d.N, 40, "tasks")
}
