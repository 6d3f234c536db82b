package stats

import (
	"fmt"
	"testing"

	"heldout/envs/stream"
)

// TestDifferencesCover plays two equal models with effects of their own on shared
// tasks: about 95 % of the intervals hold 0, and no test rejects in more than 7 % of
// the runs, rare success included.
func TestDifferencesCover(t *testing.T) {
	const runs = 500
	normal := quantiles("normal")
	for _, b := range benchmarks()[:5] {
		for _, q := range questionsOf(b) {
			s := sampling(t, q, b.groups)
			for _, seeds := range []int{1, 10} {
				for _, base := range []float64{-4.5, 0} { // about 3 and 50 %
					rng := stream.New(1, "differences", b.name, string(q), fmt.Sprint(seeds, base))
					pick := func() float64 { return normal[rng.IntN(len(normal))] }
					rejected := 0
					for range runs {
						kinds := map[string][2]float64{}
						diffs := make([]float64, len(b.groups))
						for i, g := range b.groups {
							if _, ok := kinds[g.Kind]; !ok {
								shared, own := pick(), 0.0
								if q == NewKinds {
									own = 0.5
								}
								kinds[g.Kind] = [2]float64{shared + own*pick(), shared + own*pick()}
							}
							shared := base + 1.5*pick()
							for model, sign := range []float64{1, -1} {
								p := logistic(shared + kinds[g.Kind][model] + 0.7*pick())
								for range seeds {
									if rng.Float64() < p {
										diffs[i] += sign / float64(seeds)
									}
								}
							}
						}
						if s.Paired(diffs, seeds).P < 0.05 {
							rejected++
						}
					}
					share := float64(rejected) / runs
					t.Logf("%s, %s, %d seeds, base %v: rejects %.1f %%", b.name, q, seeds, base, 100*share)
					if share > 0.07 {
						t.Errorf("%s, %s, %d seeds, base %v: equal models differ in %.1f %% of the runs", b.name, q, seeds, base, 100*share)
					}
				}
			}
		}
	}
}
