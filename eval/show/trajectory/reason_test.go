package trajectory

import (
	"fmt"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// Each unsolved episode has the first reason that applies.
func TestReasons(t *testing.T) {
	steps := func(n int, change func(i int, s *record.Step)) (out []record.Step) {
		for i := range n {
			s := record.Step{Action: fmt.Sprintf("go to desk %d", i), Observation: fmt.Sprint(i), Valid: true}
			change(i, &s)
			out = append(out, s)
		}
		return out
	}
	plain := func(int, *record.Step) {}
	last := func(action string) func(int, *record.Step) {
		return func(i int, s *record.Step) {
			if i == 3 {
				s.Action = action
			}
		}
	}
	for _, c := range []struct {
		name, env string
		steps     []record.Step
		limit     int
		want      Reason
	}{
		{"unreadable", "pddl", steps(6, func(i int, s *record.Step) { s.FormatError, s.Valid = i < 2, i >= 2 }), 6,
			unreadable},
		{"one reply in six", "pddl", steps(6, func(i int, s *record.Step) { s.FormatError, s.Valid = i < 1, i >= 1 }),
			6, outOfSteps},
		{"invalid", "pddl", steps(6, func(i int, s *record.Step) { s.Valid = i > 2 }), 6, invalid},
		{"more invalid than unreadable", "pddl", steps(10, func(i int, s *record.Step) {
			s.FormatError, s.Valid = i < 4, i > 8
		}), 10, invalid},
		{"carried out, not valid", "sciworld",
			steps(6, func(i int, s *record.Step) { s.Valid, s.Understood = false, true }),
			6, outOfSteps},
		{"a loop", "pddl", steps(6, func(_ int, s *record.Step) { s.Action, s.Observation = "look", "a room" }), 6,
			loops},
		{"the wrong object", "alfworld", steps(6, func(_ int, s *record.Step) {
			if s.Observation == "2" {
				s.Action = "take pen 1 from desk 1"
			}
		}), 6, wrong},
		{"the right object too", "alfworld", steps(6, func(i int, s *record.Step) {
			s.Action = []string{"take pen 1 from desk 1", "take mug 2 from desk 1", "look", "a", "b", "c"}[i]
		}), 6, outOfSteps},
		{"not in ALFWorld", "pddl", steps(6, func(i int, s *record.Step) {
			s.Action = fmt.Sprintf("take pen %d from desk 1", i)
		}), 6, outOfSteps},
		{"focused", "sciworld", steps(4, last("focus on pot")), 30, wrong},
		{"answered", "hotpotqa", steps(4, last("Finish[no]")), 30, wrong},
		{"ended", "jericho", steps(4, plain), 30, early},
		{"no step", "jericho", nil, 30, early},
		{"all steps", "jericho", steps(30, plain), 30, outOfSteps},
	} {
		e := &record.Episode{Result: record.Result{Env: c.env, Outcome: record.Failure, Steps: len(c.steps)},
			Goal: "put a clean mug in the desk.", Trajectory: c.steps}
		sharedtest.Equal(t, ReasonFor(e, c.limit), c.want, c.name, "reason")
	}
	e := &record.Episode{Result: record.Result{Outcome: record.Success, Success: true}}
	sharedtest.Equal(t, ReasonFor(e, 30), Solved, "a success has the reason")
}
