package model

import (
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

func TestSplitReasoning(t *testing.T) {
	for _, c := range sharedtest.Cases[struct{ Name, Text, Visible, Reasoning string }](t, "reasoning.yaml") {
		said := splitReasoning(c.Text)
		if said.visible == "" {
			said.recover(nil, false)
		}
		visible, reasoning := said.visible, said.reasoning()
		if visible != c.Visible || reasoning != c.Reasoning {
			t.Errorf("%s: %q and %q, want %q and %q", c.Name, visible, reasoning, c.Visible, c.Reasoning)
		}
	}
}

func FuzzSplitReasoning(f *testing.F) {
	for _, s := range []string{"<think>a</think>b", "a</think>b", "[THINK]a", "<|channel|>final<|message|>a<|return|>",
		"analysisaassistantfinalb", "<|START_THINKING|>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		said := splitReasoning(s)
		visible, reasoning := said.visible, said.reasoning()
		if len(visible)+len(reasoning) > 2*len(s)+2 {
			t.Errorf("%q became %q and %q", s, visible, reasoning)
		}
		if wording("reasoning-tag").MatchString(visible) && !strings.Contains(s, "|") {
			t.Errorf("%q leaves a tag in %q", s, visible)
		}
	})
}
