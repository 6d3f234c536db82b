package child_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/outside"
	"heldout/envs/outside/child"
)

// playing is set in a process that is an environment; its value says how it behaves.
const playing = "HELDOUT_TEST_CHILD"

func TestMain(m *testing.M) {
	if how := os.Getenv(playing); how != "" {
		play(how)
		return
	}
	os.Exit(m.Run())
}

// command runs this test as an environment that behaves in a way.
func command(how string) string { return playing + "=" + how + " " + os.Args[0] }

const about = `"protocol":1,"name":"echo","version":"1.0","hash":"0123abcd","tasks":[{"id":"a","kind":"k"},{"id":"b"}],` +
	`"step_limit":5,"instruction":"Say something.","can":["actions","expert"],"success":true`

// asked is a line to an environment.
type asked struct {
	ID     int64
	Ask    string
	World  int64
	Task   string
	Seed   int64
	Action string
}

// play answers as an environment that repeats actions; "win" solves a task.
func play(string) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var q asked
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		fmt.Println(echo(&q))
	}
}

// echo is the answer to a request.
func echo(q *asked) string {
	switch q.Ask {
	case "describe":
		return `{"id":0,` + about + `}`
	case "start":
		return fmt.Sprintf(`{"id":%d,"goal":"Win.","observation":"%s %d"}`, q.ID, q.Task, q.Seed)
	case "actions":
		return fmt.Sprintf(`{"id":%d,"actions":["win","lose","win"]}`, q.ID)
	case "expert":
		return fmt.Sprintf(`{"id":%d,"action":"win"}`, q.ID)
	case "close":
		return fmt.Sprintf(`{"id":%d}`, q.ID)
	}
	return fmt.Sprintf(`{"id":%d,"observation":%q,"done":%t,"success":%[3]t,"valid":true}`, q.ID, q.Action,
		q.Action == "win")
}

// open opens an environment that behaves in a way.
func open(t testing.TB, how string, o outside.Options) (*outside.Env, error) {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	o.Processes = max(o.Processes, 1)
	door := child.New(command(how), o)
	t.Cleanup(func() { _ = door.Close() })
	return outside.New(t.Context(), "exec", door, o)
}

// begin starts a world of an environment's first task.
func begin(t testing.TB, env envs.Env) (envs.World, error) {
	t.Helper()
	w, err := env.NewWorld(env.Tasks()[0])
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := envs.As[envs.Seeder](w); ok {
		s.SetSeed(7)
	}
	_, err = w.Start(t.Context())
	return w, err
}

// An episode goes through a process as through any environment.
func TestEpisode(t *testing.T) {
	env, err := open(t, "echo", outside.Options{})
	if err != nil {
		t.Fatal(err)
	}
	info := env.Info()
	if info.Name != "exec:echo" || info.Source != envs.External || info.Settings["hash"] != "0123abcd" ||
		info.Settings["version"] != "1.0" || info.StepLimit != 5 || len(env.Tasks()) != 2 ||
		!strings.Contains(info.Instructions["k"], "Say something.") {
		t.Errorf("%+v", info)
	}
	w, err := begin(t, env)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := envs.As[envs.Lister](w)
	expert, _ := envs.As[envs.Expert](w)
	actions, err1 := list.Actions(t.Context())
	advice, err2 := expert.ExpertAction(t.Context())
	if err1 != nil || err2 != nil || fmt.Sprint(actions) != "[lose win]" || advice != "win" {
		t.Errorf("%q, %q, %v, %v", actions, advice, err1, err2)
	}
	for action, want := range map[string]envs.Step{
		"hi \u2028\n": {Observation: "hi \u2028\n", Valid: true},
		"win":         {Observation: "win", Valid: true, Done: true, Success: true, Progress: 1},
	} {
		if s, err := w.Step(t.Context(), action); s != want || err != nil {
			t.Errorf("%q: %+v, %v", action, s, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}
