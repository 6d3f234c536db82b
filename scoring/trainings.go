package scoring

import (
	"slices"

	"heldout/configs"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Trainings is the score of several trainings of one arm: what a seed is elsewhere, a
// training is here. A player that was not trained is an arm of one.
type Trainings struct {
	*Score
	// Parts are the scores of the trainings.
	Parts []*Score
}

// JoinTrainings joins the scores of the trainings. Its errors are ErrIncomplete and ErrOtherTasks.
func JoinTrainings(scores []*Score) (Trainings, error) {
	if _, err := newPair(scores[1:], scores[0]); err != nil {
		return Trainings{}, err
	}
	numbered := make([]*Score, len(scores))
	for i, s := range scores {
		n := *s
		n.Seeds, n.tasks = []int64{int64(i)}, slices.Clone(s.tasks)
		for j := range n.tasks {
			n.tasks[j].results = slices.Clone(n.tasks[j].results)
			for k := range n.tasks[j].results {
				n.tasks[j].results[k].seed = int64(i)
			}
		}
		numbered[i] = &n
	}
	return Trainings{Join(numbered...), scores}, nil
}

// Estimate is a rate of the arm with its interval for new trainings and new tasks.
func (t Trainings) Estimate(r Rate) *Estimate {
	e := Widened(r.Estimate, r.SampleStd, len(t.Parts))
	return &e
}

// Widened is the estimate of a mean over several trainings, whose means have that standard deviation: its interval
// is for new trainings and new tasks, and at least the one that it has for new tasks.
func Widened(e Estimate, std float64, trainings int) Estimate {
	if e.Interval == nil {
		return e
	}
	d := stats.Difference{Centre: e.Mean, Interval: *e.Interval, Variance: e.Basis.Variance, Degrees: e.Basis.Degrees}
	in := widened(d, std, trainings).Interval
	e.Interval = &stats.Interval{Low: max(0, min(in.Low, e.Interval.Low)), High: min(1, max(in.High, e.Interval.High))}
	return e
}

// widened adds to a difference the variance of the mean of several trainings, whose means have that standard
// deviation. What of that follows from the tasks is counted twice, so intervals are rather too wide.
func widened(d stats.Difference, std float64, trainings int) stats.Difference {
	n := float64(trainings)
	if trainings < 2 {
		return d
	}
	return d.Plus(std*std/n, n-1, Level)
}

// CompareTrainings compares two arms as Compare does, for new trainings and new tasks.
func CompareTrainings(a, b Trainings) (Comparison, error) {
	c, err := Compare(a.Score, b.Score)
	if err != nil {
		return c, err
	}
	c.Success.widen(a.Success.SampleStd, len(a.Parts), b.Success.SampleStd, len(b.Parts))
	c.Progress.widen(a.Progress.SampleStd, len(a.Parts), b.Progress.SampleStd, len(b.Parts))
	return c, nil
}

// CompareHeldOutTrainings compares the held-out scores of two arms, which have trainings on
// every held-out environment.
func CompareHeldOutTrainings(w configs.Weights, a, b map[string]Trainings) (Comparison, error) {
	c, err := CompareHeldOut(w, scoresOf(a), scoresOf(b))
	if err != nil {
		return c, err
	}
	ours, theirs := HeldOutSpread(w, scoresOf(a)), HeldOutSpread(w, scoresOf(b))
	c.Success.widen(ours.Success.SampleStd, ours.Seeds, theirs.Success.SampleStd, theirs.Seeds)
	c.Progress.widen(ours.Progress.SampleStd, ours.Seeds, theirs.Progress.SampleStd, theirs.Seeds)
	return c, nil
}

func scoresOf(arms map[string]Trainings) map[string]*Score {
	out := map[string]*Score{}
	for place, arm := range arms {
		out[place] = arm.Score
	}
	return out
}

// widen adds how the trainings of two arms differ: the standard deviations and the numbers of their trainings.
func (c *Change) widen(ours float64, our int, theirs float64, their int) {
	c.Difference = widened(widened(c.Difference, ours, our), theirs, their)
	plan := stats.PlanOf(c.Difference, c.seeds)
	for i, a := range c.plans[0].Arms {
		rates := table.Each(c.plans, func(p stats.Components) float64 { return p.Arms[i].Rate })
		a.Rate = stats.WeightedMean(rates, c.weights)
		plan.Arms = append(plan.Arms, a)
	}
	c.plans, c.weights = []stats.Components{plan}, []float64{1}
}
