package trajectory

import (
	"heldout/scoring/record"
	"heldout/scoring/refinement"
)

// Reason is why an episode was not solved. Each unsolved episode with a result has one: the first that applies.
type Reason uint8

// Solved is the reason of all other attempts.
const Solved Reason = 0

const (
	unreadable Reason = iota + 1
	invalid
	loops
	wrong
	early
	outOfSteps
)

// ReasonName is the name of a reason and what it means.
type ReasonName struct{ Label, Means string }

// Reasons are the reasons in order.
func Reasons() []ReasonName { return reasons[1:] }

// Label is the name of the reason, and empty for Solved.
func (r Reason) Label() string { return reasons[r].Label }

var reasons = [...]ReasonName{
	unreadable: {"unreadable replies", "no action could be read in at least a third of the steps"},
	invalid: {"invalid actions",
		"at least a third of the steps were actions that the environment did not carry out"},
	loops: {"loops",
		"at least a third of the steps were valid and in a cycle of at most 5 steps, passed 3 times or more"},
	wrong: {"wrong object or answer", "ALFWorld: it took objects, but none that the goal names; ScienceWorld: " +
		"focusing on an object ended the episode; HotpotQA: the answer was wrong"},
	early:      {"gave up or game over", "it ended before the step limit in another way"},
	outOfSteps: {"ran out of steps", "all others"},
}

// ReasonFor is ReasonOf of an attempt with its steps.
func ReasonFor(e *record.Episode, limit int) Reason {
	if e.Outcome != record.Failure {
		return Solved
	}
	counts := refinement.WithoutThoughts(e, nil)
	return ReasonOf(e.Outcome, &counts, limit)
}

// ReasonOf returns the reason of an attempt under a step limit. A step is lost once, to the first that applies.
func ReasonOf(outcome record.Outcome, c *refinement.Counts, limit int) Reason {
	if outcome != record.Failure {
		return Solved
	}
	lost, largest := Solved, 0
	for _, by := range []struct {
		Reason
		n uint16
	}{{unreadable, c.FormatErrors}, {invalid, c.Invalid}, {loops, c.ValidLooped}} {
		if n := int(by.n); n > largest && 3*n >= int(c.Steps) {
			largest, lost = n, by.Reason
		}
	}
	switch short := int(c.Steps) < limit; {
	case lost != Solved:
		return lost
	case c.Astray, c.Decided && short:
		return wrong
	case short:
		return early
	}
	return outOfSteps
}
