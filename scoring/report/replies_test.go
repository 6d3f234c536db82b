package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/scoring"
	"heldout/scoring/record"
)

// Rules of a preset that change actions or end episodes are below the results.
func TestRuleNotes(t *testing.T) {
	rowOf := func(p *record.Preset, repairs map[string]int, cuts map[record.Cut]int) row {
		s := &scoring.Score{Condition: record.Condition{Env: "alfworld", Preset: p}}
		s.Replies = scoring.Replies{Steps: 40, Episodes: 5, Repairs: repairs, Cuts: cuts}
		return row{Score: s, name: "vllm:m"}
	}
	preset := &record.Preset{Name: "mine@1", SHA256: "abcdef"}
	got := ruleNotes([]row{
		rowOf(preset, map[string]int{"put-repair": 2, "lower": 7}, map[record.Cut]int{record.SameReply: 1}),
		rowOf(preset, nil, nil),
		rowOf(nil, nil, map[record.Cut]int{record.SameAction: 3}), // of trials
	})
	want := []string{
		"vllm:m on mine@1 (abcd…): rules for replies applied: 7 lower, 2 put-repair (of 40 replies); rules ended " +
			"episodes: 1 same_reply (of 5)."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
