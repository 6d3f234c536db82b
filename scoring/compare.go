package scoring

import (
	"errors"
	"math"
	"slices"

	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Comparison is one score against another on the same tasks, seeds averaged within each task.
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

// Reasons why two scores cannot be compared, in addition to stats.ErrFewTasks and stats.ErrFewKinds.
var (
	ErrIncomplete = errors.New("not every planned episode has a result")
	ErrOtherTasks = errors.New("they were not made on the same tasks")
)

// Compare pairs two scores by task. Its errors are ErrIncomplete, ErrOtherTasks,
// ErrDeterministic and the errors of stats.NewSampling.
func Compare(a, b *Score) (Comparison, error) { return CompareMean([]*Score{a}, b) }

// CompareMean pairs the mean of several scores with the mean of others, or with one, by task. Its errors are Compare's.
func CompareMean(scores []*Score, further ...*Score) (Comparison, error) {
	p, err := newPair(scores, further...)
	if err != nil {
		return Comparison{}, err
	}
	return compare([]pair{p}, []float64{1}, p.b.Kinds())
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
			d, err := p.difference(measure, about)
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

// ratedChange is a change with the value that changes.
type ratedChange struct {
	change  *Change
	measure value
}

func (c *Comparison) changes() []ratedChange {
	return []ratedChange{{&c.Success, success}, {&c.Progress, progress}}
}

// estimate estimates both changes, and how sure each is for new kinds. Compare compares one value.
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

// pair is scores on the same tasks that are compared: means of scores, of which some are subtracted.
type pair struct {
	arms  []arm
	b     *Score // the first that is subtracted
	about stats.Question
	seeds int // the smallest number
}

// arm is the mean of scores.
type arm struct {
	scores            []*Score
	subtracted, moves bool // as stats.Arm has them
}

// weight is the one that each score of the arm has.
func (a arm) weight() float64 {
	if a.subtracted {
		return -1 / float64(len(a.scores))
	}
	return 1 / float64(len(a.scores))
}

// newPair pairs the mean of scores with the mean of others. It returns ErrIncomplete, ErrOtherTasks, ErrDependent or
// ErrDeterministic if the scores cannot be compared.
func newPair(scores []*Score, further ...*Score) (pair, error) {
	b := further[0]
	p := pair{arms: []arm{{scores, false, true}, {further, true, false}}, b: b, about: b.About, seeds: b.worth()}
	joined, tasks := append(slices.Clone(further), scores...), tasksOf(b)
	for _, s := range joined {
		if !s.Complete() {
			return p, ErrIncomplete
		}
	}
	for _, s := range joined {
		if s.Condition.Order != "" {
			return p, ErrDependent
		}
		if !slices.Equal(tasksOf(s), tasks) {
			return p, ErrOtherTasks
		}
		p.seeds = min(p.seeds, s.worth())
	}
	if p.about == stats.TheseTasks && p.deterministic() {
		return p, ErrDeterministic
	}
	return p, nil
}

// CompareChanges compares two changes by task: the change of the mean of some scores from
// their base, and of others from theirs. The errors are Compare's.
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
	p.arms = append(p.arms, arm{bs, true, false}, arm{[]*Score{bBase}, false, false})
	p.seeds = min(p.seeds, q.seeds)
	return compare([]pair{p}, []float64{1}, aBase.Kinds())
}

// scores are the scores of all arms.
func (p pair) scores() []*Score {
	return slices.Concat(table.Each(p.arms, func(a arm) []*Score { return a.scores })...)
}

// deterministic reports whether other decodings would give the same results.
func (p pair) deterministic() bool {
	return !slices.ContainsFunc(p.scores(), func(s *Score) bool { return !s.deterministic() })
}

// tasksOf returns the sorted keys of the played tasks.
func tasksOf(s *Score) []string {
	return table.Each(s.tasks, func(t taskResults) string { return t.key })
}

// atMost reports whether one seed does not separate luck from difficulty, although
// the interval is about these tasks.
func (p pair) atMost() bool { return p.about == stats.TheseTasks && p.seeds == 1 }

// difference compares one value.
func (p pair) difference(measure value, about stats.Question) (stats.Difference, error) {
	if about == stats.TheseTasks && p.seeds > 1 {
		return p.decoding(measure), nil
	}
	sampling, err := p.b.sampling(about)
	switch {
	case err != nil:
		return stats.Difference{}, err
	case len(p.arms) > 2:
		return sampling.PairedChanges(p.differences(measure), p.seeds), nil
	}
	return sampling.Paired(p.differences(measure), p.seeds), nil
}

// taskMeans averages a value over scores of the same tasks: the means of the tasks, in the order of their keys.
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

// differences returns the differences of the tasks in the order of their keys.
func (p pair) differences(measure value) []float64 {
	out := make([]float64, len(p.b.tasks))
	for _, a := range p.arms {
		sign := a.weight() * float64(len(a.scores))
		for i, mean := range taskMeans(a.scores, measure) {
			out[i] += sign * mean
		}
	}
	return out
}

// decodingVariance is the variance of a task's difference from decoding, per seed, on average over the tasks.
func (p pair) decodingVariance(measure value) (v float64) {
	for _, a := range p.arms {
		for _, s := range a.scores {
			for _, values := range byTask(s.tasks, measure) {
				v += a.weight() * a.weight() * stats.Variance(values) / float64(len(s.tasks))
			}
		}
	}
	return v
}

// decoding compares other decodings of the same tasks: variances add up, whatever the signs.
func (p pair) decoding(measure value) stats.Difference {
	var sides [2]stats.Estimate // what counts, and what is subtracted
	for _, a := range p.arms {
		side := &sides[0]
		if a.subtracted {
			side = &sides[1]
		}
		for _, s := range a.scores {
			e, weight := stats.DecodingRate(byTask(s.tasks, measure), Level), math.Abs(a.weight())
			side.Mean, side.Variance = side.Mean+weight*e.Mean, side.Variance+weight*weight*e.Variance
			side.Degrees, side.N = side.Degrees+e.Degrees, e.N
		}
	}
	return stats.DecodingDifference(sides[0], sides[1], Level)
}

// planArms are the arms as plans take them.
func (p pair) planArms(measure value) []stats.Arm {
	return table.Each(p.arms, func(a arm) stats.Arm {
		return stats.Arm{Rate: stats.Mean(taskMeans(a.scores, measure)), Conditions: len(a.scores),
			Subtracted: a.subtracted, Moves: a.moves}
	})
}
