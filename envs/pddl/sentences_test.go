package pddl

import (
	"slices"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/pytext"
	"heldout/envs/sharedtest"
)

// prompted is a request of AgentBoard's agent for open models.
type prompted struct {
	Protocol, Task string
	Request        struct{ Prompt string }
}

// AgentBoard splits an action into NLTK's sentences before it splits it into words, and so
// does heldout: every recorded answer is equal, also to actions of several sentences.
func TestSentences(t *testing.T) {
	e := official(t)
	last := map[string]prompted{}
	for _, p := range sharedtest.Lines[prompted](t, "protocols/agentboard-open-pddl.jsonl.gz") {
		last[p.Protocol+" "+p.Task] = p // each prompt has those before it
	}
	actions, several := 0, 0
	for name, p := range last {
		i := slices.IndexFunc(e.Tasks(), func(task envs.Task) bool { return task.ID == p.Task })
		w := sharedtest.Must(e.NewWorld(e.Tasks()[i]))(t).(*world)
		if _, err := w.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, history, _ := strings.Cut(p.Request.Prompt[strings.LastIndex(p.Request.Prompt, "accomplish the goal"):],
			"\nObservation: ")
		turns := strings.Split(history, "\nAction: ")
		for _, turn := range turns[1 : len(turns)-1] {
			action, want, _ := strings.Cut(turn, "\nObservation: ")
			text := pytext.Lower(action)
			if strings.Contains(text, "check") || strings.Contains(text, lookAction) {
				continue // these change nothing, and are listed in the order of a set
			}
			if got, _ := w.act(tokenize(text)); got != want {
				t.Errorf("%s: %q is answered %q, want %q", name, action, got, want)
			}
			if actions++; !slices.Equal(words(text), tokenize(text)) {
				several++
			}
		}
	}
	t.Logf("%d of %d actions are read otherwise as several sentences", several, actions)
	if several == 0 {
		t.Error("no action has several sentences")
	}
}
