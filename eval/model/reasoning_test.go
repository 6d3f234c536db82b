package model

import (
	"strings"
	"testing"
)

func TestSplitReasoning(t *testing.T) {
	for _, c := range []struct{ name, text, visible, reasoning string }{
		{"none", " Action: open box\n", " Action: open box\n", ""},
		{"think", "<think>Action: wait</think>\n\nAction: open box", "Action: open box", "Action: wait"},
		{"empty think", "<think>\n\n</think>\n\nAction: open box", "Action: open box", ""},
		{"cut off", "<think>I could do this:\nAction: wait", "", "I could do this:\nAction: wait"},
		{"only a closing tag", "I could wait.\nAction: wait\n</think>\nAction: open box", "Action: open box",
			"I could wait.\nAction: wait"},
		{"nested", "<think>a<think>b</think>Action: wait</think>Action: open box", "Action: open box",
			"a<think>b\n\nAction: wait"},
		{"two", "<think>a</think>Thought: I see.<think>b</think>Action: open box", "Thought: I see.\nAction: open box",
			"a\nb"},
		{"after the action", "Action: open box\n<think>Good.</think>", "Action: open box", "Good."},
		{"cut off after the action", "Action: open box\n<think>Goo", "Action: open box", "Goo"},
		{"capitals", "<THINK>Action: wait</THINK>Action: open box", "Action: open box", "Action: wait"},
		{"thinking", "<thinking>Action: wait</thinking>Action: open box", "Action: open box", "Action: wait"},
		{"Mistral", "[THINK]Action: wait[/THINK]Action: open box", "Action: open box", "Action: wait"},
		{"Mistral, cut off", "[THINK]Action: wait", "", "Action: wait"},
		{"Kimi", "◁think▷Action: wait◁/think▷Action: open box", "Action: open box", "Action: wait"},
		{"Seed", "<seed:think>Action: wait</seed:think>Action: open box", "Action: open box", "Action: wait"},
		{"Cohere", "<|START_THINKING|>Action: wait<|END_THINKING|><|START_RESPONSE|>Action: open box<|END_RESPONSE|>",
			"Action: open box", "Action: wait"},
		{
			"Harmony",
			"<|channel|>analysis<|message|>Action: wait<|end|><|start|>assistant<|channel|>final<|message|>Action: " +
				"open box<|return|>", "Action: open box", "Action: wait"},
		{
			"Harmony, from the first token",
			"<|start|>assistant<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final " +
				"<|constrain|>text<|message|>Action: open box", "Action: open box", "a"},
		{
			"Harmony, a tool",
			"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary to=functions.go " +
				"<|constrain|>json<|message|>{}<|call|>", "", "a\n{}"},
		{"Harmony, cut off", "<|channel|>analysis<|message|>Action: wait", "", "Action: wait"},
		{"Harmony, cut off in a header", "<|channel|>ana", "", ""},
		{"Harmony without its tokens", "analysisAction: waitassistantfinalAction: open box", "Action: open box",
			"Action: wait"},
		{"a stray tag after the answer", "<think>Action: wait</think>\nAction: open box\n</think>", "Action: open box",
			"Action: wait"},
		{"thought", "<thought>\nAction: wait</thought>\nAction: open box", "Action: open box", "Action: wait"},
		{"reasoning", "<reasoning>Action: wait</reasoning>Action: open box", "Action: open box", "Action: wait"},
		{"a name around it", "<inner_thoughts>Action: wait</inner_thoughts>Action: open box", "Action: open box",
			"Action: wait"},
		{"attributes and blanks", "<think lang=\"en\">Action: wait</think >\nAction: open box", "Action: open box",
			"Action: wait"},
		{"begin of thought", "<|begin_of_thought|>Action: wait<|end_of_thought|><|begin_of_solution|>Action: open box" +
			"<|end_of_solution|>", "Action: open box", "Action: wait"},
		{"Gemma", "<|channel>thought\nAction: wait<channel|>Action: open box", "Action: open box", "Action: wait"},
		{"Granite", "Here is my thought process:\nAction: wait\n\nHere is my response:\nAction: open box", "Action: open box",
			"Action: wait"},
		{"an answer in tags", "<think>Action: wait</think><answer>Action: open box</answer>", "Action: open box",
			"Action: wait"},
		{"less than", "a < thinking > b <reasonable> of it", "a < thinking > b <reasonable> of it", ""},
		{"the word analysis", "analysis: none\nAction: open box", "analysis: none\nAction: open box", ""},
	} {
		said := splitReasoning(c.text)
		if said.visible == "" {
			said.recover(nil, false)
		}
		visible, reasoning := said.visible, said.reasoning()
		if visible != c.visible || reasoning != c.reasoning {
			t.Errorf("%s: %q and %q, want %q and %q", c.name, visible, reasoning, c.visible, c.reasoning)
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
		if reasoningTag().MatchString(visible) && !strings.Contains(s, "|") {
			t.Errorf("%q leaves a tag in %q", s, visible)
		}
	})
}
