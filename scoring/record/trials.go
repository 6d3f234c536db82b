package record

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"heldout/envs/datafile"
)

// Trials says how a task is played again after a failure (Reflexion, Shinn et al. 2023): the same task from the
// same start, until it is solved or all trials are used.
type Trials struct {
	Limit int `json:"most"` // the largest number of trials, at least 2
	// Memory is the largest number of reflections on failed trials that the agent
	// is shown: the newest ones. 0 stands for retries without memory.
	Memory int `json:"memory"`
	// PromptHash identifies the reflection prompt, and Decoding is how reflections
	// are sampled. Both are empty without memory.
	PromptHash string    `json:"prompt_hash,omitempty"`
	Decoding   *Decoding `json:"decoding,omitempty"`
	// SameAction ends a trial after so many equal actions in a row, SameStep after
	// so many equal actions with equal observations; 0 stands for never.
	SameAction int `json:"same_action,omitempty"`
	SameStep   int `json:"same_step,omitempty"`
}

// Cut says which rule ended an episode early.
type Cut string

// The rules that can end an episode early: the first two are for trials, all but SameStep for presets.
const (
	SameAction      Cut = "same_action"
	SameStep        Cut = "same_step"
	SameReply       Cut = "same_reply"
	SameRead        Cut = "same_read"
	InvalidRunning  Cut = "invalid_running"
	FormatErrors    Cut = "format_errors"
	Unreadable      Cut = "unreadable"
	ContextOverflow Cut = "context_overflow"
)

// valid reports whether c is one of the rules.
func (c Cut) valid() bool {
	return slices.Contains([]Cut{SameAction, SameStep, SameReply, SameRead, InvalidRunning, FormatErrors, Unreadable,
		ContextOverflow}, c)
}

// Reflection is what a model wrote about its failed trial. Its usage is not part of the usage of the trial.
type Reflection struct {
	// Text is what later trials are shown. It is empty if the model wrote nothing readable.
	Text string `json:"text"`
	// FinishReason and Fault are the reply's.
	FinishReason string `json:"finish_reason,omitempty"`
	Fault        Fault  `json:"fault,omitempty"`
	Reasoning    string `json:"reasoning,omitempty"` // what the model reasoned before the text
	// Trimmed counts the parts of the trial that were removed to fit the context.
	Trimmed int `json:"trimmed"`
	// The usage is as in Result.
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TokenDetails
	Calls        int     `json:"calls"`
	Requests     int     `json:"requests"`
	ModelSeconds float64 `json:"model_seconds"`
}

// Remembered is a reflection that the agent was shown.
type Remembered struct {
	Trial int    `json:"trial"` // the trial that the reflection is about, from 1
	Text  string `json:"text"`
}

// TrialID is the id of a trial, counted from 1, of the episode whose first trial has the given id: 20 hex digits.
func TrialID(first string, trial int) string {
	if trial <= 1 {
		return first
	}
	return datafile.Hash(fmt.Sprintf("%s trial %d", first, trial))[:20]
}

// MostTrials is the largest number of trials under a condition.
func (c *Condition) MostTrials() int {
	if c.Trials == nil {
		return 1
	}
	return c.Trials.Limit
}

// Rank is what decides which of the attempts at an episode counts. Two attempts with
// the same number come from two processes; their order in a file does not decide.
type Rank struct {
	Attempt             int
	Ended               time.Time
	Outcome             Outcome
	Progress, Grounding float64
}

// Rank returns the attempt's rank.
func (r *Result) Rank() Rank {
	return Rank{r.Attempt, r.Ended.UTC(), r.Outcome.shared(), r.Progress, r.Grounding}
}

// Attempt is what a run needs of an attempt to continue. A run can have millions.
type Attempt struct {
	Rank
	ID, Model string
	// Usable counts the steps with a readable action. Unusable: see Result.
	Usable     int
	Unusable   bool
	Reflection string // the text of the reflection; empty for none
	Store      string // the hash of what the player remembers after it; empty for none
	// PromptTokens, CachedTokens and CompletionTokens are the tokens of the attempt and of the reflection after it.
	PromptTokens, CachedTokens, CompletionTokens int32
}

// Brief returns what continuing a run needs.
func (r *Result) Brief() Attempt {
	own := r.Own()
	a := Attempt{Rank: r.Rank(), ID: r.ID, Model: r.Model, Usable: r.Steps - r.FormatErrors, Unusable: r.Unusable,
		PromptTokens: int32(own.PromptTokens), CachedTokens: int32(own.CachedTokens),
		CompletionTokens: int32(own.CompletionTokens)}
	if r.Store != nil {
		a.Store = r.Store.After
	}
	if about := r.Reflection; about != nil {
		a.Reflection = about.Text
		a.PromptTokens += int32(about.PromptTokens)
		a.CachedTokens += int32(about.CachedTokens)
		a.CompletionTokens += int32(about.CompletionTokens)
	}
	return a
}

// CountsBefore reports whether an attempt counts rather than another one, which may be
// none: the first result, or the last attempt if there is no result.
func (a Rank) CountsBefore(b Rank) bool {
	if final := a.Outcome.Final(); final != b.Outcome.Final() {
		return final
	} else if final {
		return a.compare(b) < 0
	}
	return a.compare(b) > 0
}

func (a Rank) compare(b Rank) int {
	return cmp.Or(
		cmp.Compare(a.Attempt, b.Attempt), a.Ended.Compare(b.Ended),
		cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Progress, b.Progress), cmp.Compare(a.Grounding, b.Grounding),
	)
}

// checkTrial reports fields of an attempt that contradict each other and concern trials.
func (e *Episode) checkTrial() error {
	switch {
	case e.Trial < 0:
		return fmt.Errorf("trial: %d is negative", e.Trial)
	case e.Trial == 0 && (e.Reflection != nil || e.Cut != "" && e.Preset == "" || len(e.Memory) > 0):
		return fmt.Errorf("trial: it is missing, but there are reflections or an early end")
	case e.Reflection != nil && e.Outcome != Failure:
		return fmt.Errorf("reflection: outcome %s contradicts a reflection on a failure", e.Outcome)
	case e.Cut != "" && !e.Cut.valid():
		return fmt.Errorf("cut: unknown rule %q", e.Cut)
	case e.Forgotten < 0 || e.Forgotten > len(e.Memory):
		return fmt.Errorf("forgotten: %d contradicts %d reflections in memory", e.Forgotten, len(e.Memory))
	}
	for i, m := range e.Memory {
		if m.Trial < 1 || m.Trial >= e.Trial || i > 0 && m.Trial <= e.Memory[i-1].Trial {
			return fmt.Errorf("memory[%d].trial: trial %d cannot be shown a reflection on trial %d here", i, e.Trial,
				m.Trial)
		}
	}
	return nil
}

// checkTrial compares an attempt with what was planned for the trials of its
// condition. A trial needs an earlier line in which the trial before it failed.
func (c *checker) checkTrial(e *Episode, want planned) error {
	t := want.condition.Trials
	if e.Trial != want.trial {
		return fmt.Errorf("trial: it is %d, but %s has %d for the episode %s", e.Trial, manifestFile, want.trial, e.ID)
	}
	if t == nil {
		return nil
	}
	if e.Trial > 1 && !c.failed[want.previous] {
		return fmt.Errorf("trial: trial %d of the task %s has no failed trial %d before it", e.Trial, e.Task, e.Trial-1)
	}
	reflects := e.Outcome == Failure && e.Trial < t.Limit && t.Memory > 0
	switch {
	case reflects != (e.Reflection != nil):
		return fmt.Errorf("reflection: outcome %s of trial %d of %d with a memory of %d: want a reflection: %v",
			e.Outcome, e.Trial, t.Limit, t.Memory, reflects)
	case len(e.Memory) > t.Memory:
		return fmt.Errorf("memory: there are %d reflections, but the memory of the episode %s is %d", len(e.Memory),
			e.ID, t.Memory)
	case e.Cut == SameAction && t.SameAction == 0 && e.Preset == "" || e.Cut == SameStep && t.SameStep == 0 &&
		e.Preset == "":
		return fmt.Errorf("cut: the condition of the episode %s has no rule %s", e.ID, e.Cut)
	}
	if e.Outcome == Failure {
		c.failed[e.ID] = true
	}
	return nil
}
