package scoring

import (
	"maps"

	"heldout/scoring/record"
	"heldout/scoring/refinement"
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
