package report

import (
	"slices"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring"
	"heldout/scoring/record"
)

// Rules of a preset that change actions or end episodes are below the results.
func TestRuleNotes(t *testing.T) {
	rowOf := func(p *record.Preset, repairs map[string]int, cuts map[record.Cut]int) row {
		s := &scoring.Score{Condition: record.Condition{Env: "alfworld", Preset: p}}
		s.Replies = scoring.Replies{Steps: 40, Episodes: 5, Repairs: repairs, Cuts: cuts}
		r := newRow(s, nil)
		r.name = "vllm:m"
		return r
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
	sharedtest.Same(t, got, want)
}

// Where most turns of a model were without a valid action, the notes say so; a scripted player has none.
func TestFewValidActions(t *testing.T) {
	r := newRow(&scoring.Score{Condition: record.Condition{Env: "hotpotqa", Decoding: &record.Decoding{}}}, nil)
	r.name = "vllm:m"
	r.Finished = 3
	for mean, want := range map[float64][]string{
		0.5:   nil,
		0.499: {"vllm:m on hotpotqa: fewer than half of the turns had a valid action (49.9%)."},
		0:     {"vllm:m on hotpotqa: fewer than half of the turns had a valid action (0.0%)."},
	} {
		r.Grounding.Mean = mean
		sharedtest.Same(t, ruleNotes([]row{r}), want, mean)
	}
	r.Condition.Decoding = nil
	if got := ruleNotes([]row{r}); got != nil {
		t.Errorf("a scripted player: %q", got)
	}
}

// Faults of 1 % of the replies are no reason for doubt, more are, and say their share.
func TestReservations(t *testing.T) {
	s := &scoring.Score{Replies: scoring.Replies{Steps: 200, FormatErrors: 1, Episodes: 4,
		Faults: map[record.Fault]int{record.Empty: 2}}}
	if got := faults(s); got != nil {
		t.Errorf("2 of 200: %q", got)
	}
	s.Replies.Faults[record.NoAction], s.Replies.Trimmed = 1, 1
	want := []string{"1.5% of 200 replies were unreadable or cut off (2 empty, 1 text without an action); 1 had no action",
		"25.0% of 4 episodes had their history trimmed to fit the context"}
	sharedtest.Same(t, faults(s), want, "3 of 200")
}

// Other models that answered, and prompts that the server cut, are reasons for doubt; an alias is none.
func TestAnswerers(t *testing.T) {
	for _, c := range []struct {
		asAsked, others int
		answered        record.Answered
		want            string
	}{
		{6, 0, nil, ""},
		{0, 0, record.Answered{"m-2024-08-06": 6}, ""},
		{3, 0, record.Answered{"org/m": 3}, ""},
		{0, 6, record.Answered{"other-1b": 6}, "another model answered than the one that was asked, as its replies say: other-1b (6)"},
		{2, 0, record.Answered{"fallback": 4}, "several models answered, as their replies say: fallback (4), m (2)"},
	} {
		r := newRow(&scoring.Score{Condition: record.Condition{Model: "openai:m"}, Replies: scoring.Replies{Steps: 6,
			Episodes: 1, AsAsked: c.asAsked, OtherModel: c.others, Answered: c.answered}}, nil)
		if got := answerers(r.Score); got != c.want || (r.marks == repliesMark) != (c.want != "") {
			t.Errorf("%s and %d as asked: %q, marked %q", c.answered, c.asAsked, got, r.marks)
		}
	}
	r := newRow(&scoring.Score{Replies: scoring.Replies{Steps: 6, Episodes: 4, Cut: 1}}, nil)
	if want := []string{"25.0% of 4 episodes had prompts that the server cut"}; !slices.Equal(r.faults, want) ||
		r.marks != repliesMark {
		t.Errorf("%q, marked %q", r.faults, r.marks)
	}
}

// TestEqualSeeds: seeds that a server ignores are one try, not a spread of 0.
func TestEqualSeeds(t *testing.T) {
	at := func(temperature float64, model string, seed int64, outcomes string) group {
		return group{"pddl", envs.Official, 4, model, seed, func(c *record.Condition) {
			c.Decoding.Temperature = temperature
		}, outcomes}
	}
	tables := everything([]NamedRun{newRun(t, "run",
		at(1, "vllm:M", 0, "SSff"), at(1, "vllm:M", 1, "SSff"), at(1, "vllm:M", 2, "SSf-"), // one is missing
		at(1, "vllm:N", 0, "SSff"), at(1, "vllm:N", 1, "SfSf"),
		at(0, "vllm:Z", 0, "SSff"), at(0, "vllm:Z", 1, "SSff"),
		at(1, "vllm:O", 0, "SSff"),
	)}, nil, weights)
	said :=
		"M on PDDL: 3 seeds gave equal results in every task at temperature 1: the server ignores the seed or the temperature"
	same(t, "std", below(t, find(t, tables, "paper").Programs[0], "pddl_success_std"), "–", "0.0", "–", "–")
	tries := find(t, tables, "pass-at-k")
	hasNote(t, tries, said)
	hasNoNote(t, tries, "N on pddl: 2 seeds")
	hasNote(t, tries, "Z on PDDL: 2 seeds gave equal results in every task at temperature 0, so they count as one run")
	hasNote(t, find(t, tables, "results"), "# M on PDDL: 3 seeds gave equal results")
	same(t, "pass@k", below(t, tries, "pass")[:2], "50.0*#", "50.0*#")
}
