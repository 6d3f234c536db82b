package clients_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/catalog"
	"heldout/eval/serve"
	"heldout/eval/serve/clients"
)

func TestFiles(t *testing.T) {
	var names []string
	imports := regexp.MustCompile(`(?m)^(?:import|from) (\w+)`)
	standard := map[string]bool{"json": true, "os": true, "re": true, "string": true, "urllib": true, "numpy": true,
		"openenv": true}
	own := map[string]string{"inspect": "inspect_ai", "gymnasium": "gymnasium", "skyrl": "skyrl_gym",
		"textarena": "textarena", "trl": ""}
	for _, c := range clients.All() {
		names = append(names, c.Name)
		if want := "heldout_" + c.Name + ".py"; c.File != want {
			t.Errorf("%s: file %q, want %q", c.Name, c.File, want)
		}
		for _, want := range []string{"Protocol: OpenEnv", "Needs: pip install", "heldout serve"} {
			if !strings.Contains(c.Source, want) {
				t.Errorf("%s does not say %q", c.Name, want)
			}
		}
		for _, m := range imports.FindAllStringSubmatch(c.Source, -1) {
			if !standard[m[1]] && m[1] != own[c.Name] {
				t.Errorf("%s imports %s", c.Name, m[1])
			}
		}
	}
	if diff := cmp.Diff([]string{"gymnasium", "inspect", "skyrl", "textarena", "trl"}, names); diff != "" {
		t.Error(diff)
	}
	if _, err := clients.Find("keras"); err == nil || !strings.Contains(err.Error(), "gymnasium") {
		t.Errorf("a client that does not exist: %v", err)
	}
}

// python returns an interpreter that has the frameworks.
func python(t *testing.T) string {
	path := os.Getenv("HELDOUT_PYTHON")
	if path == "" {
		t.Skip(
			"HELDOUT_PYTHON is not set: want a python with openenv, inspect-ai, gymnasium, skyrl-gym and textarena " +
				"(pip install)")
	}
	return path
}

// server serves generated PDDL tasks, and returns its address and the environment.
func server(t *testing.T) (string, envs.Env) {
	env, err := catalog.Open("pddl", envs.Setup{}, envs.Outside{})
	if err != nil {
		t.Fatal(err)
	}
	mount := serve.NewMount(serve.MountOptions{Name: "pddl", Splits: []serve.Split{
		{Name: "test", Open: func() (envs.Env, []envs.Task, error) {
			return env, env.Tasks(), nil
		}}}})
	s, err := serve.New(serve.Options{
		Mounts: []*serve.Mount{mount}, Now: time.Now, Log: func(string, ...any) {}, CloseEnv: func(envs.Env) {},
		MaxSessions: 64, MaxPerAddress: 64, Idle: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h.URL, env
}

// run runs Python and returns what it prints.
func run(t *testing.T, environment []string, arguments ...string) []byte {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, arguments[0], arguments[1:]...)
	c.Env = append(os.Environ(), environment...)
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s\n%s", strings.Join(arguments, " "), err, out, errs.String())
	}
	return out
}

// played is what a framework shows of an episode.
type played struct {
	First string   `json:"first"`
	Texts []string `json:"texts"`
	Ends  bool     `json:"ends"`
}

const action = "check valid actions"

// want plays two steps of a task without a server.
func want(t *testing.T, env envs.Env, task int) played {
	world, err := env.NewWorld(env.Tasks()[task])
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	start, err := world.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := played{First: "Goal: " + start.Goal + "\n" + start.Observation, Ends: true}
	for range 2 {
		step, err := world.Step(t.Context(), action)
		if err != nil {
			t.Fatal(err)
		}
		p.Texts = append(p.Texts, step.Observation)
	}
	return p
}

func TestFrameworks(t *testing.T) {
	interpreter := python(t)
	url, env := server(t)
	for _, name := range []string{"gymnasium", "vector", "skyrl", "textarena", "trl"} {
		t.Run(name, func(t *testing.T) {
			var got played
			out := run(t, []string{"HELDOUT_URL=" + url + "/openenv/pddl"}, interpreter, "testdata/frameworks.py", name,
				url, action)
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if diff := cmp.Diff(want(t, env, 1), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestInspect lets Inspect evaluate a model that always says the same.
func TestInspect(t *testing.T) {
	interpreter := python(t)
	url, env := server(t)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w,
			`{"id":"1","object":"chat.completion","created":1,"model":"fake","choices":[{"index":0,"finish_reason":"stop",`+
				`"message":{"role":"assistant","content":"Thought: I look.\nAction: %s"}}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`, action)
	}))
	t.Cleanup(model.Close)
	logs := t.TempDir()
	inspect := filepath.Join(filepath.Dir(interpreter), "inspect")
	environment := []string{"LOCAL_API_KEY=none", "LOCAL_BASE_URL=" + model.URL + "/v1"}
	run(t, environment, inspect, "eval", "heldout_inspect.py", "-T", "url="+url+"/openenv/pddl", "-T", "limit=2", "-T",
		"steps=2", "-T", "actions=false",
		"--model", "openai-api/local/fake", "--log-dir", logs, "--display", "none")
	files, err := filepath.Glob(filepath.Join(logs, "*.eval"))
	if err != nil || len(files) != 1 {
		t.Fatalf("logs: %v, %v", files, err)
	}
	var log struct {
		Status  string
		Samples []struct {
			ID       string
			Messages []struct{ Role, Content string }
		}
		Results struct{ Scores []struct{ Name string } }
	}
	if err := json.Unmarshal(run(t, nil, inspect, "log", "dump", files[0]), &log); err != nil {
		t.Fatal(err)
	}
	if log.Status != "success" || len(log.Samples) != 2 || len(log.Results.Scores) != 2 {
		t.Fatalf("status %q, %d samples, %d scores", log.Status, len(log.Samples), len(log.Results.Scores))
	}
	for i, sample := range log.Samples {
		if want := env.Tasks()[i].ID; sample.ID != want {
			t.Errorf("sample %d is %q, want %q", i, sample.ID, want)
		}
		var shown []string
		for _, m := range sample.Messages {
			if m.Role == "user" {
				shown = append(shown, m.Content)
			}
		}
		p := want(t, env, i)
		if diff := cmp.Diff(append([]string{p.First}, p.Texts...), shown); diff != "" {
			t.Errorf("sample %d: %s", i, diff)
		}
	}
}
