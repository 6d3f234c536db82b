package jericho

import (
	"context"
	"slices"
	"testing"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/sharedtest"
)

// officialEnv sets up the 20 games, or skips the test.
func officialEnv(t testing.TB, o Options) *Env {
	t.Helper()
	o.Data = sharedtest.AgentBoard(t)
	return sharedtest.Must(New(o))(t)
}

// startedWorld returns a world of a task after its start.
func startedWorld(t testing.TB, e *Env, task int) (envs.World, envs.Start) {
	t.Helper()
	w := sharedtest.Must(e.NewWorld(e.Tasks()[task]))(t)
	return w, sharedtest.Must(w.Start(context.Background()))(t)
}

// Every recorded run of the reference is repeated: goals, observations, ends and grounding. Of lists of valid
// actions only the form is compared, and progress not at all: the sub-goals of the reference are not known.
func TestRecordedRuns(t *testing.T) {
	ctx := context.Background()
	e := officialEnv(t, Options{})
	episodes, steps, lists := 0, 0, 0
	type recorded struct {
		ID         int
		Source     string
		Goal       string
		TaskName   string `json:"task_name"`
		Difficulty string
		Done       bool
		Grounding  float64
		Steps      []struct{ Action, Observation string }
	}
	for _, ep := range sharedtest.Lines[recorded](t, "agentboard-logs/jericho.jsonl.gz") {
		episodes++
		w, start := startedWorld(t, e, ep.ID)
		task := e.Tasks()[ep.ID]
		if start.Goal != ep.Goal || task.Type != ep.TaskName || string(task.Difficulty) != ep.Difficulty {
			t.Errorf("%s %s: goal %q, want %q", ep.Source, task.ID, start.Goal, ep.Goal)
		}
		valid := 0
		var last envs.Step
		for i, s := range ep.Steps {
			steps++
			if asksForHelp(agentboard.JerichoAction(s.Action)) { // takes long and changes nothing: see TestHelp
				lists++
				valid++
				if !isHelp(s.Observation) {
					t.Errorf("%s %s: step %d, %q: the list is %q", ep.Source, task.ID, i, s.Action, s.Observation)
				}
				continue
			}
			last = sharedtest.Must(w.Step(ctx, s.Action))(t)
			if !e.SameObservation(s.Action, s.Observation, last.Observation) {
				t.Errorf("%s %s: step %d, %q: got %q, want %q", ep.Source, task.ID, i, s.Action, last.Observation,
					s.Observation)
				break
			}
			if last.Valid {
				valid++
			}
		}
		if len(ep.Steps) == 0 {
			t.Fatalf("%s %s has no steps", ep.Source, task.ID)
		}
		if g := float64(valid) / float64(len(ep.Steps)); last.Done != ep.Done || g != ep.Grounding {
			t.Errorf("%s %s: done %v, grounding %v; want %v, %v", ep.Source, task.ID, last.Done, g, ep.Done,
				ep.Grounding)
		}
	}
	t.Logf("%d episodes, %d steps, of them %d lists of valid actions", episodes, steps, lists)
}

// The walkthroughs end in victory, and do so for the expert too, whose commands
// are not filtered like an agent's replies.
func TestExpertWins(t *testing.T) {
	ctx := context.Background()
	e := officialEnv(t, Options{Bindings: sharedtest.Golden(t, "jericho/thirdparty_jericho_bindings_20.json")})
	for _, task := range sharedtest.Sample(t, e.Tasks(), 4) {
		w, _ := startedWorld(t, e, task.Index)
		var last envs.Step
		for !last.Done {
			action, err := w.(envs.Expert).ExpertAction(ctx)
			if err != nil || action == "" {
				t.Errorf("%s: the expert gives up: %v", task.ID, err)
				break
			}
			last = sharedtest.Must(w.Step(ctx, action))(t)
		}
		if !last.Success || last.Progress != 1 {
			t.Errorf("%s: %+v", task.ID, last)
		}
	}
}

// What the data folder holds is what the environment says it holds.
func TestOfficialTasks(t *testing.T) {
	e := officialEnv(t, Options{})
	info := e.Info()
	if info.Name != Name || info.Source != envs.Official || info.StepLimit != 30 || len(info.DataHash) != 64 {
		t.Errorf("%+v", info)
	}
	hard := []int{0, 1, 3, 10, 11, 14, 15, 16, 17, 19} // spec §2.1
	for i, task := range e.Tasks() {
		want := envs.Easy
		if slices.Contains(hard, i) {
			want = envs.Hard
		}
		if task.Index != i || task.ID != games[i].Name || task.Difficulty != want || len(task.Digest) != 64 {
			t.Errorf("%+v", task)
		}
	}
	if _, start := startedWorld(t, e, 18); start.Goal != "Not written yet." || start.Observation != "Not written yet." {
		t.Errorf("huntdark starts with %+v", start)
	}
	fixed := officialEnv(t, Options{Huntdark: HuntdarkFixed})
	if _, start := startedWorld(t, fixed, 18); start.Goal == "Not written yet." ||
		start.Observation == "Not written yet." {
		t.Errorf("huntdark starts, fixed, with %+v", start)
	}
	if fixed.Info().Settings["huntdark"] != HuntdarkFixed || fixed.Tasks()[18].Digest == e.Tasks()[18].Digest {
		t.Errorf("the choice does not show: %+v", fixed.Info())
	}
}
