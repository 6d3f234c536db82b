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
