package trajectory

import (
	_ "embed"

	"heldout/envs/datafile"
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

//go:embed reasons.yaml
var reasonsText []byte

// Reasons are the reasons in order.
var Reasons = datafile.Embedded[[]ReasonName](reasonsText)

// Label is the name of the reason, and empty for Solved.
func (r Reason) Label() string {
	if r == Solved {
		return ""
	}
	return Reasons()[r-1].Label
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
	for _, rule := range []struct {
		Reason
		n uint16
	}{{unreadable, c.FormatErrors}, {invalid, c.Invalid}, {loops, c.ValidLooped}} {
		if n := int(rule.n); n > largest && 3*n >= int(c.Steps) {
			largest, lost = n, rule.Reason
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
