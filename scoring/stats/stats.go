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
// mean of rates of independent tasks. It is Wilson's score interval (Wilson
// 1927), which unlike a normal interval keeps its width near 0 and 1 and on few
// tasks. Where the rates vary less than single trials do, as averages over seeds,
// the effective sample size takes the place of the number of tasks (Franco et al.
// 2019, doi:10.1093/jssam/smy019), with the adjustment for degrees of freedom of
// Korn and Graubard (1998). With fewer than two tasks there is no interval.
func RateInterval(rates []float64, level float64) (iv Interval, ok bool) {
	n := float64(len(rates))
	if n < 2 {
		return Interval{}, false
	}
	p := Mean(rates)
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	if variance := stat.Variance(rates, nil); variance > rounding {
		t := studentQuantile(level, n-1)
		n = max(n, n*p*(1-p)/variance*(z/t)*(z/t)) // n for single trials
	}
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return Interval{max(0, centre-half), min(1, centre+half)}, true
}

// WeightedInterval returns a confidence interval of the weighted mean of rates that
// are independent of each other, from the interval of each, all of one level. The
// distances from the rates to their limits are combined as standard errors are
// (the method of variance estimates recovery: Zou and Donner 2008,
// doi:10.1002/sim.3095). For symmetric intervals that is the delta method; others
// keep their shape, also near 0 and 1. The slices have the same length and the
// weights are positive.
func WeightedInterval(rates []float64, ivs []Interval, weights []float64) Interval {
	var low, high, total float64
	for i, w := range weights {
		total += w
		low = math.Hypot(low, w*(rates[i]-ivs[i].Low))
		high = math.Hypot(high, w*(ivs[i].High-rates[i]))
	}
	mean := WeightedMean(rates, weights)
	return Interval{mean - low/total, mean + high/total}
}

// rounding is more than what rounding adds to sums and variances of rates, and
// less than what they are otherwise.
const rounding = 1e-12

// studentQuantile bounds the middle part of Student's t distribution.
func studentQuantile(level, degrees float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: degrees}.Quantile((1 + level) / 2)
}

// Difference compares two series of rates of the same tasks.
type Difference struct {
	Mean float64 // of a-b
	// Interval is NaN where every task has the same difference: nothing then
	// tells how far others may be from it.
	Interval
	// P is the probability of a mean at least this far from 0 if, for every
	// task, both signs of the difference were equally likely.
	P float64
	N int // tasks
}

// Paired compares rates of the same tasks, a[i] with b[i]: Student's t interval
// of the mean difference, and a sign-flip permutation test, which for single
// trials is McNemar's exact test. With many tasks the test draws from rng. With
// fewer than two tasks there is no answer.
func Paired(a, b []float64, level float64, rng *rand.Rand) (d Difference, ok bool) {
	n := len(a)
	if n < 2 {
		return Difference{}, false
	}
	diffs := make([]float64, n)
	for i := range a {
		diffs[i] = a[i] - b[i]
	}
	mean, variance := stat.MeanVariance(diffs, nil)
	half := math.NaN()
	if variance > rounding {
		half = studentQuantile(level, float64(n-1)) * math.Sqrt(variance/float64(n))
	}
	return Difference{Mean: mean, Interval: Interval{max(-1, mean-half), min(1, mean+half)}, P: signFlip(diffs, rng), N: n}, true
}

const (
	// exactFlips is the largest number of differences whose signs are flipped in
	// every way there is.
	exactFlips = 16
	// resamples is the number of random sign flips where there are more.
	resamples = 10000
)

// signFlip returns the two-sided P of a sign-flip test. Where it is estimated,
// the observed signs count as one of the draws, which keeps it above zero.
func signFlip(diffs []float64, rng *rand.Rand) float64 {
	diffs = slices.DeleteFunc(diffs, func(d float64) bool { return math.Abs(d) < rounding }) // no sign to flip
	observed := math.Abs(sum(diffs, func() uint64 { return 0 })) - rounding                  // equal sums may differ by it
	extreme := 0
	count := func(signs func() uint64) {
		if math.Abs(sum(diffs, signs)) >= observed {
			extreme++
		}
	}
	if len(diffs) <= exactFlips {
		all := uint64(1) << len(diffs)
		for signs := range all {
			count(func() uint64 { return signs })
		}
		return float64(extreme) / float64(all)
	}
	for range resamples {
		count(rng.Uint64)
	}
	return float64(extreme+1) / (resamples + 1)
}

// sum adds differences, those with a bit set with the sign flipped; signs gives
// the next 64 bits.
func sum(diffs []float64, signs func() uint64) (s float64) {
	var bits uint64
	for i, d := range diffs {
		if i%64 == 0 {
			bits = signs()
		}
		if bits&1 == 1 {
			d = -d
		}
		bits >>= 1
		s += d
	}
	return s
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
