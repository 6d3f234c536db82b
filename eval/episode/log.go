package episode

import (
	"heldout/envs"
	"heldout/eval/agent"
	"heldout/scoring/record"
)

// Log writes the record of an episode while it is played.
type Log struct {
	Episode *record.Episode
	valid   int // steps whose action was valid
}

// Begin notes what the agent is told first, and counts from here on what a perturbation
// of the environment changes, if there is one.
func (l *Log) Begin(start envs.Start, perturbed bool) {
	l.Episode.Goal, l.Episode.Observation = start.Goal, start.Observation
	if perturbed {
		l.Episode.Rewritten = new(int)
		l.rewritten(start.Rewritten)
	}
}

// rewritten counts a message that a perturbation changed.
func (l *Log) rewritten(changed bool) {
	if n := l.Episode.Rewritten; n != nil && changed {
		*n++
	}
}

// Add adds a step: what the agent did, and what the environment answered.
func (l *Log) Add(move agent.Move, step envs.Step) {
	if step.Valid {
		l.valid++
	}
	l.rewritten(step.Rewritten || step.Wording.Form != "")
	e := l.Episode
	e.Progress, e.Success = step.Progress, step.Success
	recorded, used := move.Step, move.Usage
	recorded.Observation, recorded.Progress = step.Observation, step.Progress
	recorded.Valid, recorded.Understood, recorded.NewForm = step.Valid, step.Understood, step.Wording.Form
	if step.Wording.Old {
		recorded.OldForm, recorded.NewForm = recorded.NewForm, ""
	}
	recorded.PromptTokens, recorded.CompletionTokens = used.PromptTokens, used.CompletionTokens
	recorded.TokenDetails, recorded.ModelSeconds, recorded.Sent = used.TokenDetails, used.Latency.Seconds(), used.Sent
	e.Trajectory = append(e.Trajectory, recorded)
	count(&e.Result, move)
}

// End notes how the episode ended. The cause says why there is no result; nil if there is one.
func (l *Log) End(outcome record.Outcome, cause error) {
	e := l.Episode
	e.Outcome, e.Success = outcome, outcome == record.Success
	if cause != nil {
		e.Error = cause.Error()
	}
	e.Steps = len(e.Trajectory)
	if e.Steps > 0 {
		e.Grounding = float64(l.valid) / float64(e.Turns())
	}
}

// count adds a reply to the counts of its fault and of the rules applied to it.
func count(r *record.Result, m agent.Move) {
	if m.FormatError {
		r.FormatErrors++
	}
	for _, rule := range m.Repairs {
		if r.Repairs == nil {
			r.Repairs = map[string]int{}
		}
		r.Repairs[rule]++
	}
	if m.Fault == "" {
		return
	}
	if r.Faults == nil {
		r.Faults = map[record.Fault]int{}
	}
	r.Faults[m.Fault]++
}
