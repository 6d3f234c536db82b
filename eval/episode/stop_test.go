package episode

import (
	"strings"
	"testing"

	"heldout/configs"
	"heldout/scoring/record"
)

func TestStopRules(t *testing.T) {
	steps := func(actions string) (out []record.Step) {
		for _, a := range strings.Fields(actions) {
			s := record.Step{Action: a, Reply: a, Observation: a, Valid: a != "bad"}
			if a == "none" { // no readable action
				s = record.Step{Reply: a, FormatError: true}
			}
			out = append(out, s)
		}
		return out
	}
	for _, c := range []struct {
		rules   configs.StopRules
		actions string
		want    record.Cut
	}{
		{configs.StopRules{}, "a a a a a", ""},
		{configs.StopRules{SameReply: 3}, "b a a a", record.SameReply},
		{configs.StopRules{SameReply: 3}, "a a b a a", ""},
		{configs.StopRules{SameReply: 3}, "a a", ""},
		{configs.StopRules{SameReply: 3, From: 4}, "a a a", ""},
		{configs.StopRules{SameReply: 3, From: 4}, "a a a a", record.SameReply},
		{configs.StopRules{SameReply: 2}, "none none", record.SameReply},
		{configs.StopRules{SameAction: 2}, "a b b", record.SameAction},
		{configs.StopRules{SameAction: 2}, "none none", ""},
		{configs.StopRules{InvalidRunning: 2}, "bad a bad", ""},
		{configs.StopRules{InvalidRunning: 2}, "a bad bad", record.InvalidRunning},
		{configs.StopRules{InvalidRunning: 2}, "bad", ""},
		{configs.StopRules{FormatErrors: 2}, "none a none", record.FormatErrors},
		{configs.StopRules{FormatErrors: 2}, "none a", ""},
	} {
		if got := stopRule(c.rules, steps(c.actions)); got != c.want {
			t.Errorf("%+v, %s: %q, want %q", c.rules, c.actions, got, c.want)
		}
	}
}
