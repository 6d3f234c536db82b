package stats

import "math"

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

// Unpaired is the difference of a rate from another one that was measured
// independently, by Newcombe's hybrid interval (1998): the distances to the limits
// of both add up like standard errors. The limits are functions of the level; P is
// one less the level at which a limit is 0.
func Unpaired(rate, base float64, ours, theirs func(level float64) Interval, level float64) Difference {
	interval := func(level float64) Interval {
		a, b := ours(level), theirs(level)
		return limits(rate-base-math.Hypot(rate-a.Low, b.High-base), rate-base+math.Hypot(a.High-rate, base-b.Low))
	}
	d := Difference{Mean: rate - base, Centre: rate - base, Interval: interval(level), P: 1}
	if d.Mean != 0 {
		const widest = 1 - 1e-9
		d.P = 1 - bisect(0, widest, func(level float64) bool {
			iv := interval(level)
			return iv.Low > 0 || iv.High < 0
		})
	}
	return d
}
