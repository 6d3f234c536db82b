package agentgym_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/outside/gymtest"
	"heldout/envs/sharedtest"
)

// outcome is what AgentGym's evaluator reported of a task.
type outcome struct {
	Task    string
	Success bool
	Reward  float64
}

// What AgentGym's servers answered to its evaluator is played here, byte for byte; the last step has the
// evaluator's score, up to 1, and its success.
func TestRecorded(t *testing.T) {
	for _, game := range []string{"textcraft", "maze", "wordle", "babyai", "webshop"} {
		file := filepath.Join("testdata", "agentgym-"+game)
		recorded := sharedtest.ReadLines[gymtest.Exchange](t, file+".server.jsonl.gz")
		outcomes := sharedtest.ReadLines[outcome](t, file+".outcomes.jsonl.gz")
		sharedtest.Equal(t, len(outcomes), len(gymtest.Tasks(recorded)), game, "outcomes")
		for _, want := range outcomes {
			t.Run(want.Task, func(t *testing.T) { playRecorded(t, recorded, want) })
		}
	}
}

func playRecorded(t *testing.T, recorded []gymtest.Exchange, want outcome) {
	game, index, _ := strings.Cut(want.Task, "_")
	settings := envs.Settings{"agentgym-tasks": index}
	if game == "webshop" { // it does not say so
		settings["agentgym-env"] = game
	}
	env := sharedtest.Must(open(t, gymtest.Serve(t, recorded, want.Task), settings))(t)
	w, err := env.NewWorld(env.Tasks()[0])
	if err != nil || env.Info().Name != "agentgym:"+game || env.Tasks()[0].ID != want.Task {
		t.Fatalf("%v, %s, %v", err, env.Info().Name, env.Tasks())
	}
	defer w.Close()
	start, err := w.Start(t.Context())
	step := envs.Step{Observation: start.Observation}
	own := gymtest.Of(recorded, want.Task)
	switch game { // the evaluator does not show how these answer a reset
	case "webshop":
		own = own[1:]
	case "wordle":
		own[0] = gymtest.Of(recorded, "")[2]
	}
	for _, x := range own {
		if action, ok := x.Sent["action"].(string); ok && err == nil {
			step, err = w.Step(t.Context(), action)
		}
		if text, done := shown(x); err != nil || step.Observation != text || step.Done != done {
			t.Fatalf("%s %v: %+v, %v, want %s", x.Path, x.Sent, step, err, x.Answer)
		}
	}
	if step.Progress != min(want.Reward, 1) || step.Success != want.Success {
		t.Errorf("the last step is %+v, want %+v", step, want)
	}
}

// shown is what an answer shows, and whether it ends the task.
func shown(x gymtest.Exchange) (text string, done bool) {
	var list []string
	if json.Unmarshal([]byte(x.Answer), &text) == nil {
		return text, false
	} else if json.Unmarshal([]byte(x.Answer), &list) == nil {
		return strings.Join(list, "\n"), false
	}
	var answer struct {
		Observation, State string
		Done               bool
	}
	_ = json.Unmarshal([]byte(x.Answer), &answer) // else nothing is shown
	return answer.Observation + answer.State, answer.Done
}
