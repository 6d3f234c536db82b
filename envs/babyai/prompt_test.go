package babyai

import (
	"testing"

	"heldout/configs"
	"heldout/envs/sharedtest"
)

// The example of the prompt is an episode of our own environment, on a task that
// is not in the benchmark.
func TestPromptExample(t *testing.T) {
	for _, version := range configs.PromptVersions() {
		t.Run(version, func(t *testing.T) { testPromptExample(t, version) })
	}
}

func testPromptExample(t *testing.T, version string) {
	prompt := sharedtest.Must(configs.LoadPrompt(Name, version))(t)
	e := opened(t, Options{})
	task, err := e.Task("BabyAI-UnlockPickupDist-v0/7")
	if err != nil || task.Index >= 0 {
		t.Fatalf("%+v, %v", task, err)
	}
	in, err := prompt.For(task.Type)
	if err != nil || len(prompt.Types) != 1 || len(in.Examples) != 1 {
		t.Fatalf("%d types, %d examples, %v", len(prompt.Types), len(in.Examples), err)
	}
	ex := in.Examples[0]
	w, start := played(t, e, task.ID)
	if ex.Goal != start.Goal || ex.Observation != start.Observation {
		t.Errorf("the example starts with %q, %q, the game with %q, %q", ex.Goal, ex.Observation, start.Goal,
			start.Observation)
	}
	invalid, lists := 0, 0
	for i, want := range ex.Steps {
		got := act(t, w, want.Action)
		sharedtest.Equal(t, got.Observation, want.Observation, "step", i, want.Action, "the example says",
			want.Observation, "the game")
		if last := i == len(ex.Steps)-1; got.Done != last || got.Success != last {
			t.Errorf("step %d, %q: done %v, success %v", i, want.Action, got.Done, got.Success)
		}
		if want.Thought == "" {
			t.Errorf("step %d has no thought", i)
		}
		if !got.Valid {
			invalid++
		}
		if want.Action == prompt.Help {
			lists++
		}
	}
	if invalid != 1 || lists != 1 {
		t.Errorf("%d steps are not valid and %d ask for the list, want one of each", invalid, lists)
	}
}
