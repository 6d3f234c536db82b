package scoring

import (
	"slices"

	"heldout/scoring/stats"
)

// Trainings is the score of several trainings of one arm: what a seed is elsewhere, a
// training is here. A player that was not trained is an arm of one.
type Trainings struct{ *Score }

// JoinTrainings joins the scores of the trainings. Its errors are ErrIncomplete and
// ErrOtherTasks.
func JoinTrainings(scores []*Score) (Trainings, error) {
	if _, err := newPair(scores[1:], scores[0]); err != nil {
		return Trainings{}, err
	}
	numbered := make([]*Score, len(scores))
	for i, s := range scores {
		n := *s
		n.Seeds, n.tasks = []int64{int64(i)}, slices.Clone(s.tasks)
		for j := range n.tasks {
			n.tasks[j].played = slices.Clone(n.tasks[j].played)
			for k := range n.tasks[j].played {
				n.tasks[j].played[k].seed = int64(i)
			}
		}
		numbered[i] = &n
	}
	return Trainings{Join(numbered...)}, nil
}

// Interval is that of a rate of the arm, for new trainings and new tasks; ok is false if
// there is none.
func (t Trainings) Interval(r Rate) (in stats.Interval, ok bool) {
	if r.Interval == nil {
		return in, false
	}
	d := stats.Difference{Centre: r.Mean, Interval: *r.Interval, Variance: r.Basis.Variance, Degrees: r.Basis.Degrees}
	in = t.widened(d, r).Interval
	return stats.Interval{Low: max(0, min(in.Low, r.Interval.Low)), High: min(1, max(in.High, r.Interval.High))}, true
}

// widened adds to a difference how its trainings differ. What of that follows from the
// tasks is counted twice, so intervals are rather too wide.
func (t Trainings) widened(d stats.Difference, r Rate) stats.Difference {
	n := float64(len(t.Seeds))
	if n < 2 {
		return d
	}
	return d.Plus(r.SampleStd*r.SampleStd/n, n-1, Level)
}

// CompareTrainings compares two arms as Compare does, for new trainings and new tasks.
func CompareTrainings(a, b Trainings) (Comparison, error) {
	c, err := Compare(a.Score, b.Score)
	if err != nil {
		return c, err
	}
	c.Success.widen(a, b, a.Success, b.Success)
	c.Progress.widen(a, b, a.Progress, b.Progress)
	return c, nil
}

// widen adds how the trainings of two arms differ, whose rates are given.
func (c *Change) widen(a, b Trainings, ours, theirs Rate) {
	c.Difference = b.widened(a.widened(c.Difference, ours), theirs)
	c.plans = []stats.Plan{stats.PlanOf(c.Difference, c.seeds)}
}
