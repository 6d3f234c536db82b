package scoring

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"

	"heldout/scoring/record"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Rate is a rate over tasks and seeds, and how the means of the seeds' episodes spread. It is the mean over tasks
// of the mean over the seeds of each, which is also the mean of the seeds' means if all have the same tasks: while
// a run is half done, its latest seed has few tasks, and its mean does not estimate of the rate. All values are
// fractions. NaN means that there are not enough episodes.
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

// Bounds are the mean and the limits of its interval, nil where there is none.
func (e Estimate) Bounds() (mean, low, high *float64) {
	switch {
	case math.IsNaN(e.Mean):
		return nil, nil, nil
	case e.Interval == nil:
		return &e.Mean, nil, nil
	}
	return &e.Mean, &e.Interval.Low, &e.Interval.High
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
func (s *Score) newRate(measure value) Rate {
	seeds := sorted(averages(s.tasks, bySeed, measure))
	if len(seeds) == 0 {
		return Rate{Estimate{Mean: math.NaN()}, math.NaN()}
	}
	values := byTask(s.tasks, measure)
	e, _ := s.estimator()(values, 0, means(values))
	if !uneven(s.tasks, len(seeds)) {
		e.Mean = stats.Mean(seeds)
	}
	return Rate{e, stats.SampleStd(seeds)}
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

// estimator estimates a mean over tasks from what the values of each come to: their mean, or the best of so
// many tries if these are not 0. The error says why there is no interval.
type estimator func(values [][]float64, tries int, weights []float64) (Estimate, error)

// estimator makes intervals for the score's question.
func (s *Score) estimator() estimator {
	sampling, none := stats.Sampling{}, s.undecoded()
	if s.About != stats.TheseTasks {
		sampling, none = s.sampling(s.About)
	}
	return func(values [][]float64, tries int, weights []float64) (e Estimate, err error) {
		e.Mean = stats.Mean(weights)
		switch {
		case none != nil:
			return e, none
		case s.About != stats.TheseTasks:
			e.Basis = sampling.Rate(weights)
		case tries > 0:
			e.Basis, err = stats.DecodingBestOf(values, tries, Level)
		case len(values) == 0:
			err = stats.ErrFewTasks
		default:
			e.Basis = stats.DecodingRate(values, Level)
		}
		if err != nil {
			return Estimate{Mean: e.Mean}, err
		}
		e.Interval = &e.Basis.Interval
		return e, nil
	}
}

// sampling returns the sampling of the played tasks, in the order of their keys. If the question is about these
// tasks, of which one seed does not separate luck from difficulty, it is that of tasks of their kinds.
func (s *Score) sampling(q stats.Question) (stats.Sampling, error) {
	if s.Condition.Order != "" {
		return stats.Sampling{}, ErrDependent
	}
	groups := table.Each(s.tasks, func(t taskResults) stats.Group { return groupOf(s.Condition.Env, *t.Task) })
	return stats.NewSampling(q, groups, Level)
}

// deterministic reports whether another run would give the same results.
func (s *Score) deterministic() bool {
	d := s.Condition.Decoding
	return d != nil && d.Temperature == 0 || record.Seedless(s.Condition.Agent) || s.EqualSeeds()
}

// NoInterval says why the rates have no interval; nil if they have.
func (s *Score) NoInterval() error {
	values := byTask(s.tasks, success)
	_, err := s.estimator()(values, 0, means(values))
	return err
}

// byTask returns the values of the results of each task, sorted: sums of floats depend
// on the order, results must not.
func byTask(tasks []taskResults, measure value) [][]float64 {
	return table.Each(tasks, func(t taskResults) []float64 {
		values := table.Each(t.results, func(p seedResult) float64 { return measure(p.attempt) })
		slices.Sort(values)
		return values
	})
}

// meansByTask averages a value over the results of each task.
func meansByTask(tasks []taskResults, measure value) []float64 { return means(byTask(tasks, measure)) }

// means averages each task's values.
func means(values [][]float64) []float64 { return table.Each(values, stats.Mean) }

// gathered groups the values of results by a key, each group sorted as byTask does.
func gathered[K cmp.Ordered](tasks []taskResults, key func(*taskResults, seedResult) K, measure value) map[K][]float64 {
	groups, place := [][]float64{}, map[K]int{}
	for i := range tasks {
		for _, p := range tasks[i].results {
			k := key(&tasks[i], p)
			index, ok := place[k]
			if !ok {
				index, place[k] = len(groups), len(groups)
				groups = append(groups, make([]float64, 0, len(tasks)))
			}
			groups[index] = append(groups[index], measure(p.attempt))
		}
	}
	out := make(map[K][]float64, len(place))
	for k, index := range place {
		slices.Sort(groups[index])
		out[k] = groups[index]
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
	return table.Each(slices.Sorted(maps.Keys(m)), func(k K) V { return m[k] })
}

// metricOf is the value of a preset's metric.
func metricOf(r *record.Result) float64 {
	if r.Score == nil {
		return math.NaN() // a result of a preset always has one
	}
	return *r.Score
}

func metric(a *attempt) float64 { return a.score }

// loose is 1 if an episode meets the looser definition of success.
func loose(a *attempt) float64 { return stats.Indicator(a.loose) }

// Metric returns the mean of the preset's metric. Scores may be negative: the interval is for a value between the
// smallest possible score and 1. There is none if a score is above 1, and none for means over task types.
func (s *Score) Metric(overTypes bool) Rate {
	lowest, highest := 0.0, 1.0
	for _, t := range s.tasks {
		for _, p := range t.results {
			if p.score < 0 {
				lowest = -1
			}
			highest = max(highest, p.score)
		}
	}
	width := highest - lowest
	r := s.newRate(func(a *attempt) float64 { return (a.score - lowest) / width })
	r.Mean = lowest + width*r.Mean
	r.SampleStd *= width
	switch {
	case overTypes:
		r.Mean, r.Interval = stats.Mean(sorted(averages(s.tasks, byType, metric))), nil
	case highest > 1:
		r.Interval = nil
	case r.Interval != nil:
		r.Interval = &stats.Interval{Low: lowest + width*r.Interval.Low, High: lowest + width*r.Interval.High}
	}
	return r
}

// Loose returns the rate of the preset's looser definition of success.
func (s *Score) Loose() Rate { return s.newRate(loose) }

// byType is a key of results.
func byType(t *taskResults, _ seedResult) string { return t.Type }
