package scoring

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"

	"heldout/eval/record"
	"heldout/scoring/stats"
)

// Rate is a rate over seeds: the mean of the means of every seed's episodes, and
// how those means spread. All values are fractions. NaN means that there are not
// enough episodes.
type Rate struct {
	Estimate
	// PopulationStd and SampleStd are the standard deviations of the means per
	// seed, with divisors n and n-1.
	PopulationStd, SampleStd float64
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

// newRate averages a value of results.
func (s *Score) newRate(ps []played, value func(record.Result) float64) Rate {
	runs := averages(ps, func(p played) int64 { return p.seed }, value)
	r := Rate{Estimate: Estimate{Mean: math.NaN()}, PopulationStd: math.NaN(), SampleStd: math.NaN()}
	if len(runs) == 0 {
		return r
	}
	means := sorted(runs)
	r.Mean = stats.Mean(means)
	if len(means) > 1 {
		r.PopulationStd, r.SampleStd = stats.PopulationStd(means), stats.SampleStd(means)
	}
	if e, err := s.estimate(ps, value); err == nil {
		r.Basis, r.Interval = e, &e.Interval
	}
	return r
}

// estimate makes the interval for the score's question.
func (s *Score) estimate(ps []played, value func(record.Result) float64) (stats.Estimate, error) {
	return s.estimateAt(ps, value, Level)
}

func (s *Score) estimateAt(ps []played, value func(record.Result) float64, level float64) (stats.Estimate, error) {
	if s.About == stats.TheseTasks {
		if s.deterministic() {
			return stats.Estimate{}, ErrDeterministic
		}
		values := sorted(gathered(ps, taskKey, value))
		if len(values) == 0 {
			return stats.Estimate{}, stats.ErrFewTasks
		}
		return stats.DecodingRate(values, level), nil
	}
	sampling, err := s.sampling(ps, s.About, level)
	if err != nil {
		return stats.Estimate{}, err
	}
	return sampling.Rate(sorted(averages(ps, taskKey, value))), nil
}

// sampling returns the sampling of the played tasks, in the order of their keys.
func (s *Score) sampling(ps []played, q stats.Question, level float64) (stats.Sampling, error) {
	groups := map[string]stats.Group{}
	for _, p := range ps {
		groups[taskKey(p)] = groupOf(s.Condition.Env, *p.task)
	}
	return stats.NewSampling(q, sorted(groups), level)
}

// deterministic reports whether another run would give the same results.
func (s *Score) deterministic() bool {
	d := s.Condition.Decoding
	return d != nil && d.Temperature == 0 || s.Condition.Agent == "expert"
}

// NoInterval says why the rates have no interval; nil if they have.
func (s *Score) NoInterval() error {
	_, err := s.estimate(s.played, success)
	return err
}

// taskKey identifies a task: two tasks with the same name may differ, and two
// equal tasks may have different names.
func taskKey(p played) string { return p.task.ID + " " + p.task.Digest }

// gathered groups what was played by a key.
func gathered[K cmp.Ordered](ps []played, key func(played) K, value func(record.Result) float64) map[K][]float64 {
	groups := map[K][]float64{}
	for _, p := range ps {
		groups[key(p)] = append(groups[key(p)], value(*p.result))
	}
	for _, values := range groups {
		slices.Sort(values) // sums of floats depend on the order, results must not
	}
	return groups
}

// averages groups what was played by a key and averages a value in each group.
func averages[K cmp.Ordered](ps []played, key func(played) K, value func(record.Result) float64) map[K]float64 {
	means := map[K]float64{}
	for k, values := range gathered(ps, key, value) {
		means[k] = stats.Mean(values)
	}
	return means
}

// sorted returns a map's values in the order of its keys.
func sorted[K cmp.Ordered, V any](m map[K]V) []V {
	var out []V
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, m[k])
	}
	return out
}
