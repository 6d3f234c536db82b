package scoring

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"

	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// Rate is a rate over tasks and seeds, and how the means of the seeds' episodes spread. It
// is the mean over tasks of the mean over the seeds of each, which is also the mean of the
// seeds' means if all have the same tasks: while a run is half done, its latest seed has
// few tasks, and its mean does not estimate of the rate. All values are fractions. NaN means
// that there are not enough episodes.
type Rate struct {
	Estimate
	// SampleStd is the standard deviation of the means per seed, with the divisor n-1.
	SampleStd float64
}

// Estimate is a mean and its confidence interval.
type Estimate struct {
	Mean float64
	// Interval is nil if there is none.
	Interval *stats.Interval
	// Basis is what the interval was made from.
	Basis stats.Estimate
}

// ErrDeterministic says why there is no interval for other decodings of tasks.
var ErrDeterministic = errors.New("decoding was deterministic")

// ErrDependent says why there is no interval for episodes that depend on each other.
var ErrDependent = errors.New("the agent remembers earlier episodes, so that they depend on each other")

// undecoded says why there is no interval for other decodings of tasks; nil if there may be.
func (s *Score) undecoded() error {
	switch {
	case s.Condition.Order != "":
		return ErrDependent
	case s.deterministic():
		return ErrDeterministic
	}
	return nil
}

// newRate averages a value of results.
func (s *Score) newRate(tasks []taskResults, measure value) Rate {
	runs := averages(tasks, bySeed, measure)
	r := Rate{Estimate{Mean: math.NaN()}, math.NaN()}
	if len(runs) == 0 {
		return r
	}
	means := sorted(runs)
	if r.Mean = stats.Mean(means); uneven(tasks, len(runs)) {
		r.Mean = stats.Mean(meansByTask(tasks, measure))
	}
	if len(means) > 1 {
		r.SampleStd = stats.SampleStd(means)
	}
	if e, err := s.estimator()(byTask(tasks, measure)); err == nil {
		r.Basis, r.Interval = e, &e.Interval
	}
	return r
}

// Decoded are the intervals of both rates for other decodings of the same tasks; nil if another
// decoding would give the same, or if there is one seed.
func (s *Score) Decoded() (successes, progresses *stats.Interval) {
	if len(s.Seeds) < 2 || s.undecoded() != nil || len(s.tasks) == 0 {
		return nil, nil
	}
	first := stats.DecodingRate(byTask(s.tasks, success), Level).Interval
	second := stats.DecodingRate(byTask(s.tasks, progress), Level).Interval
	return &first, &second
}

// uneven reports whether some of so many seeds lack results of tasks that others have.
func uneven(tasks []taskResults, seeds int) bool {
	return slices.ContainsFunc(tasks, func(t taskResults) bool { return len(t.results) < seeds })
}

// estimator makes intervals for the score's question, of the mean over tasks of the mean of the values of each.
func (s *Score) estimator() func(values [][]float64) (stats.Estimate, error) {
	if s.About == stats.TheseTasks {
		return func(values [][]float64) (stats.Estimate, error) {
			if err := s.undecoded(); err != nil {
				return stats.Estimate{}, err
			}
			if len(values) == 0 {
				return stats.Estimate{}, stats.ErrFewTasks
			}
			return stats.DecodingRate(values, Level), nil
		}
	}
	sampling, err := s.sampling(s.tasks, s.About, Level)
	return func(values [][]float64) (stats.Estimate, error) {
		if err != nil {
			return stats.Estimate{}, err
		}
		return sampling.Rate(means(values)), nil
	}
}

// sampling returns the sampling of the played tasks, in the order of their keys.
func (s *Score) sampling(tasks []taskResults, q stats.Question, level float64) (stats.Sampling, error) {
	if s.Condition.Order != "" {
		return stats.Sampling{}, ErrDependent
	}
	var groups []stats.Group
	for _, t := range tasks {
		groups = append(groups, groupOf(s.Condition.Env, *t.Task))
	}
	return stats.NewSampling(q, groups, level)
}

// deterministic reports whether another run would give the same results.
func (s *Score) deterministic() bool {
	d := s.Condition.Decoding
	return d != nil && d.Temperature == 0 || record.Seedless(s.Condition.Agent) || s.EqualSeeds()
}

// NoInterval says why the rates have no interval; nil if they have.
func (s *Score) NoInterval() error {
	_, err := s.estimator()(byTask(s.tasks, success))
	return err
}

// byTask returns the values of the results of each task, sorted: sums of floats depend
// on the order, results must not.
func byTask(tasks []taskResults, measure value) [][]float64 {
	out := make([][]float64, len(tasks))
	for i := range tasks {
		out[i] = make([]float64, 0, len(tasks[i].results))
		for _, p := range tasks[i].results {
			out[i] = append(out[i], measure(p.attempt))
		}
		slices.Sort(out[i])
	}
	return out
}

// meansByTask averages a value over the results of each task.
func meansByTask(tasks []taskResults, measure value) []float64 { return means(byTask(tasks, measure)) }

// means averages each task's values.
func means(values [][]float64) []float64 {
	out := make([]float64, len(values))
	for i := range values {
		out[i] = stats.Mean(values[i])
	}
	return out
}

// gathered groups the values of results by a key, each group sorted as byTask does.
func gathered[K cmp.Ordered](tasks []taskResults, key func(*taskResults, seedResult) K, measure value) map[K][]float64 {
	groups, place := [][]float64{}, map[K]int{}
	for i := range tasks {
		for _, p := range tasks[i].results {
			k := key(&tasks[i], p)
			at, known := place[k]
			if !known {
				at, place[k] = len(groups), len(groups)
				groups = append(groups, make([]float64, 0, len(tasks)))
			}
			groups[at] = append(groups[at], measure(p.attempt))
		}
	}
	out := make(map[K][]float64, len(place))
	for k, at := range place {
		slices.Sort(groups[at])
		out[k] = groups[at]
	}
	return out
}

// averages groups results by a key and averages a value in each group.
func averages[K cmp.Ordered](tasks []taskResults, key func(*taskResults, seedResult) K, measure value) map[K]float64 {
	means := map[K]float64{}
	for k, values := range gathered(tasks, key, measure) {
		means[k] = stats.Mean(values)
	}
	return means
}

// bySeed is a key of results.
func bySeed(_ *taskResults, p seedResult) int64 { return p.seed }

// sorted returns a map's values in the order of its keys.
func sorted[K cmp.Ordered, V any](m map[K]V) []V {
	var out []V
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, m[k])
	}
	return out
}
