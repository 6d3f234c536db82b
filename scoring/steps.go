package scoring

import (
	"heldout/scoring/refinement"
	"heldout/scoring/table"
)

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
				return indicator(c.Solved && int(c.Steps) <= step)
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
