package scoring

import (
	"errors"
	"slices"

	"heldout/scoring/stats"
)

// Comparison is one score against another on the same tasks, seeds averaged
// within each task.
type Comparison struct {
	Success, Progress Change
	// About is what the intervals are about, Kinds counts the kinds of the tasks.
	About stats.Question
	Kinds int
	// AtMost: one seed does not separate luck from difficulty. The intervals for
	// these tasks are then the wider intervals for tasks of these kinds.
	AtMost bool
}

// Change is a difference of the first score from the second.
type Change struct {
	stats.Difference
	// NewKindsP is the P value for other kinds, if the interval is about new tasks of
	// these kinds: 1 if the kinds are too few, or if not even P is below 1-Level.
	NewKindsP float64
}

// Reasons why two scores cannot be compared, in addition to stats.ErrFewTasks and
// stats.ErrFewKinds.
var (
	ErrIncomplete = errors.New("not every planned episode has a result")
	ErrOtherTasks = errors.New("they were not made on the same tasks")
)

// Compare pairs two scores by task. Its errors are ErrIncomplete, ErrOtherTasks,
// ErrDeterministic and those of stats.NewSampling.
func Compare(a, b *Score) (Comparison, error) { return CompareMean([]*Score{a}, b) }

// CompareAt is Compare with intervals of another level than Level.
func CompareAt(a, b *Score, level float64) (Comparison, error) {
	return compareAt([]*Score{a}, b, level)
}

// CompareMean pairs the mean of several scores with another one by task. Its
// errors are those of Compare.
func CompareMean(as []*Score, b *Score) (Comparison, error) { return compareAt(as, b, Level) }

func compareAt(as []*Score, b *Score, level float64) (Comparison, error) {
	p, err := newPair(as, b)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{About: p.about, Kinds: b.Kinds(), AtMost: p.atMost()}
	err = c.estimate(level, func(of value, about stats.Question) (stats.Difference, error) {
		return p.difference(of, about, level)
	})
	return c, err
}

// estimate estimates both changes, and how sure each is for new kinds. Compare compares one
// value.
func (c *Comparison) estimate(level float64, compare func(value, stats.Question) (stats.Difference, error)) error {
	for _, rate := range []struct {
		change *Change
		of     value
	}{{&c.Success, success}, {&c.Progress, progress}} {
		d, err := compare(rate.of, c.About)
		*rate.change = Change{Difference: d, NewKindsP: 1}
		if err != nil {
			return err
		}
		if c.About == stats.TheseKinds && d.P < 1-level {
			if wider, err := compare(rate.of, stats.NewKinds); err == nil {
				rate.change.NewKindsP = wider.P
			}
		}
	}
	return nil
}

// pair is scores on the same tasks.
type pair struct {
	as    []*Score
	b     *Score
	about stats.Question
	seeds int // the smallest number
}

// newPair returns ErrIncomplete, ErrOtherTasks or ErrDeterministic if the scores
// cannot be compared.
func newPair(as []*Score, b *Score) (pair, error) {
	p := pair{as, b, b.About, len(b.Seeds)}
	tasks := tasksOf(b)
	for _, s := range append([]*Score{b}, as...) {
		if !s.Complete() {
			return p, ErrIncomplete
		}
	}
	for _, a := range as {
		if !slices.Equal(tasksOf(a), tasks) {
			return p, ErrOtherTasks
		}
		p.seeds = min(p.seeds, len(a.Seeds))
	}
	if p.about == stats.TheseTasks && p.deterministic() {
		return p, ErrDeterministic
	}
	return p, nil
}

// deterministic reports whether other decodings would give the same results.
func (p pair) deterministic() bool {
	return !slices.ContainsFunc(append([]*Score{p.b}, p.as...), func(s *Score) bool { return !s.deterministic() })
}

// tasksOf returns the sorted keys of the played tasks.
func tasksOf(s *Score) []string {
	keys := make([]string, len(s.tasks))
	for i, t := range s.tasks {
		keys[i] = t.key
	}
	return keys
}

// atMost reports whether one seed does not separate luck from difficulty, although
// the interval is about these tasks.
func (p pair) atMost() bool { return p.about == stats.TheseTasks && p.seeds == 1 }

// difference compares one value.
func (p pair) difference(of value, about stats.Question, level float64) (stats.Difference, error) {
	contrast, err := p.contrast(of, about, level)
	if err != nil {
		return stats.Difference{}, err
	}
	return contrast(1, 1)
}

// contrast returns an estimator of u times the mean of the scores less v times the
// other score.
func (p pair) contrast(of value, about stats.Question, level float64) (func(u, v float64) (stats.Difference, error),
	error) {
	if about == stats.TheseTasks {
		if p.seeds > 1 {
			return p.decoding(of, level), nil
		}
		about = stats.TheseKinds
	}
	sampling, err := p.b.sampling(p.b.tasks, about, level)
	if err != nil {
		return nil, err
	}
	as, b := taskMeans(p.as, of), taskMeans([]*Score{p.b}, of)
	return func(u, v float64) (stats.Difference, error) {
		return sampling.Paired(weighted(as, u, b, v), p.seeds), nil
	}, nil
}

// taskMeans averages a value over scores of the same tasks: the means of the tasks, in
// the order of their keys.
func taskMeans(scores []*Score, of value) (means []float64) {
	for _, s := range scores {
		rates := meansByTask(s.tasks, of)
		if means == nil {
			means = make([]float64, len(rates))
		}
		for i, rate := range rates {
			means[i] += rate
		}
	}
	for i := range means {
		means[i] /= float64(len(scores))
	}
	return means
}

// weighted is u·a - v·b.
func weighted(a []float64, u float64, b []float64, v float64) []float64 {
	out := make([]float64, len(a))
	for i := range out {
		out[i] = u*a[i] - v*b[i]
	}
	return out
}

// differences returns the differences of the tasks in the order of their keys.
func (p pair) differences(of value) []float64 {
	return weighted(taskMeans(p.as, of), 1, taskMeans([]*Score{p.b}, of), 1)
}

// decoding compares other decodings of the same tasks.
func (p pair) decoding(of value, level float64) func(u, v float64) (stats.Difference, error) {
	estimate := func(s *Score) stats.Estimate { return stats.DecodingRate(byTask(s.tasks, of), level) }
	var mean stats.Estimate
	k := float64(len(p.as))
	for _, a := range p.as {
		e := estimate(a)
		mean.Mean += e.Mean / k
		mean.Variance += e.Variance / (k * k)
		mean.Degrees += e.Degrees
		mean.N = e.N
	}
	other := estimate(p.b)
	return func(u, v float64) (stats.Difference, error) {
		return stats.DecodingDifference(scaled(mean, u), scaled(other, v), level), nil
	}
}

// scaled is a multiple of an estimate. Nothing of it has no degrees of freedom.
func scaled(e stats.Estimate, by float64) stats.Estimate {
	e.Mean, e.Variance = by*e.Mean, by*by*e.Variance
	if by == 0 {
		e.Degrees = 0
	}
	return e
}
