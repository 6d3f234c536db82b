// Package stats is the arithmetic behind the scores: means, spreads, intervals,
// paired differences and weighted scores, on plain numbers. Rates are fractions
// in [0,1].
package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Mean returns the mean, or NaN if there are no values.
func Mean(xs []float64) float64 { return stat.Mean(xs, nil) }

// PopulationStd returns the standard deviation with divisor n, or NaN if there
// are no values.
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

// weightedInterval returns a confidence interval of the weighted mean of rates that
// are independent of each other, from the interval of each, all of one level. The
// distances from the rates to their limits are combined as standard errors are
// (the method of variance estimates recovery: Zou and Donner 2008,
// doi:10.1002/sim.3095). For symmetric intervals that is the delta method; others
// keep their shape, also near 0 and 1. The slices have the same length and the
// weights are positive.
func weightedInterval(rates []float64, ivs []Interval, weights []float64) Interval {
	var low, high, total float64
	for i, w := range weights {
		total += w
		low = math.Hypot(low, w*(rates[i]-ivs[i].Low))
		high = math.Hypot(high, w*(ivs[i].High-rates[i]))
	}
	mean := WeightedMean(rates, weights)
	return Interval{mean - low/total, mean + high/total}
}

// rounding is a bound that exceeds the rounding errors of sums and variances of
// rates and is below every other nonzero value of them.
const rounding = 1e-12

// ascendingOrder lists the places of values, that of the smallest first.
func ascendingOrder(values []float64) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	return order
}

// Holm corrects probabilities for the number of them, by the step-down method of
// Holm (1979); the order stays.
func Holm(ps []float64) []float64 {
	out := make([]float64, len(ps))
	floor := 0.0
	for rank, i := range ascendingOrder(ps) {
		floor = max(floor, min(1, ps[i]*float64(len(ps)-rank)))
		out[i] = floor
	}
	return out
}

// HolmLevels returns the levels of intervals that agree with Holm: the one of a test holds 0
// if and only if its corrected probability is at least 1-level. It is the level of the step
// that decides the test; the tests behind the first that is not significant have its step.
func HolmLevels(ps []float64, level float64) []float64 {
	out := make([]float64, len(ps))
	tests, open := len(ps), false
	for rank, i := range ascendingOrder(ps) {
		if !open {
			tests = len(ps) - rank
			open = ps[i]*float64(tests) >= 1-level
		}
		out[i] = 1 - (1-level)/float64(tests)
	}
	return out
}
