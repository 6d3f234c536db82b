package scoring

import "heldout/scoring/stats"

// VarianceSources holds the sources of variance of the difference of two scores. They
// determine how many seeds or tasks show a difference.
type VarianceSources struct {
	stats.Components
	Seeds int
	// Separated is false if there is only one seed, which does not separate tasks from
	// decoding. All variance then counts as variance between tasks.
	Separated bool
	// fixed: the tasks stay, so that only decoding counts.
	fixed bool
}

// Bounds are the plans between which the truth lies: the plan itself if the sources
// are known. Otherwise all variance comes from tasks in the first and from decoding
// in the second. Only the second is there if the tasks stay.
func (p VarianceSources) Bounds() []stats.Components {
	if p.Separated || p.Task == 0 {
		return []stats.Components{p.Components}
	}
	decoding := p.Components
	decoding.Task, decoding.Seed = 0, p.Task
	if p.fixed {
		return []stats.Components{decoding}
	}
	return []stats.Components{p.Components, decoding}
}

// PlanSuccess and PlanProgress make plans for both rates; the errors are Compare's.
func PlanSuccess(a, b *Score) (VarianceSources, error)  { return planOf(a, b, success) }
func PlanProgress(a, b *Score) (VarianceSources, error) { return planOf(a, b, progress) }

func planOf(a, b *Score, measure value) (VarianceSources, error) {
	p, err := newPair([]*Score{a}, b)
	if err != nil {
		return VarianceSources{}, err
	}
	return p.plan(measure)
}

func (p pair) plan(measure value) (VarianceSources, error) {
	fixed := p.about == stats.TheseTasks
	sampling, err := p.b.sampling(p.about)
	if err != nil {
		return VarianceSources{}, err
	}
	n := float64(len(p.b.tasks))
	variance, degrees := sampling.Variance(p.differences(measure))
	out := VarianceSources{Components: stats.Components{Degrees: degrees, N: len(p.b.tasks), Level: Level,
		Arms: p.planArms(measure)},
		Seeds:     p.seeds,
		Separated: p.seeds > 1, fixed: fixed}
	if out.Separated {
		out.Seed = p.decodingVariance(measure)
	}
	out.Task = max(0, n*variance-out.Seed/float64(p.seeds))
	if fixed && out.Separated {
		out.Task, out.Fixed = 0, true
		if d, err := p.difference(measure, p.about); err == nil {
			out.Degrees = d.Degrees
		}
	}
	return out, nil
}
