package scoring

import (
	"errors"
	"maps"
	"slices"

	"heldout/envs/stream"
	"heldout/eval/record"
	"heldout/scoring/stats"
)

// Comparison is one score against another on the same tasks, seeds averaged
// within each task.
type Comparison struct {
	Success, Progress stats.Difference // of the first minus the second
}

// Why two scores cannot be compared.
var (
	ErrIncomplete = errors.New("not every planned episode has a result")
	ErrOtherTasks = errors.New("they were not made on the same tasks")
	ErrFewTasks   = errors.New("fewer than two tasks say nothing about a difference")
)

// Compare pairs two scores by task. Its errors are ErrIncomplete, ErrOtherTasks
// and ErrFewTasks.
func Compare(a, b *Score) (Comparison, error) { return CompareMean([]*Score{a}, b) }

// CompareMean pairs the mean of several scores with another one by task. Its
// errors are those of Compare.
func CompareMean(as []*Score, b *Score) (Comparison, error) {
	for _, s := range append([]*Score{b}, as...) {
		if !s.Complete() {
			return Comparison{}, ErrIncomplete
		}
	}
	var c Comparison
	var err error
	if c.Success, err = pair(as, b, success, "success"); err != nil {
		return Comparison{}, err
	}
	c.Progress, err = pair(as, b, progress, "progress")
	return c, err
}

// pair compares one value; the name tells its random stream from others.
func pair(as []*Score, b *Score, value func(record.Result) float64, name string) (stats.Difference, error) {
	y := averages(b.played, taskKey, value)
	tasks := slices.Sorted(maps.Keys(y))
	means := make([]float64, len(tasks))
	for _, a := range as {
		x := averages(a.played, taskKey, value)
		if !slices.Equal(slices.Sorted(maps.Keys(x)), tasks) {
			return stats.Difference{}, ErrOtherTasks
		}
		for i, rate := range sorted(x) {
			means[i] += rate / float64(len(as))
		}
	}
	rng := stream.New(0, "paired", b.Condition.Env, name)
	d, ok := stats.Paired(means, sorted(y), Level, rng)
	if !ok {
		return d, ErrFewTasks
	}
	return d, nil
}
