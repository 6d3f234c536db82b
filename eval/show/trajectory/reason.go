package trajectory

import (
	"regexp"
	"strings"

	"heldout/scoring/record"
	"heldout/scoring/refinement"
)

// Reason is why an episode was not solved. Each unsolved episode with a result has one: the first that
// applies.
type Reason uint8

// Solved is the reason of all other attempts.
const Solved Reason = 0

const (
	unreadable Reason = iota + 1
	invalid
	loops
	wrong
	early
	limit
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
	early: {"gave up or game over", "it ended before the step limit in another way"},
	limit: {"ran out of steps", "all others"},
}

// Signs are what the steps of an episode say about its failure.
type Signs struct {
	// lost is what most steps were lost to, if it is a third of them; else Solved.
	lost Reason
	// astray: it took objects, and none that the goal names. Decided: its last action
	// is one that ends an episode for good or ill.
	astray, decided bool
}

// SignsOf looks at the steps. A step is lost once, to the first that applies.
func SignsOf(e *record.Episode) (s Signs) {
	if e.Outcome != record.Failure || len(e.Trajectory) == 0 {
		return s
	}
	c := refinement.WithoutThoughts(e, nil)
	largest := 0
	for _, by := range []struct {
		Reason
		n uint16
	}{{unreadable, c.FormatErrors}, {invalid, c.Invalid}, {loops, c.ValidLooped}} {
		if n := int(by.n); n > largest && 3*n >= int(c.Steps) {
			largest, s.lost = n, by.Reason
		}
	}
	last := e.Trajectory[len(e.Trajectory)-1].Action
	s.decided = strings.HasPrefix(last, "focus on ") || strings.HasPrefix(strings.ToLower(last), "finish[")
	s.astray = e.Env == "alfworld" && astray(e)
	return s
}

// takeAction is how ALFWorld's agents take objects.
var takeAction = regexp.MustCompile(`^take (\w+) \d+ from `)

// astray reports whether the agent took objects, but none whose name is a word of the goal.
func astray(e *record.Episode) bool {
	words := strings.FieldsFunc(strings.ToLower(e.Goal), func(r rune) bool { return r < 'a' || r > 'z' })
	anyTaken := false
	for _, s := range e.Trajectory {
		if found := takeAction.FindStringSubmatch(s.Action); found != nil && s.Valid {
			for _, w := range words {
				if w == found[1] {
					return false
				}
			}
			anyTaken = true
		}
	}
	return anyTaken
}

// Reason returns the reason of an attempt under a step limit.
func (s Signs) Reason(r *record.Result, steps int) Reason {
	switch {
	case r.Outcome != record.Failure:
		return Solved
	case s.lost != Solved:
		return s.lost
	case s.astray, s.decided && r.Steps < steps:
		return wrong
	case r.Steps < steps:
		return early
	}
	return limit
}
