package inspectlog

import (
	"cmp"
	"fmt"

	"heldout/envs"
	"heldout/eval/episode"
	"heldout/eval/show/trajectory"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// The scorers, which are also the names of their scores.
const (
	successScore, progressScore, groundingScore, unreadableScore = "success", "progress", "grounding", "unreadable"
)

// playedSample is an attempt that counts.
type playedSample struct {
	*record.Episode
	condition *record.Condition
	task      *envs.Task
	epoch     int
	model     string // as Inspect names it
	// calls are what the model was sent and said; unknown says why they are not known.
	calls   []episode.Call
	unknown error
}

// sample writes the attempt as a sample.
func (a *playedSample) sample() *sample {
	c := &conversation{episode: a.Episode, model: a.model}
	events := a.play(c)
	messages := c.messages()
	if len(a.calls) == 0 {
		messages = c.recorded()
	}
	s := &sample{
		common: a.common(), Messages: messages, Output: output{Model: a.model, Choices: []choice{}},
		Store: map[string]any{}, Events: events, Data: eventsData{append([]message{}, c.pool...), []struct{}{}},
		Limit: a.limit(),
	}
	if n := len(a.Trajectory); n > 0 {
		s.Store["last_observation"] = a.Trajectory[n-1].Observation
		s.Output = a.output(&a.Trajectory[n-1], &messages[len(messages)-1], true)
	}
	if !a.Outcome.Final() {
		s.Error = &evalError{Message: cmp.Or(a.Error, string(a.Outcome))}
	}
	return s
}

func (a *playedSample) common() common {
	c := common{ID: a.task.ID, Epoch: a.epoch, Input: task(a.Episode), Metadata: a.metadata(), Scores: a.scores(),
		Usage: map[string]tokenCounts{}, Started: a.Started.UTC(), Completed: a.Ended.UTC(),
		TotalTime: a.Ended.Sub(a.Started).Seconds(), UUID: fmt.Sprintf("%s-%d", a.Episode.ID, a.Attempt),
		Turns: a.Steps}
	if a.condition.Decoding != nil {
		c.Usage[a.model] = newUsage(a.PromptTokens, a.CompletionTokens, a.TokenDetails)
	}
	return c
}

func (a *playedSample) metadata() map[string]any {
	m := map[string]any{
		"kind": a.task.Type, "seed": a.Seed, "perturbation": a.Perturbation, "outcome": a.Outcome, "steps": a.Steps,
		"unreadable_replies": a.FormatErrors, "attempt": a.Attempt,
	}
	if a.Difficulty != "" {
		m["difficulty"] = a.Difficulty
	}
	if why := a.reason(); why != trajectory.Solved {
		m["reason"] = why.Label()
	}
	if a.Score != nil {
		m["preset_score"] = *a.Score
	}
	if a.Trimmed > 0 {
		m["trimmed"] = a.Trimmed
	}
	if a.unknown != nil {
		m["messages"] = "actions and observations: " + a.unknown.Error()
	}
	return m
}

// reason says why the task was not solved.
func (a *playedSample) reason() trajectory.Reason {
	return trajectory.SignsOf(a.Episode).Reason(&a.Result, a.condition.StepLimit)
}

// scores are those of a result; nil without one.
func (a *playedSample) scores() *scores {
	if !a.Outcome.Final() {
		return nil
	}
	solved := score{"C", fmt.Sprintf("solved in %s", table.Counted(a.Steps, "step"))}
	if !a.Success {
		why := trajectory.Reasons()[a.reason()-1]
		solved = score{"I", why.Label + ": " + why.Means}
	}
	return &scores{solved, score{a.Progress, "what was reached of the goal at the end"},
		score{a.Grounding, "the share of turns with a valid action"},
		score{a.FormatErrors, fmt.Sprintf("replies without an action, of %d", a.Steps)}}
}

// limit is what ended the attempt before its task was solved; nil if nothing did.
func (a *playedSample) limit() *limit {
	switch {
	case a.Outcome != record.Failure:
		return nil
	case a.Cut == record.ContextOverflow:
		return &limit{"context", float64(a.condition.Context), "the messages no longer fitted the context"}
	case a.Cut != "":
		return &limit{"custom", float64(a.Steps), "ended early by the rule " + string(a.Cut)}
	case a.Steps >= a.condition.StepLimit:
		return &limit{"turn", float64(a.condition.StepLimit), "the step limit was reached"}
	}
	return nil
}

func newUsage(prompt, completion int, d record.TokenDetails) tokenCounts {
	return tokenCounts{Input: prompt - d.CachedTokens, Output: completion, Total: prompt + completion,
		Cached: d.CachedTokens, Reasoning: d.ReasoningTokens}
}

// mostSummary is how much of a text a summary has, in runes.
const mostSummary = 1000

// summary is what lists show of the sample.
func (s *sample) summary() summary {
	out := summary{common: s.common, Completed: true, Messages: len(s.Messages)}
	out.Input = table.Shortened(s.Input, mostSummary)
	if s.Error != nil {
		out.Error = table.Shortened(s.Error.Message, mostSummary)
	}
	if s.Limit != nil {
		out.Limit, out.LimitReason = s.Limit.Type, s.Limit.Reason
	}
	return out
}
