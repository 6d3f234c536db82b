package scoring

import (
	"maps"

	"heldout/eval/record"
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
	for _, p := range s.played {
		switch {
		case p.result.Success:
			out.Solved++
		case p.result.Steps >= s.Condition.StepLimit:
			out.Limit++
		default:
			out.Early++
		}
	}
	return out
}

// Lost says what the steps of unsolved episodes were. Each step counts once, for
// the first that applies.
type Lost struct {
	Episodes, Steps int
	// CutOff counts format errors whose reply the length limit ended, Format the
	// other format errors, Invalid invalid actions, Loops valid steps inside a
	// cycle.
	CutOff, Format, Invalid, Loops int
}

// Lost returns what the steps of unsolved episodes were; not ok if the run was read
// without trajectories.
func (s *Score) Lost() (out Lost, ok bool) {
	for _, p := range s.played {
		if p.counts == nil {
			return Lost{}, false
		}
		if p.result.Success {
			continue
		}
		c := p.counts
		out.Episodes++
		out.Steps += int(c.Steps)
		out.CutOff += int(c.CutOffErrors)
		out.Format += int(c.FormatErrors - c.CutOffErrors)
		out.Invalid += int(c.Invalid)
		out.Loops += int(c.ValidLooped)
	}
	return out, true
}
