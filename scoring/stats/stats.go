// Package stats is the arithmetic behind the scores: means, spreads, intervals,
// paired differences and weighted scores, on plain numbers. Rates are fractions
// in [0,1].
package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Mean returns the mean, NaN of nothing.
func Mean(xs []float64) float64 { return stat.Mean(xs, nil) }

// PopulationStd returns the standard deviation with divisor n, NaN of nothing.
func PopulationStd(xs []float64) float64 { return stat.PopStdDev(xs, nil) }

// SampleStd returns the standard deviation with divisor n-1; it is NaN for fewer
// than two values.
func SampleStd(xs []float64) float64 {
	if len(xs) < 2 {
		return math.NaN()
	}
	return stat.StdDev(xs, nil)
}

// WeightedMean returns sum(w*x) / sum(w). The slices have the same length and
// the weights are positive.
func WeightedMean(xs, weights []float64) float64 { return stat.Mean(xs, weights) }

// Interval is a confidence interval.
type Interval struct {
	Low, High float64
}

// RateInterval returns a confidence interval, at a level such as 0.95, of the
// mean of rates of independent tasks. It is Wilson's score interval, with the
// effective sample size in place of the number of tasks when the rates vary less
// than those of single trials do, as averages over seeds (Wilson 1927; Franco et
// al. 2019, doi:10.1093/jssam/smy019). Unlike a normal interval it keeps its
// width near 0 and 1 and on few tasks. With fewer than two tasks there is none.
func RateInterval(rates []float64, level float64) (iv Interval, ok bool) {
	n := float64(len(rates))
	if n < 2 {
		return Interval{}, false
	}
	p := Mean(rates)
	if variance := stat.PopVariance(rates, nil); variance > 0 && p > 0 && p < 1 {
		n = max(n, n*p*(1-p)/variance)
	}
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return Interval{max(0, centre-half), min(1, centre+half)}, true
}

// Difference compares two series of rates of the same tasks.
type Difference struct {
	Mean float64 // of a-b
	Interval
	// P is the probability of a mean at least this far from 0 if, for every
	// task, both signs of the difference were equally likely.
	P float64
	N int // tasks
}

// resamples is the number of random sign flips behind a P.
const resamples = 10000

// Paired compares rates of the same tasks, a[i] with b[i]: Student's t interval
// of the mean difference, and a sign-flip permutation test that draws from rng.
// With fewer than two tasks there is no answer.
func Paired(a, b []float64, level float64, rng *rand.Rand) (d Difference, ok bool) {
	n := len(a)
	if n < 2 {
		return Difference{}, false
	}
	diffs := make([]float64, n)
	for i := range a {
		diffs[i] = a[i] - b[i]
	}
	mean, std := stat.MeanStdDev(diffs, nil)
	half := 0.0
	if std > 0 {
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}
		half = t.Quantile((1+level)/2) * std / math.Sqrt(float64(n))
	}
	return Difference{Mean: mean, Interval: Interval{max(-1, mean-half), min(1, mean+half)}, P: signFlip(diffs, rng), N: n}, true
}

// signFlip estimates the two-sided P of a sign-flip test. The observed signs
// count as one of the draws, which keeps P above zero.
func signFlip(diffs []float64, rng *rand.Rand) float64 {
	observed := 0.0
	for _, d := range diffs {
		observed += d
	}
	observed = math.Abs(observed) - 1e-12 // equal sums may differ by rounding
	extreme := 1
	for range resamples {
		sum := 0.0
		var bits uint64
		for i, d := range diffs {
			if i%64 == 0 {
				bits = rng.Uint64()
			}
			if bits&1 == 1 {
				d = -d
			}
			bits >>= 1
			sum += d
		}
		if math.Abs(sum) >= observed {
			extreme++
		}
	}
	return float64(extreme) / (resamples + 1)
}

// Holm corrects probabilities for the number of them, by the step-down method of
// Holm (1979); the order stays.
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	out := make([]float64, len(ps))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, ps[i]*float64(len(ps)-rank)))
		out[i] = least
	}
	return out
}
