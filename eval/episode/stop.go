package episode

import (
	"cmp"
	"slices"

	"heldout/configs"
	"heldout/scoring/record"
)

// stopped returns the rule of the episode's trials or preset that ends it after these steps, if there is one.
func (e *Episode) stopped(steps []record.Step) (rule record.Cut) {
	if t := e.Condition.Trials; t != nil {
		rule = stopRule(configs.StopRules{SameAction: t.SameAction, SameStep: t.SameStep}, steps)
	}
	return cmp.Or(rule, stopRule(e.Benchmark.Preset.Stop, steps))
}

// stopRule returns the first rule that steps meet; empty for none. Replies without
// an action that was sent are not equal actions.
func stopRule(rules configs.StopRules, steps []record.Step) record.Cut {
	same := func(steps []record.Step, n int, equal func(a, b record.Step) bool) bool {
		last := steps[max(0, len(steps)-n):]
		return n > 0 && len(last) == n && len(steps) >= rules.Start &&
			!slices.ContainsFunc(last, func(s record.Step) bool { return !equal(s, last[0]) })
	}
	acted := func(a, b record.Step) bool { return sent(a) && a.Action == b.Action }
	actions := steps
	if rules.EmptyAction {
		acted = func(a, b record.Step) bool { return a.Action == b.Action }
		actions = append([]record.Step{{}}, steps...)
	}
	var readable []record.Step
	if rules.SameRead > 0 { // else the steps of long episodes would be copied at every step
		readable = slices.DeleteFunc(slices.Clone(steps), func(s record.Step) bool { return s.FormatError })
	}
	switch {
	case same(steps, rules.SameReply, func(a, b record.Step) bool {
		return a.Reply == b.Reply && (a.Reply != "" || a.Thought == b.Thought && a.Action == b.Action)
	}):
		return record.SameReply
	case same(readable, rules.SameRead, func(a, b record.Step) bool { return read(a) == read(b) }):
		return record.SameRead
	case same(actions, rules.SameAction, acted):
		return record.SameAction
	case same(steps, rules.SameStep, func(a, b record.Step) bool {
		return a.Action == b.Action && a.Observation == b.Observation
	}):
		return record.SameStep
	case rules.InvalidRunning > 0 && !carriedOut(steps[max(0, len(steps)-rules.InvalidRunning):]) &&
		len(steps) >= rules.InvalidRunning:
		return record.InvalidRunning
	}
	return ""
}

// read is the action as it was read from the reply.
func read(s record.Step) string { return cmp.Or(s.Parsed, s.Action) }

// sent reports whether a step's action went to the environment.
func sent(s record.Step) bool { return !s.FormatError || s.Action != "" }

// carriedOut reports whether the environment carried out the action of any of the steps.
func carriedOut(steps []record.Step) bool {
	return slices.ContainsFunc(steps, func(s record.Step) bool { return s.Valid || s.Understood })
}
