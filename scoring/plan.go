package scoring

import "heldout/scoring/stats"

// Plan holds the sources of variance of the difference of two scores. They
// determine how many seeds or tasks show a difference.
type Plan struct {
	stats.Plan
	Seeds int
	// Known is false if there is only one seed, which does not separate tasks from
	// decoding. All variance then counts as variance between tasks.
	Known bool
	// fixed: the tasks stay, so that only decoding counts.
	fixed bool
}

// Bounds are the plans between which the truth lies: the plan itself if the sources
// are known. Otherwise all variance is that of tasks in the first and that of
// decoding in the second. Only the second is there if the tasks stay.
func (p Plan) Bounds() []stats.Plan {
	if p.Known || p.Task == 0 {
		return []stats.Plan{p.Plan}
	}
	decoding := p.Plan
	decoding.Task, decoding.Seed = 0, p.Task
	if p.fixed {
		return []stats.Plan{decoding}
	}
	return []stats.Plan{p.Plan, decoding}
}

// PlanSuccess and PlanProgress make plans for both rates; the errors are those of
// Compare.
func PlanSuccess(a, b *Score) (Plan, error)  { return planOf(a, b, success) }
func PlanProgress(a, b *Score) (Plan, error) { return planOf(a, b, progress) }

func planOf(a, b *Score, of value) (Plan, error) {
	p, err := newPair([]*Score{a}, b)
	if err != nil {
		return Plan{}, err
	}
	return p.plan(of)
}

func (p pair) plan(of value) (Plan, error) {
	about, fixed := p.about, p.about == stats.TheseTasks
	if fixed {
		about = stats.TheseKinds
	}
	sampling, err := p.b.sampling(p.b.tasks, about, Level)
	if err != nil {
		return Plan{}, err
	}
	n := float64(len(p.b.tasks))
	variance, degrees := sampling.Variance(p.differences(of))
	out := Plan{Plan: stats.Plan{Degrees: degrees, N: len(p.b.tasks), Level: Level}, Seeds: p.seeds,
		Known: p.seeds > 1, fixed: fixed}
	if out.Known {
		out.Seed = p.decodingVariance(of)
	}
	out.Task = max(0, n*variance-out.Seed/float64(p.seeds))
	if fixed && out.Known {
		out.Task, out.Fixed = 0, true
		if d, err := p.difference(of, p.about, Level); err == nil {
			out.Degrees = d.Degrees
		}
	}
	return out, nil
}

// Against is the difference of a rate from a published one on as many tasks, by
// Newcombe's unpaired interval. The published run had one seed, so a binomial
// distribution over its tasks bounds its spread. The errors are those of
// NoInterval.
func (s *Score) Against(published float64, tasks int, rate string) (stats.Difference, error) {
	of := success
	if rate == "progress" {
		of = progress
	}
	e, err := s.estimateAt(s.tasks, of, Level)
	if err != nil {
		return stats.Difference{}, err
	}
	ours := func(level float64) stats.Interval {
		at, err := s.estimateAt(s.tasks, of, level)
		if err != nil {
			return e.Interval // it exists at another level, so it exists at this one too
		}
		return at.Interval
	}
	theirs := func(level float64) stats.Interval { return stats.Wilson(published, float64(tasks), level) }
	d := stats.Unpaired(e.Mean, published, ours, theirs, Level)
	d.N = tasks
	return d, nil
}
