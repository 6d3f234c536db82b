// Package stats is the arithmetic behind the scores: means, spreads, intervals, paired differences and weighted
// scores, on plain numbers. Rates are fractions in [0,1].
package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// Mean returns the mean, or NaN if there are no values.
func Mean(xs []float64) float64 { return floats.Sum(xs) / float64(len(xs)) }

// PopulationStd returns the standard deviation with divisor n, or NaN if there are no values.
func PopulationStd(xs []float64) float64 { return math.Sqrt(squares(xs) / float64(len(xs))) }

// SampleStd returns the standard deviation with divisor n-1; it is NaN for fewer than two values.
func SampleStd(xs []float64) float64 {
	if len(xs) < 2 {
		return math.NaN()
	}
	return math.Sqrt(Variance(xs))
}

// Variance returns the variance with divisor n-1.
func Variance(xs []float64) float64 { return squares(xs) / (float64(len(xs)) - 1) }

// squares is the sum of the squared distances from the mean, by the corrected two-pass algorithm (Chan, Golub and
// LeVeque 1983, doi:10.1080/00031305.1983.10483115). Values that rounding errors alone part from each other are equal.
func squares(xs []float64) float64 {
	mean, sum, rest := Mean(xs), 0.0, 0.0
	for _, x := range xs {
		sum += (x - mean) * (x - mean)
		rest += x - mean
	}
	n := float64(len(xs))
	if sum -= rest * rest / n; sum < n*rounding*rounding {
		return 0
	}
	return sum
}

// WeightedMean returns sum(w*x) / sum(w). The slices have the same length and the weights are positive.
func WeightedMean(xs, weights []float64) float64 {
	var sum, total float64
	for i, w := range weights {
		sum += w * xs[i]
		total += w
	}
	return sum / total
}

// Interval is a confidence interval.
type Interval struct {
	Low, High float64
}

// Exact is a rate, or a difference of rates, that is 0 or ±1 where rounding errors alone part it from them.
func Exact(x float64) float64 {
	if rounded := math.Round(x); math.Abs(x-rounded) < rounding && math.Abs(rounded) <= 1 {
		return rounded + 0 // no negative zero
	}
	return x
}

// limits is an interval whose limits are exact.
func limits(low, high float64) Interval { return Interval{Exact(low), Exact(high)} }

// weightedInterval returns a confidence interval of the weighted mean of rates that are independent of each other,
// from the interval of each, all of one level. The distances from the rates to their limits are combined as
// standard errors are (the method of variance estimates recovery: Zou and Donner 2008, doi:10.1002/sim.3095). For
// symmetric intervals that is the delta method; others keep their shape, also near 0 and 1. The slices have the
// same length and the weights are positive.
func weightedInterval(rates []float64, ivs []Interval, weights []float64) Interval {
	var low, high, total float64
	for i, w := range weights {
		total += w
		low = math.Hypot(low, w*(rates[i]-ivs[i].Low))
		high = math.Hypot(high, w*(ivs[i].High-rates[i]))
	}
	mean := WeightedMean(rates, weights)
	return limits(mean-low/total, mean+high/total)
}

// rounding is a bound that exceeds the rounding errors of sums and variances of
// rates and is below every other nonzero value of them.
const rounding = 1e-12

// Counts are the k for which k of n, in percent, is printed as a value with that
// many decimals: rounded, or else cut off. They are empty if there are none.
func Counts(percent float64, decimals, n int) (ks []int, cut bool) {
	unit := math.Pow(10, -float64(decimals))
	find := func(fits func(diff float64) bool) (ks []int) {
		for k := range n + 1 {
			if fits(100*float64(k)/float64(n) - percent) {
				ks = append(ks, k)
			}
		}
		return ks
	}
	if ks = find(func(diff float64) bool { return math.Abs(diff) <= unit/2+rounding }); ks != nil {
		return ks, false
	}
	ks = find(func(diff float64) bool { return -rounding <= diff && diff < unit })
	return ks, ks != nil
}

// Indicator is 1 for true and 0 for false.
func Indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
