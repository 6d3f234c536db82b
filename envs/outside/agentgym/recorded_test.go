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
	for _, game := range []string{"textcraft", "maze", "wordle", "babyai"} {
		file := filepath.Join("testdata", "agentgym-"+game)
		recorded := sharedtest.ReadLines[gymtest.Exchange](t, file+".server.jsonl.gz")
		outcomes := sharedtest.ReadLines[outcome](t, file+".outcomes.jsonl.gz")
		if len(outcomes) != len(gymtest.Tasks(recorded)) {
			t.Errorf("%s: %d outcomes", game, len(outcomes))
		}
		for _, want := range outcomes {
			t.Run(want.Task, func(t *testing.T) { playRecorded(t, recorded, want) })
		}
	}
}

func playRecorded(t *testing.T, recorded []gymtest.Exchange, want outcome) {
	game, index, _ := strings.Cut(want.Task, "_")
	env, err := open(t, gymtest.Serve(t, recorded, want.Task), envs.Settings{"agentgym-tasks": index})
	if err != nil {
		t.Fatal(err)
	}
	w, err := env.NewWorld(env.Tasks()[0])
	if err != nil || env.Info().Name != "agentgym:"+game || env.Tasks()[0].ID != want.Task {
		t.Fatalf("%v, %s, %v", err, env.Info().Name, env.Tasks())
	}
	defer w.Close()
	start, err := w.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var step envs.Step
	for i, x := range gymtest.Of(recorded, want.Task) {
		var answer struct {
			Observation string
			Done        bool
		}
		if err := json.Unmarshal([]byte(x.Answer), &answer); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			step.Observation = start.Observation
		} else if step, err = w.Step(t.Context(), x.Sent["action"].(string)); err != nil {
			t.Fatal(err)
		}
		if step.Observation != answer.Observation || step.Done != answer.Done {
			t.Errorf("step %d: %+v, want %+v", i, step, answer)
		}
	}
	if step.Progress != min(want.Reward, 1) || step.Success != want.Success {
		t.Errorf("the last step is %+v, want %+v", step, want)
	}
}
