package scoring

import (
	"testing"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// Every attempt at an episode is paid for, not only the one that counts.
func TestSpent(t *testing.T) {
	r := NewRun(&record.Manifest{Groups: make([]record.Group, 1)})
	r.Manifest.Groups[0].Episodes = []string{"a"}
	r.Add(record.Position{Trial: 1}, &record.Result{Attempt: 1, Outcome: record.ModelError, Calls: 3, PromptTokens: 30,
		CompletionTokens: 3, TokenDetails: record.TokenDetails{CachedTokens: 10}}, nil)
	r.Add(record.Position{Trial: 1}, &record.Result{Attempt: 2, Outcome: record.Failure, Calls: 4, PromptTokens: 40,
		CompletionTokens: 4, Reflection: &record.Reflection{Calls: 1, PromptTokens: 5, CompletionTokens: 6,
			TokenDetails: record.TokenDetails{ReasoningTokens: 2}}}, nil)
	r.Add(record.Position{Trial: 1}, &record.Result{Attempt: 3, Outcome: record.Failure, Calls: 5, PromptTokens: 50,
		CompletionTokens: 5, Late: 2, Continued: &record.Usage{Calls: 4, PromptTokens: 40, CompletionTokens: 4}}, nil)
	want := Spent{record.Usage{Calls: 9, PromptTokens: 85, CompletionTokens: 14, TokenDetails: record.TokenDetails{
		CachedTokens: 10, ReasoningTokens: 2}}, 2}
	sharedtest.Equal(t, r.spent[0], want)
}

// Faults and repairs of all episodes add up.
func TestRepliesAddUp(t *testing.T) {
	var r Replies
	for _, of := range []record.Result{
		{Steps: 3, Faults: map[record.Fault]int{record.CutOff: 1}, Repairs: map[string]int{"quotes": 2, "fence": 1}},
		{Steps: 4, FormatErrors: 1, Trimmed: 1},
		{Steps: 5, Faults: map[record.Fault]int{record.CutOff: 2}, Repairs: map[string]int{"quotes": 3},
			Cut: record.SameAction},
	} {
		a := newAttempt(&of, nil, 0)
		r.add(&a)
	}
	want := Replies{Steps: 12, FormatErrors: 1, Episodes: 3, Trimmed: 1, Faults: map[record.Fault]int{record.CutOff: 3},
		Repairs: map[string]int{"quotes": 5, "fence": 1}, Cuts: map[record.Cut]int{record.SameAction: 1}}
	sharedtest.Same(t, r, want)
}
