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

// twoModels returns the differences of two equal models.
func twoModels(rng *rand.Rand, groups []Group, q Question, seeds int, base float64) []float64 {
	tries := playTwo(rng, groups, q, seeds, base)
	diffs := means(tries[0])
	for i, rate := range means(tries[1]) {
		diffs[i] -= rate
	}
	return diffs
}

var normalEffects = quantiles("normal")

// TestDifferencesCover plays two equal models: about 95 % of the intervals hold 0,
// and no test rejects in more than 7 % of the runs, rare success included.
func TestDifferencesCover(t *testing.T) {
	const runs = 500
	for _, b := range sharedtest.Sample(t, benchmarks()[:5], 2) {
		for _, q := range questionsOf(b) {
			s := sampling(t, q, b.groups)
			for _, seeds := range []int{1, 10} {
				for _, base := range []float64{-4.5, 0} { // about 3 and 50 %
					rng := stream.New(1, "differences", b.name, string(q), fmt.Sprint(seeds, base))
					rejected := 0
					for range runs {
						if s.Paired(twoModels(rng, b.groups, q, seeds, base), seeds).P < 0.05 {
							rejected++
						}
					}
					share := float64(rejected) / float64(runs)
					t.Logf("%s, %s, %d seeds, base %v: rejects %.1f %%", b.name, q, seeds, base, 100*share)
					if share > 0.07 {
						t.Errorf("%s, %s, %d seeds, base %v: equal models differ in %.1f %% of the runs", b.name,
							q, seeds, base, 100*share)
					}
				}
			}
		}
	}
}

// TestHeldOutDifferencesCover is TestDifferencesCover for the weighted mean of the
// four held-out environments.
func TestHeldOutDifferencesCover(t *testing.T) {
	sharedtest.Heavy(t)
	const runs = 500
	weights := []float64{112, 90, 60, 20}
	for _, q := range []Question{TheseKinds, NewKinds} {
		for _, seeds := range sharedtest.Sample(t, []int{10, 1}, 1) {
			for _, base := range []float64{-4.5, 0} {
				rng := stream.New(1, "held-out differences", string(q), fmt.Sprint(seeds, base))
				var samplings []Sampling
				for _, b := range benchmarks()[1:5] {
					samplings = append(samplings, sampling(t, q, b.groups))
				}
				rejected := 0
				for range runs {
					var parts []Difference
					for i, b := range benchmarks()[1:5] {
						parts = append(parts, samplings[i].Paired(twoModels(rng, b.groups, q, seeds, base), seeds))
					}
					d := CombineDifferences(parts, weights, 0.95)
					if excludes := d.Low > 0 || d.High < 0; excludes != (d.P < 0.05) {
						t.Fatalf("interval and p disagree: %+v", d)
					}
					if d.P < 0.05 {
						rejected++
					}
				}
				share := float64(rejected) / float64(runs)
				t.Logf("%s, %d seeds, base %v: rejects %.1f %%", q, seeds, base, 100*share)
				if share > 0.07 {
					t.Errorf("%s, %d seeds, base %v: equal models differ in %.1f %% of the runs", q, seeds, base,
						100*share)
				}
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
	if d.N != 40 {
		t.Errorf("%d tasks", d.N)
	}
}

// TestBestOfDifferencesCover is TestDifferencesCover for the best of several of ten
// tries.
func TestBestOfDifferencesCover(t *testing.T) {
	const tries = 10
	runs := sharedtest.Times(t, 300, 150)
	for _, b := range sharedtest.Sample(t, benchmarks()[:5], 2) {
		for _, q := range questionsOf(b) {
			s := sampling(t, q, b.groups)
			for _, k := range []int{5, 10} {
				for _, base := range []float64{-4.5, -1} {
					rng := stream.New(1, "differences of the best", b.name, string(q), fmt.Sprint(k, base))
					rejected := 0
					for range runs {
						played := playTwo(rng, b.groups, q, tries, base)
						diffs := make([]float64, len(b.groups))
						for i := range diffs {
							diffs[i] = BestOf(played[0][i], k) - BestOf(played[1][i], k)
						}
						if s.Paired(diffs, tries/k).P < 0.05 {
							rejected++
						}
					}
					share := float64(rejected) / float64(runs)
					t.Logf("%s, %s, best of %d, base %v: rejects %.1f %%", b.name, q, k, base, 100*share)
					if share > 0.08 {
						t.Errorf("%s, %s, best of %d, base %v: equal models differ in %.1f %% of the runs", b.name, q,
							k, base, 100*share)
					}
				}
			}
		}
	}
}
