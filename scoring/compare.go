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
func Compare(a, b *Score) (Comparison, error) {
	if !a.Complete() || !b.Complete() {
		return Comparison{}, ErrIncomplete
	}
	var c Comparison
	var err error
	if c.Success, err = pair(a, b, success, "success"); err != nil {
		return Comparison{}, err
	}
	c.Progress, err = pair(a, b, progress, "progress")
	return c, err
}

// pair compares one value; the name tells its random stream from others.
func pair(a, b *Score, value func(record.Result) float64, name string) (stats.Difference, error) {
	x, y := averages(a.played, taskKey, value), averages(b.played, taskKey, value)
	if !slices.Equal(slices.Sorted(maps.Keys(x)), slices.Sorted(maps.Keys(y))) {
		return stats.Difference{}, ErrOtherTasks
	}
	rng := stream.New(0, "paired", a.Condition.Env, name)
	d, ok := stats.Paired(sorted(x), sorted(y), Level, rng)
	if !ok {
		return d, ErrFewTasks
	}
	return d, nil
}
