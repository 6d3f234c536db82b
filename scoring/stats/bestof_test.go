package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/combin"
	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

// TestBestOfReference has the values of the specification, worked by hand.
func TestBestOfReference(t *testing.T) {
	for k, want := range []float64{0.4, 0.625, 0.775, 0.9, 1} {
		near(t, fmt.Sprint("best of ", k+1), BestOf([]float64{.5, 0, 1, .25, .25}, k+1), want, 1e-12)
	}
	three := []float64{1, 0, 0, 1, 0, 0, 0, 1, 0, 0} // pass@k of 3 successes in 10
	for k, want := range map[int]float64{1: 0.3, 2: 0.533333333333333, 5: 0.916666666666667, 8: 1, 10: 1} {
		near(t, fmt.Sprint("pass@", k), BestOf(three, k), want, 1e-12)
	}
	many := make([]float64, 5000) // 1-C(4999,k)/C(5000,k) = k/5000
	many[7] = 1
	near(t, "1 of 5000", BestOf(many, 3000), 0.6, 1e-9)
	sharedtest.Equal(t, BestOf([]float64{.3, .3, .3}, 2), .3, "equal values")
	for k, want := range map[int]error{5: nil, 6: ErrFewTries} {
		if _, err := DecodingBestOf([][]float64{three, three}, k, 0.95); !errors.Is(err, want) {
			t.Errorf("best of %d of ten: error %v", k, err)
		}
	}
}

// TestBestOfIsTheMeanOverSubsets enumerates all subsets.
func TestBestOfIsTheMeanOverSubsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 6), func(i int) float64 { return float64(i) / 6 }), 1,
			9).Draw(t, "values")
		k := rapid.IntRange(1, len(values)).Draw(t, "k")
		subsets := combin.Combinations(len(values), k)
		want := 0.0
		for _, subset := range subsets {
			best := 0.0
			for _, i := range subset {
				best = max(best, values[i])
			}
			want += best / float64(len(subsets))
		}
		if got := BestOf(values, k); math.Abs(got-want) > 1e-12 {
			t.Fatalf("best of %d of %v: %v, want %v", k, values, got, want)
		}
	})
}

// TestJackknife compares with the definition.
func TestJackknife(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1), 2, 12).Draw(t, "values")
		k := rapid.IntRange(1, len(values)-1).Draw(t, "k")
		var without []float64
		for i := range values {
			without = append(without, BestOf(slices.Delete(slices.Clone(values), i, i+1), k))
		}
		std := PopulationStd(without)
		want := float64(len(values)-1) * std * std
		if got := jackknife(values, k); math.Abs(got-want) > 1e-12 {
			t.Fatalf("best of %d of %v: %v, want %v", k, values, got, want)
		}
	})
}

// TestBestOfCovers simulates the intervals of the best of k of ten tries on the benchmarks.
func TestBestOfCovers(t *testing.T) {
	const tries = 10
	runs, rates, ks := 100, []float64{0.05, 0.5, 0.9}, []int{5, 10}
	if *coverageRuns > 0 {
		runs, ks, rates = *coverageRuns, []int{2, 5, 8, 10}, []float64{0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95}
	}
	for _, b := range sharedtest.Sample(t, benchmarks()[:5], 1, 3) {
		for _, q := range append([]Question{TheseTasks}, questionsOf(b)...) {
			var row coverages
			for _, k := range ks {
				if q == TheseTasks && 2*k > tries {
					continue
				}
				w := newWorld("normal", b, 1, tries, false)
				w.best = k
				for _, p := range rates {
					row = append(row, w.cover(t, b, q, p, runs))
				}
			}
			row.check(t, fmt.Sprintf("%s, %s", b.name, q), 0.84, 0.92)
		}
	}
}

// Ordered tries, as scores have them, are not ordered anew for each k: with 10,000 seeds that took two thirds of a
// comparison's time.
func TestBestOfOrderedTries(t *testing.T) {
	tries := make([]float64, 10_000)
	for i := range tries {
		tries[i] = float64(i) / 10_000
	}
	if n := testing.AllocsPerRun(10, func() { BestOf(tries, 50) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
