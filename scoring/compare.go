package scoring

import (
	"errors"
	"slices"

	"gonum.org/v1/gonum/stat"

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

	plans   []stats.Components // on independent sets of tasks
	weights []float64
	seeds   int
}

// Sensitivity is the smallest true difference that the test finds with a probability of 80 %
// at a confidence level, as a fraction; infinite if it finds none.
func (c Change) Sensitivity(level float64) float64 {
	plans := slices.Clone(c.plans)
	for i := range plans {
		plans[i].Level = level
	}
	return stats.Smallest(plans, c.weights, float64(c.seeds))
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

// CompareMean pairs the mean of several scores with another one by task. Its
// errors are those of Compare.
func CompareMean(scores []*Score, b *Score) (Comparison, error) {
	p, err := newPair(scores, b)
	if err != nil {
		return Comparison{}, err
	}
	return compare([]pair{p}, []float64{1}, b.Kinds())
}

// compare compares pairs on independent sets of tasks by their weighted mean.
func compare(pairs []pair, weights []float64, kinds int) (Comparison, error) {
	c := Comparison{About: pairs[0].about, Kinds: kinds}
	for _, p := range pairs {
		c.AtMost = c.AtMost || p.atMost()
	}
	err := c.estimate(func(measure value, about stats.Question) (stats.Difference, error) {
		var parts []stats.Difference
		for _, p := range pairs {
			d, err := p.difference(measure, about, Level)
			if err != nil || len(pairs) == 1 {
				return d, err
			}
			parts = append(parts, d)
		}
		return stats.CombineDifferences(parts, weights, Level), nil
	})
	if err != nil {
		return c, err
	}
	for _, rate := range c.changes() {
		rate.change.weights, rate.change.seeds = weights, pairs[0].seeds
		for _, p := range pairs {
			plan, err := p.plan(rate.measure)
			if err != nil {
				return c, err
			}
			rate.change.plans = append(rate.change.plans, plan.Components)
			rate.change.seeds = min(rate.change.seeds, p.seeds)
		}
	}
	return c, nil
}

// ratedChange is a change with the value that it is of.
type ratedChange struct {
	change  *Change
	measure value
}

func (c *Comparison) changes() []ratedChange {
	return []ratedChange{{&c.Success, success}, {&c.Progress, progress}}
}

// estimate estimates both changes, and how sure each is for new kinds. Compare compares one
// value.
func (c *Comparison) estimate(compare func(value, stats.Question) (stats.Difference, error)) error {
	for _, rate := range c.changes() {
		d, err := compare(rate.measure, c.About)
		*rate.change = Change{Difference: d, NewKindsP: 1}
		if err != nil {
			return err
		}
		if c.About == stats.TheseKinds && d.P < 1-Level {
			if wider, err := compare(rate.measure, stats.NewKinds); err == nil {
				rate.change.NewKindsP = wider.P
			}
		}
	}
	return nil
}

// pair is scores on the same tasks: the mean of several against another one.
type pair struct {
	scores []*Score
	b      *Score
	about  stats.Question
	seeds  int // the smallest number
	// minus is a pair on the same tasks that is subtracted from this one; nil for none.
	minus *pair
}

// newPair returns ErrIncomplete, ErrOtherTasks or ErrDeterministic if the scores
// cannot be compared.
func newPair(scores []*Score, b *Score) (pair, error) {
	p := pair{scores: scores, b: b, about: b.About, seeds: len(b.Seeds)}
	tasks := tasksOf(b)
	for _, s := range append([]*Score{b}, scores...) {
		if !s.Complete() {
			return p, ErrIncomplete
		}
	}
	for _, a := range scores {
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

// CompareChanges compares two changes by task: that of the mean of some scores from their
// base, and that of others from theirs. The errors are those of Compare.
func CompareChanges(scores []*Score, aBase *Score, bs []*Score, bBase *Score) (Comparison, error) {
	p, err := newPair(scores, aBase)
	if err != nil {
		return Comparison{}, err
	}
	q, err := newPair(bs, bBase)
	if err == nil && !slices.Equal(tasksOf(aBase), tasksOf(bBase)) {
		err = ErrOtherTasks
	}
	if err != nil {
		return Comparison{}, err
	}
	p.minus, p.seeds = &q, min(p.seeds, q.seeds)
	return compare([]pair{p}, []float64{1}, aBase.Kinds())
}

// deterministic reports whether other decodings would give the same results.
func (p pair) deterministic() bool {
	return !slices.ContainsFunc(append([]*Score{p.b}, p.scores...), func(s *Score) bool { return !s.deterministic() })
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
func (p pair) difference(measure value, about stats.Question, level float64) (stats.Difference, error) {
	contrast, err := p.contrast(measure, about, level)
	if err != nil {
		return stats.Difference{}, err
	}
	return contrast(1, 1)
}

// contrast returns an estimator of u times the mean of the scores less v times the
// other score.
func (p pair) contrast(metric value, about stats.Question, level float64) (func(u, v float64) (stats.Difference, error),
	error) {
	if about == stats.TheseTasks {
		if p.seeds > 1 {
			return p.decoding(metric, level), nil
		}
		about = stats.TheseKinds
	}
	sampling, err := p.b.sampling(p.b.tasks, about, level)
	if err != nil {
		return nil, err
	}
	if p.minus != nil {
		return func(u, v float64) (stats.Difference, error) {
			return sampling.PairedChanges(p.differences(metric), p.seeds), nil
		}, nil
	}
	a, b := taskMeans(p.scores, metric), taskMeans([]*Score{p.b}, metric)
	return func(u, v float64) (stats.Difference, error) {
		return sampling.Paired(weighted(a, u, b, v), p.seeds), nil
	}, nil
}

// taskMeans averages a value over scores of the same tasks: the means of the tasks, in
// the order of their keys.
func taskMeans(scores []*Score, measure value) (means []float64) {
	for _, s := range scores {
		rates := meansByTask(s.tasks, measure)
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
func (p pair) differences(measure value) []float64 {
	diffs := weighted(taskMeans(p.scores, measure), 1, taskMeans([]*Score{p.b}, measure), 1)
	if p.minus == nil {
		return diffs
	}
	return weighted(diffs, 1, p.minus.differences(measure), 1)
}

// decodingVariance is the variance of a task's difference from decoding, per seed, on
// average over the tasks.
func (p pair) decodingVariance(measure value) float64 {
	spread := func(s *Score) (v float64) {
		for _, values := range byTask(s.tasks, measure) {
			v += stat.Variance(values, nil) / float64(len(s.tasks))
		}
		return v
	}
	v, k := spread(p.b), float64(len(p.scores))
	for _, a := range p.scores {
		v += spread(a) / (k * k)
	}
	if p.minus != nil {
		v += p.minus.decodingVariance(measure)
	}
	return v
}

// decoding compares other decodings of the same tasks.
func (p pair) decoding(measure value, level float64) func(u, v float64) (stats.Difference, error) {
	estimate := func(s *Score) stats.Estimate { return stats.DecodingRate(byTask(s.tasks, measure), level) }
	var mean stats.Estimate
	k := float64(len(p.scores))
	for _, a := range p.scores {
		e := estimate(a)
		mean.Mean += e.Mean / k
		mean.Variance += e.Variance / (k * k)
		mean.Degrees += e.Degrees
		mean.N = e.N
	}
	base := estimate(p.b)
	if p.minus != nil { // sums of variances, whatever the signs
		for _, e := range append(slices.Clone(p.minus.scores), p.minus.b) {
			weight := 1 / float64(len(p.minus.scores))
			if e == p.minus.b {
				weight = -1
			}
			part := scaled(estimate(e), weight)
			base.Mean, base.Variance = base.Mean+part.Mean, base.Variance+part.Variance
			base.Degrees += part.Degrees
		}
	}
	return func(u, v float64) (stats.Difference, error) {
		return stats.DecodingDifference(scaled(mean, u), scaled(base, v), level), nil
	}
}

// scaled is a multiple of an estimate. Nothing of it has no degrees of freedom.
func scaled(e stats.Estimate, factor float64) stats.Estimate {
	e.Mean, e.Variance = factor*e.Mean, factor*factor*e.Variance
	if factor == 0 {
		e.Degrees = 0
	}
	return e
}
