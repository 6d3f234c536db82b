// Package lengths estimates how many steps episodes take.
package lengths

import "heldout/scoring/stats"

// Lengths estimates how many steps episodes of one kind take, from those that have ended and those in flight. The
// latter must count: the first episodes to end are the short ones.
type Lengths struct {
	Limit   int
	Ended   []int          // how many ended after so many steps
	Running map[string]int // the steps so far, by id
}

// New returns lengths of which nothing is known, with the step limit.
func New(limit int) *Lengths {
	return &Lengths{Limit: limit, Ended: make([]int, limit+1), Running: map[string]int{}}
}

// End notes that an episode ended.
func (l *Lengths) End(id string, steps int) {
	delete(l.Running, id)
	l.Ended[min(max(steps, 0), l.Limit)]++
}

// Survival returns the share of episodes that go on after 0, 1, … steps. One more episode counts as observed that
// ends after any number of steps up to the limit alike: it stands for all where there are none.
func (l *Lengths) Survival() []float64 {
	atRisk := make([]int, l.Limit+2) // that took at least so many steps
	for steps, n := range l.Ended {
		atRisk[steps] += n
	}
	for _, steps := range l.Running {
		atRisk[min(steps, l.Limit)]++
	}
	for steps := l.Limit; steps >= 0; steps-- {
		atRisk[steps] += atRisk[steps+1]
	}
	return stats.ProductLimit(l.Limit+1, func(steps int) float64 {
		prior := 1 / float64(l.Limit-steps+1) // of that one more to end here
		return (float64(l.Ended[steps]) + prior) / float64(atRisk[steps]+1)
	})
}
