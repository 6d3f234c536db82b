package scoring

import (
	"math"
	"slices"

	"heldout/scoring/stats"
)

// ConditionStd is the spread of the rates between conditions of the same tasks:
// the sample standard deviation without the part that chance adds. That part is
// the mean square of tasks by conditions, divided by the number of tasks. Both
// rates are NaN if the scores cannot be paired by task or are fewer than two.
func ConditionStd(scores []*Score) (successStd, progressStd float64) {
	return conditionStd(scores, success), conditionStd(scores, progress)
}

func conditionStd(scores []*Score, measure value) float64 {
	if len(scores) < 2 {
		return math.NaN()
	}
	var rates [][]float64 // by condition and task
	var means []float64
	for _, s := range scores {
		if !s.Complete() || !slices.Equal(tasksOf(s), tasksOf(scores[0])) {
			return math.NaN()
		}
		y := meansByTask(s.tasks, measure)
		rates, means = append(rates, y), append(means, stats.Mean(y))
	}
	n, c := len(rates[0]), len(scores)
	if n < 2 {
		return math.NaN()
	}
	overall := stats.Mean(means)
	square := 0.0
	for i := range n {
		task := 0.0
		for k := range rates {
			task += rates[k][i] / float64(c)
		}
		for k := range rates {
			residual := rates[k][i] - task - means[k] + overall
			square += residual * residual
		}
	}
	square /= float64((n - 1) * (c - 1))
	std := stats.SampleStd(means)
	return math.Sqrt(max(0, std*std-square/float64(n)))
}
