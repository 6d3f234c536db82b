package hotpotqa

import (
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
)

// The example of the prompt is an episode of our own environment, on a question that is not one of its tasks.
func TestPromptExample(t *testing.T) {
	for _, version := range configs.PromptVersions() {
		t.Run(version, func(t *testing.T) { testPromptExample(t, version) })
	}
}

func testPromptExample(t *testing.T, version string) {
	prompt := sharedtest.Must(configs.LoadPrompt(Name, version))(t)
	in := sharedtest.Must(prompt.For("bridge"))(t)
	sharedtest.Equal(t, len(in.Examples), 1, "examples")
	ex := in.Examples[0]
	e := embedded(t, Options{})
	for _, q := range e.questions {
		if q.text == ex.Goal {
			t.Errorf("the example gives away the task %s", q.id)
		}
	}
	w := &world{env: e, question: question{text: ex.Goal, answer: "1894"}, browser: newBrowser(e.wiki)}
	start, err := w.Start(t.Context())
	if want := (envs.Start{Goal: ex.Goal, Observation: ex.Observation}); err != nil || start != want {
		t.Errorf("the example starts with %+v, the environment with %+v, %v", want, start, err)
	}
	for i, want := range ex.Steps {
		got := step(t, w, want.Action)
		last := i == len(ex.Steps)-1
		if got.Observation != want.Observation || got.Done != last || got.Success != last || want.Thought == "" {
			t.Errorf("step %d, %q: the example says %q, the environment %+v", i, want.Action, want.Observation, got)
		}
	}
}
