package scoring

import "heldout/scoring/stats"

// Unreadable says what replies without an action did to the episodes of a score.
type Unreadable struct {
	// Replies counts all replies, Unread those without an action; each cost a step.
	Replies, Unread int
	// Unsolved counts the unsolved episodes, Touched those with such a reply.
	Unsolved, Touched int
	// Success and Progress are the rates if the touched ones had been solved.
	Success, Progress float64
}

// Unreadable returns what replies without an action did.
func (s *Score) Unreadable() Unreadable {
	u := Unreadable{Replies: s.Replies.Steps, Unread: s.Replies.FormatErrors}
	touched := func(a *attempt) bool { return !a.success && a.formatErrors > 0 }
	for _, t := range s.tasks {
		for _, p := range t.results {
			if !p.success {
				u.Unsolved++
			}
			if touched(p.attempt) {
				u.Touched++
			}
		}
	}
	solved := func(measure value) value {
		return func(a *attempt) float64 {
			if touched(a) {
				return 1
			}
			return measure(a)
		}
	}
	u.Success = stats.Mean(meansByTask(s.tasks, solved(success)))
	u.Progress = stats.Mean(meansByTask(s.tasks, solved(progress)))
	return u
}
