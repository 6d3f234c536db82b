package report

import (
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// card is the model card of runs, or the message why there is none.
func card(runs ...NamedRun) string {
	text, err := New(runs, nil, weights).ModelCard()
	if err != nil {
		return err.Error()
	}
	return text
}

// A card is for one model with results; a name within another one is a model, too.
func TestModelCardOfOne(t *testing.T) {
	playedBy := func(model, outcomes string) NamedRun {
		return newRun(t, "runs/"+model, group{"pddl", envs.Official, 4, model, 0, nil, outcomes})
	}
	logs := playedBy("expert", "SSff")
	logs.Board = true
	served, expert := playedBy("vllm:qwen", "SSff"), playedBy("expert", "SSff")
	for want, got := range map[string]string{
		"these runs have qwen2 and qwen: choose one":  card(playedBy("vllm:qwen2", "SSff"), served),
		"these runs have qwen and expert: choose one": card(served, expert),
		"no episode has a result":                     card(playedBy("expert", "mmmm")),
		"the logs in runs/expert do not: leave them":  card(logs),
	} {
		sharedtest.Contains(t, got, want)
	}
}

// The paragraph names all programs that measured, marks rates of runs that are not complete, and
// says where there is no interval. What a name contains does not reach a terminal.
func TestModelCardSentences(t *testing.T) {
	first := newRun(t, "a", group{"pddl", envs.Official, 4, "vllm:\x1b[31m\nm", 0, nil, "SSf-"})
	second := newRun(t, "b", group{"babyai", envs.Official, 4, "vllm:\x1b[31m\nm", 0, nil, "S---"})
	first.Tool.Version, second.Tool.Version = "1.0", "2.0"
	text := card(first, second)
	for _, want := range []string{"Measured with heldout 1.0 and heldout 2.0 by the default protocol, 1 seed.",
		"PDDL 66.7* (", "BabyAI 100.0* (no interval)", "* 4 of 8 episodes have no result", `\x1b[31m`} {
		sharedtest.Contains(t, text, want)
	}
	if strings.Contains(text, "\x1b") || strings.Count(text, "\n---\n") != 1 {
		t.Errorf("a name acts on who reads the card: %q", text)
	}
}
