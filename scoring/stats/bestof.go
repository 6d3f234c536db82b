package stats

import (
	"errors"
	"slices"
)

// ErrFewTries says that there is no interval for other decodings of the tasks,
// because the best of more than half of the tries leaves too few to resample.
var ErrFewTries = errors.New("the best of more than half of the tries cannot be resampled")

// BestOf is the expected best of k of the values: the exact mean of the maximum over all subsets of k, which is
// unbiased for the best of k new tries. Of zeros and ones it is pass@k (Chen et al. 2021, arXiv:2107.03374). The
// value number j in ascending order is the best of a subset with the probability C(j-1,k-1)/C(n,k), which follows
// from its neighbour's, so that no large number occurs. k is at least 1 and at most the number of values.
func BestOf(values []float64, k int) float64 {
	sorted := values
	if !slices.IsSorted(values) {
		sorted = slices.Sorted(slices.Values(values))
	}
	n := len(sorted)
	best := sorted[n-1]
	mean, weight := best, float64(k)/float64(n)
	for j := n; j >= k; j-- {
		mean -= weight * (best - sorted[j-1]) // exact where the values agree
		if j > k {
			weight *= float64(j-k) / float64(j-1)
		}
		if weight*(best-sorted[0]) < mean*0x1p-55 {
			break // the rest changes no bit
		}
	}
	return mean
}

// DecodingBestOf estimates the mean over tasks of BestOf for TheseTasks: tries[i] has the values of task i, in
// [0,1], at least k of them. The variance comes from the jackknife over the tries of each task. The error is
// ErrFewTries if k is more than half of the tries of a task.
func DecodingBestOf(tries [][]float64, k int, level float64) (Estimate, error) {
	e := Estimate{Trials: true, N: len(tries)}
	n, total := float64(len(tries)), 0.0
	for _, values := range tries {
		if 2*k > len(values) {
			return e, ErrFewTries
		}
		best := BestOf(values, k)
		e.Mean += best / n
		e.Trials = e.Trials && (best == 0 || best == 1)
		e.Variance += jackknife(values, k) / (n * n)
		e.Degrees += float64(len(values) - 1)
		total += float64(len(values))
	}
	return e.decoded(total, total/float64(k), level), nil // disjoint subsets of k
}

// jackknife is the variance of BestOf from leaving out each value in turn. A value
// that is left out moves the ranks of the larger ones down by one.
func jackknife(values []float64, k int) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	weights := make([]float64, n-1) // by rank among n-1 values
	for j, w := n-2, float64(k)/float64(n-1); j >= k-1; j-- {
		weights[j] = w
		w *= float64(j+1-k) / float64(max(j, 1))
	}
	upper := 0.0 // of the values above the one that is left out
	for j := 1; j < n; j++ {
		upper += weights[j-1] * sorted[j]
	}
	means, lower := make([]float64, n), 0.0
	for i := range sorted {
		means[i] = lower + upper
		if i+1 < n {
			lower += weights[i] * sorted[i]
			upper -= weights[i] * sorted[i+1]
		}
	}
	std := PopulationStd(means)
	return float64(n-1) * std * std
}
