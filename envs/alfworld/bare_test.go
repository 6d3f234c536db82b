package alfworld

import (
	"path"
	"slices"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// bareStart starts the world of a task without a layer.
func bareStart(t *testing.T, e *Env, task envs.Task) (envs.World, envs.Start) {
	t.Helper()
	w := sharedtest.Must(e.NewWorld(task))(t)
	return w, sharedtest.Must(w.Start(t.Context()))(t)
}

// Without AgentBoard's layer, texts and the order of the admissible commands are
// as in the recorded engine, in the dialect with a help command.
func TestBareWorldIsTheEngine(t *testing.T) {
	type step struct {
		Action, Obs string
		Done        bool
		Admissible  []string
	}
	type trace struct {
		Game, Intro string
		Admissible0 []string
		Steps       []step
	}
	env := official(t, Options{Variant: ALFWorld, Dialect: "v2"})
	lists := 0
	for _, tr := range sharedtest.Lines[trace](t, "alfworld/raw_engine_v2_random.jsonl.gz", 3) {
		id, unseen := strings.CutPrefix(path.Dir(tr.Game), "valid_unseen/")
		if !unseen { // the data for development have one split
			continue
		}
		w, start := bareStart(t, env, taskNamed(t, env, id))
		if start.Observation != tr.Intro || start.Goal != tr.Intro[strings.Index(tr.Intro, goalPrefix)+
			len(goalPrefix):] {
			t.Errorf("%s starts with %q, %q", id, start.Goal, start.Observation)
		}
		list, _ := envs.As[envs.Lister](w)
		sameOrder := func(step int, want []string) {
			lists++
			got, err := list.Actions(t.Context())
			if err != nil || !slices.Equal(got, want) || !slices.Contains(got, "help") {
				t.Errorf("%s, step %d: %q, %v, want %q", id, step, got, err, want)
			}
		}
		sameOrder(0, tr.Admissible0)
		for i, want := range tr.Steps {
			got, err := w.Step(t.Context(), want.Action)
			if err != nil || got.Observation != want.Obs || got.Done != want.Done {
				t.Errorf("%s, step %d, %q: %+v, %v, want %+v", id, i+1, want.Action, got, err, want)
			}
			sameOrder(i+1, want.Admissible)
		}
	}
	if lists == 0 {
		t.Error("no list was compared")
	}
	t.Logf("%d lists", lists)
}

// The walkthroughs of AgentBoard's records also win without its layer, whose rewriting of actions is gone.
func TestBareWorldHasNoLayer(t *testing.T) {
	env := sharedtest.Must(NewGenerated(1000, Options{Variant: ALFWorld}))(t)
	if env.Info().Settings["variant"] != ALFWorld || env.Info().Caveats(false, "") == "" ||
		env.Info().Caveats(true, "") != "" {
		t.Errorf("%+v", env.Info())
	}
	task := env.Tasks()[0]
	w, start := bareStart(t, env, task)
	if !strings.HasPrefix(start.Observation, banner+"\n\nYou are") ||
		!strings.HasSuffix(start.Observation, "\n\n"+goalPrefix+start.Goal) {
		t.Errorf("%q", start.Observation)
	}
	for _, action := range []string{checkAction, "look.", "Look", ""} {
		if s, err := w.Step(t.Context(), action); err != nil || s.Observation != rejected || s.Valid {
			t.Errorf("%q: %+v, %v", action, s, err)
		}
	}
	expert, _ := envs.As[envs.Expert](w)
	var last envs.Step
	for range 40 {
		action, err := expert.ExpertAction(t.Context())
		if err != nil || action == "" {
			t.Fatalf("%q, %v", action, err)
		}
		last = sharedtest.Must(w.Step(t.Context(), action))(t)
		if strings.HasPrefix(action, "go to") && !strings.HasPrefix(last.Observation, arrival) {
			t.Errorf("%q: %q", action, last.Observation)
		}
		if last.Done {
			break
		}
		sharedtest.Equal(t, last.Progress, 0, "progress before the end")
	}
	if !last.Success || last.Progress != 1 {
		t.Errorf("%+v", last)
	}
}

// The engine's own limit ends an episode, and pays nothing.
func TestBareWorldEnds(t *testing.T) {
	env := sharedtest.Must(NewGenerated(1000, Options{Variant: ALFWorld, StepLimitReward: true}))(t)
	w, _ := bareStart(t, env, env.Tasks()[0])
	for i := range engineLimit {
		s, err := w.Step(t.Context(), "look")
		if err != nil || s.Done != (i == engineLimit-1) || s.Progress != 0 || s.Success {
			t.Fatalf("command %d: %+v, %v", i+1, s, err)
		}
	}
}

func TestUnknownVariant(t *testing.T) {
	if _, err := NewGenerated(1, Options{Variant: "chess"}); err == nil ||
		!strings.Contains(err.Error(), `unknown variant "chess"`) {
		t.Error(err)
	}
}
