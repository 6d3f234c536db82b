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
	"heldout/envs/stream"
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
	if got := BestOf([]float64{.3, .3, .3}, 2); got != .3 {
		t.Errorf("equal values: %v", got)
	}
}

// TestBestOfEach: the sum may end early only where that changes no bit.
func TestBestOfEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		levels := rapid.Float64Range(1, 1e6).Draw(t, "levels")
		values := rapid.SliceOfN(rapid.Map(rapid.Float64Range(0, levels), func(x float64) float64 {
			return math.Floor(x) / levels
		}), 1, 300).Draw(t, "values")
		ks := make([]int, len(values))
		for i := range ks {
			ks[i] = i + 1
		}
		for k, got := range BestOfEach(values, ks) {
			sorted := slices.Sorted(slices.Values(values))
			n := len(sorted)
			want, weight := sorted[n-1], float64(k+1)/float64(n)
			for j := n; j > k; j-- {
				want -= weight * (sorted[n-1] - sorted[j-1])
				if j > k+1 {
					weight *= float64(j-k-1) / float64(j-1)
				}
			}
			if got != want || BestOf(values, k+1) != want {
				t.Fatalf("best of %d of %v: %v, want %v", k+1, values, got, want)
			}
		}
	})
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

// TestPassAtK plays 100 models on 60 tasks with ten tries: the mean error of
// pass@k is 0 for every k, and for other decodings of the tasks 95 % of the
// intervals hold the exact value.
func TestPassAtK(t *testing.T) {
	const models, tasks, tries = 100, 60, 10
	rng := stream.New(1, "pass@k")
	var off, squares [tries + 1]float64
	held, intervals := 0, 0
	for range models {
		base := 3 * rng.NormFloat64()
		var exact [tries + 1]float64
		var played [][]float64
		for range tasks {
			p := logistic(base + 1.5*rng.NormFloat64())
			values := make([]float64, tries)
			for i := range values {
				if rng.Float64() < p {
					values[i] = 1
				}
			}
			played = append(played, values)
			for k := 1; k <= tries; k++ {
				exact[k] += (1 - math.Pow(1-p, float64(k))) / tasks
			}
		}
		for k := 1; k <= tries; k++ {
			estimate := 0.0
			for _, values := range played {
				estimate += BestOf(values, k) / tasks
			}
			off[k] += (estimate - exact[k]) / models
			squares[k] += (estimate - exact[k]) * (estimate - exact[k]) / models
			e, err := DecodingBestOf(played, k, 0.95)
			if errors.Is(err, ErrFewTries) != (k > tries/2) {
				t.Fatalf("best of %d: error %v", k, err)
			}
			if err == nil {
				near(t, "Mean", e.Mean, estimate, 1e-12)
				intervals++
				if e.Low <= exact[k] && exact[k] <= e.High {
					held++
				}
			}
		}
	}
	for k := 1; k <= tries; k++ {
		t.Logf("pass@%d: mean error %+.5f, root mean square %.4f", k, off[k], math.Sqrt(squares[k]))
		if math.Abs(off[k]) > 4*math.Sqrt(squares[k]/models) {
			t.Errorf("pass@%d is biased by %v", k, off[k])
		}
	}
	share := float64(held) / float64(intervals)
	t.Logf("coverage %.3f", share)
	near(t, "coverage", share, 0.96, 0.04)
}

// TestBestOfCovers simulates the intervals of the best of k of ten tries on the
// benchmarks.
func TestBestOfCovers(t *testing.T) {
	const tries = 10
	runs, rates, ks := 100, []float64{0.05, 0.5, 0.9}, []int{5, 10}
	if *coverageRuns > 0 {
		runs, ks, rates = *coverageRuns, []int{2, 5, 8, 10}, []float64{0.02, 0.05, 0.1, 0.2, 0.5, 0.8, 0.9, 0.95}
	}
	for _, b := range sharedtest.Sample(t, benchmarks()[:5], 2) {
		for _, q := range append([]Question{TheseTasks}, questionsOf(b)...) {
			var row []float64
			for _, k := range ks {
				if q == TheseTasks && 2*k > tries {
					continue
				}
				for _, p := range rates {
					row = append(row, coverBestOf(t, b, q, k, tries, p, runs))
				}
			}
			t.Logf("| %s | %s | %.1f-%.1f (%.1f) |", b.name, q, 100*least(row), 100*most(row), 100*Mean(row))
			if least(row) < 0.84 || Mean(row) < 0.92 {
				t.Errorf("%s, %s: smallest coverage %.3f, mean %.3f", b.name, q, least(row), Mean(row))
			}
		}
	}
}

func coverBestOf(t *testing.T, b benchmark, q Question, k, tries int, p float64, runs int) float64 {
	t.Helper()
	w := newWorld("normal", b, 1, tries, false)
	w.solve(p)
	w.best = k
	rates, population := make([]float64, len(w.shape)), 0.0
	for i := range rates {
		rates[i] = w.rate(w.base, w.shape[i])
		population += rates[i] / float64(len(rates))
	}
	rng := stream.New(1, "best of", b.name, string(q), fmt.Sprint(k, p))
	var s Sampling
	if q != TheseTasks {
		s = sampling(t, q, b.groups)
	}
	held := 0
	for range runs {
		d := w.draw(rng, b.groups, rates)
		truth, interval := population, Interval{}
		if q == TheseTasks {
			e, err := DecodingBestOf(d.episodes, k, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			truth, interval = d.ofTasks, e.Interval
		} else {
			var best []float64
			for _, values := range d.episodes {
				best = append(best, BestOf(values, k))
			}
			interval = s.Rate(best).Interval
			if q == TheseKinds {
				truth = d.ofKinds
			}
		}
		if interval.Low <= truth && truth <= interval.High {
			held++
		}
	}
	return float64(held) / float64(runs)
}
