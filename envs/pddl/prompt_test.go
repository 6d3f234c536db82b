package pddl

import (
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
)

// The examples of the prompts are episodes of our own environment on the problems in testdata/examples.
func TestPromptExamples(t *testing.T) {
	for _, version := range configs.PromptVersions() {
		t.Run(version, func(t *testing.T) { testPromptExamples(t, version) })
	}
}

func testPromptExamples(t *testing.T, version string) {
	prompt := sharedtest.Must(configs.LoadPrompt(Name, version))(t)
	sharedtest.Equal(t, prompt.Help, checkAction, "the help action")
	sharedtest.Equal(t, len(prompt.Types), len(games), "prompts")
	for _, g := range games {
		in, err := prompt.For(g.Name)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(in.Examples) != 1 {
			t.Errorf("%s: %d examples, want 1", g.Name, len(in.Examples))
			continue
		}
		ex := in.Examples[0]
		w := example(t, g.Name)
		s := start(t, w)
		if ex.Goal != s.Goal || ex.Observation != s.Observation {
			t.Errorf("%s: the example starts with %q, %q, the game with %q, %q", g.Name, ex.Goal, ex.Observation,
				s.Goal, s.Observation)
		}
		invalid, lists := 0, 0
		for i, want := range ex.Steps {
			got := step(t, w, want.Action)
			sharedtest.Equal(t, got.Observation, want.Observation, g.Name, "step", i, want.Action, "the example says",
				want.Observation, "the game")
			if last := i == len(ex.Steps)-1; got.Done != last || got.Success != last {
				t.Errorf("%s, step %d, %q: done %v, success %v", g.Name, i, want.Action, got.Done, got.Success)
			}
			if want.Thought == "" {
				t.Errorf("%s, step %d has no thought", g.Name, i)
			}
			if !got.Valid {
				invalid++
			}
			if want.Action == "Check valid actions" {
				lists++
			}
		}
		if invalid != 1 || lists != 1 {
			t.Errorf("%s: %d steps are not valid and %d ask for the list, want one of each", g.Name, invalid, lists)
		}
	}
}
