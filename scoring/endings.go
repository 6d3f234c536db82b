package scoring

import (
	"maps"

	"heldout/scoring/record"
	"heldout/scoring/refinement"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Endings counts how the planned episodes ended. Each has one ending.
type Endings struct {
	Solved int
	// Limit counts the unsolved episodes that used all steps, Early those that
	// ended before: the game was over or the agent gave up.
	Limit, Early int
	// Unfinished counts the episodes without a result by the outcome of their last
	// attempt; "" stands for episodes that were never tried.
	Unfinished map[record.Outcome]int
}

// Endings returns how the episodes of a score ended.
func (s *Score) Endings() Endings {
	out := Endings{Unfinished: maps.Clone(s.Unfinished)}
	for _, t := range s.tasks {
		for _, p := range t.results {
			switch {
			case p.success:
				out.Solved++
			case int(p.steps) >= s.Condition.StepLimit:
				out.Limit++
			default:
				out.Early++
			}
		}
	}
	return out
}

// Lost says what the steps of unsolved episodes were. Each step counts once, for the first that applies.
type Lost struct {
	Episodes, Steps int
	// CutOff counts format errors whose reply the length limit ended, Format the other format errors, Invalid
	// invalid actions, Loops valid steps inside a cycle.
	CutOff, Format, Invalid, Loops int
}

// Lost returns what the steps of unsolved episodes were; not ok if the run was read without trajectories.
func (s *Score) Lost() (out Lost, ok bool) {
	for _, t := range s.tasks {
		for _, p := range t.results {
			if p.counts == nil || p.counts.ProgressOnly {
				return Lost{}, false
			}
			if !p.success {
				out.add(p.counts)
			}
		}
	}
	return out, true
}

func (l *Lost) add(c *refinement.Counts) {
	l.Episodes++
	l.Steps += int(c.Steps)
	l.CutOff += int(c.CutOffErrors)
	l.Format += int(c.FormatErrors - c.CutOffErrors)
	l.Invalid += int(c.Invalid)
	l.Loops += int(c.ValidLooped)
}

// ByStep holds what the episodes had reached after a number of steps. What an
// episode reached at its last step stays.
type ByStep struct {
	Step int
	// Success is the share of solved episodes, Progress the mean progress: means over seeds, then over tasks.
	Success, Progress Estimate
}

// mostPoints is the largest number of points of a curve over steps.
const mostPoints = 60

// BySteps returns the curves over steps from step 1 to the last step of the longest episode, at most mostPoints
// points at equal distances. It is nil if the run was read without trajectories.
func (s *Score) BySteps() (points []ByStep) {
	counts := s.counts()
	longest := 0
	for _, task := range counts {
		for _, c := range task {
			longest = max(longest, int(c.Steps))
		}
	}
	estimate := s.estimator()
	stride := (longest + mostPoints - 1) / mostPoints
	for step := max(1, stride); step < longest+stride; step += max(1, stride) {
		step := min(step, longest)
		points = append(points, ByStep{
			Step: step,
			Success: average(counts, estimate, func(c *refinement.Counts) float64 {
				return stats.Indicator(c.Solved && int(c.Steps) <= step)
			}),
			Progress: average(counts, estimate, func(c *refinement.Counts) float64 { return c.ProgressAt(step) }),
		})
	}
	return points
}

// average averages a value in [0,1] over the seeds of each task, then over tasks.
func average(counts [][]*refinement.Counts, estimate estimator,
	value func(*refinement.Counts) float64) Estimate {
	byTask := table.Each(counts, func(task []*refinement.Counts) []float64 { return table.Each(task, value) })
	e, _ := estimate(byTask, 0, means(byTask))
	return e
}
