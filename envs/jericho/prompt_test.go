package jericho

import (
	"context"
	"os"
	"testing"

	"heldout/configs"
	"heldout/envs/engine/zmachine"
	"heldout/envs/sharedtest"
)

// attic is the game of the example in the prompt.
func attic(t testing.TB) *play {
	t.Helper()
	b := sharedtest.Must(os.ReadFile("testdata/attic.z5"))(t)
	story := sharedtest.Must(zmachine.Load(b))(t)
	g := lowlight.game
	g.Name, g.Score, g.Max, g.Moves = "attic", score{}, 0, 0
	return newPlay(&g, story, 0, binding{})
}

// The example of the prompt is an episode of our environment.
func TestPromptExample(t *testing.T) {
	for _, version := range configs.PromptVersions() {
		t.Run(version, func(t *testing.T) { testPromptExample(t, version) })
	}
}

func testPromptExample(t *testing.T, version string) {
	prompt := sharedtest.Must(configs.LoadPrompt(Name, version))(t)
	in, err := prompt.For("zork1")
	if err != nil || len(in.Examples) != 1 || prompt.Help != helpAction {
		t.Fatalf("%+v: %v", prompt, err)
	}
	w := newWorld(attic(t))
	start := sharedtest.Must(w.Start(context.Background()))(t)
	sharedtest.Equal(t, start.Observation, in.Examples[0].Observation, "the example starts", "the game")
	lists := 0
	for i, want := range in.Examples[0].Steps {
		got := steps(t, w, want.Action)
		if got.Observation != want.Observation || want.Thought == "" {
			t.Errorf("step %d, %q: the example says %q, the game %q", i, want.Action, want.Observation, got.Observation)
		}
		if last := i == len(in.Examples[0].Steps)-1; got.Done != last || got.Success != last {
			t.Errorf("step %d, %q: %+v", i, want.Action, got)
		}
		if asksForHelp(want.Action) {
			lists++
		}
	}
	sharedtest.Equal(t, lists, 1, "steps that ask for the list")
}
