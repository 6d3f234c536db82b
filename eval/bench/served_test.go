package bench

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/episode"
	"heldout/perturb"
	"heldout/scoring/record"
)

// answering is the address of a server with the model m, whose replies are one text. Its context has 16384 tokens.
func answering(t *testing.T, text string) string {
	t.Helper()
	address, _ := choosing(t, func(int64) string { return choice(text, "stop") })
	return address
}

const looks = "Thought: I look.\nAction: check valid actions"

// served changes a run to one of the model m.
func served(address string, more ...func(*configs.Run)) func(*configs.Run) {
	return func(r *configs.Run) {
		r.Model, r.StepLimit, r.Concurrency = configs.Strings{"vllm:m"}, 3, 2
		r.BaseURL = configs.Servers{List: []string{address}}
		for _, change := range more {
			change(r)
		}
	}
}

// A name that is given to another model while the server runs is noticed at the end, warned of and noted.
func TestModelChangesUnderTheName(t *testing.T) {
	for _, changes := range []bool{false, true} {
		behind := answering(t, looks)
		target := sharedtest.Must(url.Parse(strings.TrimSuffix(behind, "/v1")))(t)
		root, calls, proxy := "/one", 0, httputil.NewSingleHostReverseProxy(target)
		var mu sync.Mutex
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			if r.URL.Path == "/v1/models" {
				fmt.Fprintf(w, `{"data":[{"id":"m","root":%q,"max_model_len":16384}]}`, root)
				return
			}
			if calls++; changes && calls == 3 {
				root = "/two"
			}
			proxy.ServeHTTP(w, r)
		}))
		t.Cleanup(server.Close)
		j, n := prepared(t, served(server.URL+"/v1")), &notes{}
		sharedtest.OK(t, j.Meet(t.Context()))
		sharedtest.OK(t, j.Play(t.Context(), n.screen()))
		m := sharedtest.Must(record.ReadManifest(j.Dir))(t)
		const want = "vllm:m: another model got the name while the run was played, and may have given replies: " +
			"root /one, now /two"
		if said, noted := len(n.lacks(want)) == 0, len(m.Servers["vllm:m"]) == 2; said != changes || noted != changes {
			t.Errorf("told %q; the run has %+v", n.lines, m.Servers)
		}
	}
}

// A served model plays each task again after a failure, with a reflection; the texts that
// it got are found again by their hashes.
func TestServedRun(t *testing.T) {
	j := prepared(t, served(answering(t, looks), func(r *configs.Run) { r.Trials = 2 }))
	who := j.Plan.Episodes[0].Player.Model
	for _, part := range []string{"run directory: ", "pddl (generated), agent react, vllm:m, perturbation none, seed 0: " +
		"2 episodes of at most 3 steps, each again after a failure: at most 2 trials, memory 3",
		"2 episodes if every task is solved in its first trial, 4 if none ever is", "2 at a time"} {
		if !strings.Contains(j.Describe(t.Context(), 100), part) {
			t.Errorf("the plan lacks %q:\n%s", part, j.Describe(t.Context(), 100))
		}
	}
	if f := j.Forecast(t.Context()); f.Episodes != 4 {
		t.Errorf("%+v", f)
	}
	sharedtest.Equal(t, j.Plan.Episodes[0].Player.Model, who, "the estimate leaves a to play")
	n := &notes{}
	sharedtest.OK(t, j.Meet(t.Context()))
	sharedtest.OK(t, j.Play(t.Context(), n.screen()))
	m, results, err := record.Read(j.Dir)
	if err != nil || len(results) != 4 {
		t.Fatalf("%d episodes, %v", len(results), err)
	}
	reflections := 0
	for _, r := range results {
		if r.Outcome != record.Failure || r.Steps != 3 {
			t.Errorf("trial %d of %s: %s after %d steps", r.Trial, r.Task, r.Outcome, r.Steps)
		}
		if r.Reflection != nil {
			reflections++
		}
	}
	sharedtest.Equal(t, reflections, 2, "reflections")
	texts, err := Texts{Outside: envs.Outside{Now: time.Now}}.Find(m, m.Groups[0].Condition)
	if err != nil || texts.Preset.Name != "" || texts.Memory == "" || len(texts.Prompt.Types) == 0 {
		t.Errorf("%v: %+v", err, texts)
	}
	changed := m.Groups[0].Condition
	changed.PromptHash = strings.Repeat("0", 64)
	sharedtest.Fails(t, sharedtest.Err((Texts{Outside: envs.Outside{Now: time.Now}}).Find(m, changed)),
		"give its file with --prompt")
}

// A service is asked for a model that it does not list: a name that it refuses is refused
// before the first episode, with the names that there are, and leaves no directory.
func TestNameThatIsNotListed(t *testing.T) {
	for _, status := range []int{200, 400, 404, 503} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/models" {
				fmt.Fprint(w, `{"data":[{"id":"right"}`+strings.Repeat(`,{"id":"x"}`, 30)+`]}`)
				return
			}
			w.WriteHeader(status)
			fmt.Fprint(w, `{"error":{"message":"The model m does not exist"},"choices":[{"message":{"content":"Hi"}}]}`)
		}))
		defer server.Close()
		j := prepared(t, served(server.URL+"/v1", func(r *configs.Run) { r.Model = configs.Strings{"openai:m"} }))
		err := j.Meet(t.Context())
		if unknown := status == 400 || status == 404; unknown != (err != nil) || unknown &&
			!strings.Contains(err.Error(), "does not exist; check the name of the model") &&
			!strings.Contains(err.Error(), "the server lists right, x, x") {
			t.Errorf("%d: %v", status, err)
		}
		if record.IsRun(j.Dir) {
			t.Errorf("%d: there is a directory", status)
		}
	}
}

// A reply that fills the context leaves no room for a prompt.
func TestNoRoomForAPrompt(t *testing.T) {
	j := prepared(t, served(answering(t, looks), func(r *configs.Run) { r.MaxTokens = 16384 }))
	var config ConfigError
	if err := j.Meet(t.Context()); !errors.As(err, &config) || !strings.Contains(err.Error(), "leaves no room") {
		t.Errorf("the error is %v", err)
	}
	fleet := sharedtest.Must(OpenModel(around(t), j.Config))(t)
	defer fleet.Close()
	if _, err := MeetModel(t.Context(), fleet, j.Config); !errors.As(err, &config) {
		t.Errorf("without a run the error is %v", err)
	}
}

// A run of a preset records the preset as it is played, and its texts are found by it.
func TestPresetRun(t *testing.T) {
	address, dir := answering(t, looks), filepath.Join(t.TempDir(), "run")
	all := chosen(t, []string{"agentrefine:pddl"}, func(r *configs.Run) {
		served(address)(r)
		r.Limit, r.Out = 2, dir
	})
	j := sharedtest.Must(New(around(t), Plain, all...))(t)
	defer j.Close()
	if !strings.Contains(j.Describe(t.Context(), 100), "agentrefine@1+:pddl (") {
		t.Errorf("the plan does not name its preset:\n%s", j.Describe(t.Context(), 100))
	}
	sharedtest.OK(t, errors.Join(j.Meet(t.Context()), j.Play(t.Context(), (&notes{}).screen())))
	m, results, err := record.Read(dir)
	if err != nil || len(results) != 2 {
		t.Fatalf("%d episodes, %v", len(results), err)
	}
	c := m.Groups[0].Condition
	texts := sharedtest.Must(Texts{Outside: envs.Outside{Now: time.Now}}.Find(m, c))(t)
	sharedtest.Equal(t, texts.Preset.Name, "agentrefine")
	c.Preset.SHA256 = "0"
	if _, err := PlayedPreset(m, c); err == nil {
		t.Error("another preset is taken for the one that was played")
	}
}

// A sweep plays each perturbation and none; what needs a model without such data has one.
func TestSweepOfAModel(t *testing.T) {
	r := configs.DefaultRun()
	served(answering(t, looks))(&r)
	r.Env, r.Tasks, r.Out = configs.Strings{"alfworld"}, "0", filepath.Join(t.TempDir(), "run")
	file := filepath.Join(t.TempDir(), "mine.yaml")
	sharedtest.OK(t, os.WriteFile(file, []byte("name: mine\ntitle: other verbs\nenv: alfworld\nactions:\n"+
		"  go to {recep}: walk to {recep}\n"), 0o600))
	r.Perturb, r.NoIndModel = configs.Strings{"P1", "P5", file}, configs.Strings{"openai:other"}
	r.NoIndBaseURL = configs.Strings{answering(t, looks)}
	r.BaseURL = configs.Servers{ByModel: map[string]configs.Strings{"vllm:m": r.BaseURL.List}}
	sharedtest.OK(t, Validate(r, Sweep))
	j := sharedtest.Must(New(around(t), Sweep, Default(r)...))(t)
	defer j.Close()
	got := map[string]string{}
	for _, g := range j.Plan.Groups {
		got[g.Condition.Perturbation] += g.Condition.Model + " "
	}
	for name, want := range map[string]string{episode.NoPerturbation: "vllm:m ", "P1": "vllm:m ", "mine": "vllm:m ",
		"P5": "openai:other "} {
		sharedtest.Equal(t, got[name], want, name, "is played by")
	}
	if j.OfFamilies() {
		t.Error("a sweep of P1 and P5 is taken for one of families")
	}
	env := sharedtest.Must(Perturbed(j.specs[0].Benchmarks[0].Env, file))(t)
	if _, ok := env.(*perturb.Env); !ok {
		t.Errorf("by hand it is a %T", env)
	}
	sharedtest.Fails(t, sharedtest.Err(Perturbed(j.specs[0].Benchmarks[0].Env, "P5")), "changes the model")
}

// What cannot be run is refused, with the option that is wrong.
func TestWrongRuns(t *testing.T) {
	for want, change := range sharedtest.Table[string](t, "wrongruns.yaml") {
		r := configs.DefaultRun()
		r.Env = configs.Strings{"pddl"}
		served("http://127.0.0.1:1/v1")(&r)
		sharedtest.OK(t, Validate(r, Plain))
		sharedtest.OK(t, sharedtest.Err(configs.ParseRun("wrongruns.yaml", []byte(change), &r, nil, nil)))
		sharedtest.Fails(t, Validate(r, Plain), want)
	}
}

// Keys and addresses of servers come from where the user says.
func TestServersAndKeys(t *testing.T) {
	out := around(t)
	list := filepath.Join(t.TempDir(), "servers.txt")
	sharedtest.OK(t, os.WriteFile(list, []byte("# two\nhttp://127.0.0.1:1/v1\n\nhttp://127.0.0.1:2/v1\n"), 0o600))
	r := configs.DefaultRun()
	r.Model, r.BaseURL = configs.Strings{"vllm:m"}, configs.Servers{List: []string{"@" + list}}
	f := sharedtest.Must(OpenModel(out, r))(t)
	defer f.Close()
	if clients := f.Clients(); len(clients) != 2 || !strings.HasPrefix(clients[1].URL(), "http://127.0.0.1:2") {
		t.Errorf("%d servers", len(clients))
	}
	for want, change := range map[string]func(*configs.Run){
		"does not exist": func(r *configs.Run) { r.BaseURL.List = []string{"@" + list + "x"} },
		"an address has at most": func(r *configs.Run) {
			r.BaseURL.List = []string{"http://" + strings.Repeat("x", mostAddress)}
		},
		"MINE, which --api-key-env names, is not set": func(r *configs.Run) { r.APIKeyEnv = "MINE" },
		"chess:m": func(r *configs.Run) { r.Model = configs.Strings{"chess:m"} },
	} {
		bad := r
		change(&bad)
		sharedtest.Fails(t, sharedtest.Err(OpenModel(out, bad)), want)
	}
}
