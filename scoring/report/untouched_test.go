package report

import (
	"testing"

	"heldout/scoring"
	"heldout/scoring/record"
)

// A perturbation is named that changed neither the prompt nor a message of any episode.
func TestUntouched(t *testing.T) {
	of := func(name, prompt string, episodes, untouched int) row {
		return row{about: &record.Perturbation{Name: name}, Score: &scoring.Score{
			Condition: record.Condition{Perturbation: name, PromptHash: prompt},
			Replies:   scoring.Replies{Episodes: episodes, Untouched: untouched}}}
	}
	base := of("none", "p", 4, 0)
	p := &perturbedPlayer{env: "jericho", name: "M", base: &base, perturbed: []row{
		of("verbs:1", "q", 4, 4), of("order:1", "p", 4, 4), of("lines:1", "p", 4, 3), of("help:1", "p", 0, 0)}}
	want := "Nothing changed for M on jericho under order:1: every message was as it is without a perturbation. " +
		"Lines about that, and averages with it, say nothing about robustness."
	if got := untouched([]*perturbedPlayer{p}); len(got) != 1 || got[0] != want {
		t.Errorf("the notes are %q", got)
	}
}
