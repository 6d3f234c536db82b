package openenv_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/envs/sharedtest"
	"heldout/eval/bench"
	"heldout/eval/serve"
	"heldout/eval/serve/dial"
	"heldout/eval/serve/guard"
	"heldout/eval/serve/mount"
)

// served serves environments as heldout serve does, and returns the address.
func served(t *testing.T, token string, texts ...string) string {
	t.Helper()
	out := bench.Outside{Now: time.Now, Getenv: func(string) string { return "" }, Warn: func(string) {}}
	mounts, _, err := mount.Parse(out, mount.Defaults{Reward: serve.RewardDelta}, texts)
	if err != nil {
		t.Fatal(err)
	}
	s, err := serve.New(serve.Options{Mounts: mounts, Now: time.Now, Log: func(string, ...any) {}, Idle: time.Minute,
		MaxSessions: 10, MaxPerAddress: 10, Version: "1.2",
		Callers: guard.Callers{Token: token}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL
}

// What heldout serves is what it plays itself: an expert's episodes are equal.
func TestRoundTrip(t *testing.T) {
	url := served(t, "", "pddl", "babyai")
	every := sharedtest.Every(t, 9)
	for _, name := range []string{"pddl", "babyai"} {
		t.Run(name, func(t *testing.T) {
			own := sharedtest.Must(catalog.Open(name, envs.Setup{}, envs.Outside{Now: time.Now}))(t)
			theirs := sharedtest.Must(catalog.Reach("openenv:"+url+"/openenv/"+name, envs.Setup{Settings: envs.Settings{
				"openenv-observation": "goal,text", "openenv-success": "success", "openenv-progress": "progress",
				"openenv-tasks": "test"}}, envs.Outside{Dial: dial.New(nil)}))(t)
			tasks := own.Tasks()
			if n := len(theirs.Tasks()); n != len(tasks) {
				t.Fatalf("%d tasks, want %d", n, len(tasks))
			}
			for i := 0; i < len(tasks); i += every {
				if theirs.Tasks()[i].ID != tasks[i].ID || theirs.Tasks()[i].Type != tasks[i].Type {
					t.Errorf("task %d is %+v, want %+v", i, theirs.Tasks()[i], tasks[i])
				}
				equal(t, own, theirs, i)
			}
		})
	}
}

// equal plays a task in two environments, as the expert of the first says after a wrong action.
func equal(t *testing.T, own, theirs envs.Env, i int) {
	t.Helper()
	a, b := open(t, own, i), open(t, theirs, i)
	defer b.Close() // the server has room for few
	want, err := a.Start(t.Context())
	got, err2 := b.Start(t.Context())
	shown := want.Goal + "\n" + want.Observation
	if err != nil || err2 != nil || got.Observation != shown || got.Progress != want.Progress {
		t.Fatalf("task %d begins with %+v, want %+v; %v, %v", i, got, want, err, err2)
	}
	expert, _ := envs.As[envs.Expert](a)
	for action := `fly "away" {action} ✈`; ; {
		want, err := a.Step(t.Context(), action)
		got, err2 := b.Step(t.Context(), action)
		if got.Valid, want.Valid = true, true; got != want || err != nil || err2 != nil { // OpenEnv has no word for it
			t.Fatalf("task %d, %s: %+v, want %+v; %v, %v", i, action, got, want, err, err2)
		}
		if want.Done {
			if !want.Success || want.Progress != 1 {
				t.Errorf("the expert fails at task %d", i)
			}
			return
		}
		action = sharedtest.Must(expert.ExpertAction(t.Context()))(t)
	}
}

// open opens a world, which is closed at the end.
func open(t *testing.T, env envs.Env, i int) envs.World {
	t.Helper()
	w := sharedtest.Must(env.NewWorld(env.Tasks()[i]))(t)
	t.Cleanup(func() { _ = w.Close() })
	return w
}
