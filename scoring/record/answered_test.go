package record

import (
	"fmt"
	"strings"
	"testing"
)

func TestSameModel(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"m", "m", true}, {"Qwen3-4B", "qwen3-4b", true}, {"m", "other", false}, {"qwen3:4b", "qwen3:8b", false},
		{"qwen3", "qwen3:latest", true},
		{"openai/gpt-x", "gpt-x", true}, {"models/gemini-x", "gemini-x", true}, {"vendor/m", "other/m", false}, {"m",
			"/models/m.gguf", true},
		{`C:\models\M.gguf`, "m", true}, {"/scratch/job1/m.gguf", "/scratch/job2/m.gguf", true}, {"/scratch/m-1", "/scratch/m-2", false},
		{"org/m", "./org/m", true}, {"vendor/m:free", "vendor/m", true}, {"accounts/fireworks/models/m", "m", true},
		{"gpt-4o", "gpt-4o-mini", false},
		{"m", "m-2024-08-06", false},
	} {
		if SameModel(c.a, c.b) != c.same || SameModel(c.b, c.a) != c.same {
			t.Errorf("%q and %q: %v, want %v", c.a, c.b, !c.same, c.same)
		}
	}
}

func TestAlias(t *testing.T) {
	for alias, names := range map[string][]string{
		"gpt-4o":        {"gpt-4o-2024-08-06", "GPT-4o-2024-08-06"},
		"openai/gpt-4o": {"gpt-4o-2024-08-06", "openai/gpt-4o-2024-08-06"},
		"gpt-3.5-turbo": {"gpt-3.5-turbo-0125"}, "mistral-small-latest": {"mistral-small-2503"},
		"claude-3-5-sonnet": {"claude-3-5-sonnet-20241022", "claude-3-5-sonnet@20240620",
			"claude-3-5-sonnet-20241022-v2:0"},
		"qwen3-4b":         {"qwen3-4b@q4_k_m"},
		"gemini-2.5-flash": {"gemini-2.5-flash-preview-05-20", "gemini-2.5-flash-002"},
	} {
		for _, name := range names {
			if !Alias(alias, name) {
				t.Errorf("%s is no alias of %s", alias, name)
			}
		}
	}
	for alias, name := range map[string]string{"gpt-4o": "gpt-4o-mini", "sft": "sft-1000", "qwen3": "qwen3-4b",
		"llama-3": "llama-3-70b", "m": "m",
		"step": "step-500", "gpt-4o-mini": "gpt-4o-2024-08-06", "": "x"} {
		if Alias(alias, name) {
			t.Errorf("%s is an alias of %s", alias, name)
		}
	}
}

// A server that gives each reply a name of its own fills no record.
func TestAnsweredIsBounded(t *testing.T) {
	var a Answered
	a.Add("", 5)
	for i := range 1000 {
		a.Add(fmt.Sprint("name ", i), 1)
	}
	sum := 0
	for _, n := range a {
		sum += n
	}
	if len(a) != mostAnswered+1 || sum != 1000 || !a.Several() || !a.Has("NAME 3") || !strings.HasSuffix(a.String(),
		", 13 more") {
		t.Errorf("%d names of %d replies: %s", len(a), sum, a)
	}
	if one := (Answered{"m": 3, "openai/m": 2}); one.Several() || one.String() != "m (3), openai/m (2)" {
		t.Error(one)
	}
}
