package training

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/bench"
	"heldout/eval/training/calls"
	"heldout/eval/training/judge"
	"heldout/eval/training/synth"
	"heldout/scoring/record"
)

// teller is a server with a model that writes scripts, games and labels. With refuse it has only words.
type teller struct {
	refuse bool
	asked  atomic.Int64
}

func (s *teller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path != "/v1/chat/completions" {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"m","owned_by":"vllm","max_model_len":16384}]}`)
		return
	}
	var req struct{ Messages []struct{ Content string } }
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	prompt := req.Messages[len(req.Messages)-1].Content
	text := "I would rather not."
	if prompt != "Hello" {
		s.asked.Add(1)
	}
	sum := fnv.New32a()
	sum.Write([]byte(prompt))
	switch {
	case s.refuse:
	case strings.HasSuffix(prompt, "\nScript:"):
		text = fmt.Sprintf(`{"Environment": {"shop %[1]x": ["lamp"]}, "Goal": "Sell lamp %[1]x.", `+
			`"Completion Conditions": ["it is sold"], "Available Actions": {"take {item}": {"verification code": `+
			`"^take (\\w+)$", "parameters": {"item": ["lamp"]}}, "wait": {"verification code": "^wait$", `+
			`"parameters": {}}}}`, sum.Sum32())
	case strings.HasSuffix(prompt, "\nTurns:"):
		master := `{"turn": %d, "role": "DM", "Thought": "", "Observation": %q, "parameter_error": %v, "place_error": false, "logic_error": false}`
		player := `{"turn": %d, "role": "Player", "Thought": "", "Action": %q}`
		text = "[" + strings.Join([]string{fmt.Sprintf(master, 1, fmt.Sprint("A shop ", sum.Sum32()), false),
			fmt.Sprintf(player, 2, "take lmap"), fmt.Sprintf(master, 3, "There is no lmap.", true),
			fmt.Sprintf(player, 4, "take lamp"), fmt.Sprintf(master, 5, "You take it.", false),
			fmt.Sprintf(player, 6, "take rope"), fmt.Sprintf(master, 7, "There is no rope.", true),
			fmt.Sprintf(player, 8, "wait"), fmt.Sprintf(master, 9, "Task Succeed", false)}, ", ") + "]"
	case strings.Contains(prompt, `"verdict"`):
		text = `It works. {"verdict": "right", "kind": null}`
	}
	content, _ := json.Marshal(text) // a string can always be written
	fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":9,"completion_tokens":9}}`, content)
}

// counts counts what a counter is told.
type counts struct{ calls, items, failed atomic.Int64 }

func (c *counts) Call(*calls.Call) { c.calls.Add(1) }
func (c *counts) Item(err error) {
	c.items.Add(1)
	if err != nil {
		c.failed.Add(1)
	}
}

// work are calls of a server, what is told of them, and their warnings.
type work struct {
	*ModelCalls
	counts   *counts
	warnings *[]string
}

func newWork(t *testing.T, url, dir string) work {
	t.Helper()
	run := configs.DefaultRun()
	run.Model, run.Concurrency, run.MaxTokens = configs.Strings{"vllm:m"}, 3, 500
	run.BaseURL = configs.Servers{List: []string{url + "/v1"}}
	c, warnings := &counts{}, &[]string{}
	return work{counts: c, warnings: warnings, ModelCalls: &ModelCalls{
		Run: run, Dir: dir, Say: t.Logf, Counter: func(int) (Counter, func()) { return c, func() {} },
		Outside: bench.Outside{Now: time.Now, Getenv: func(string) string { return "" },
			Warn: func(s string) { *warnings = append(*warnings, s) }},
	}}
}

func newSynthesis(w work, count int) *Synthesis {
	return &Synthesis{ModelCalls: w.ModelCalls, Count: count, MaxCalls: 6, Cutoff: 0.9, Verify: synth.DefaultOptions(),
		Signal: "any", Seed: 1}
}

// synthesised makes items, and returns the number of those without a result and the trajectories.
func synthesised(t *testing.T, s *Synthesis) (missing int, trajectories string) {
	t.Helper()
	g := sharedtest.Must(s.Generator())(t)
	tables, missing, err := s.Make(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) == 0 {
		t.Error("there are no tables")
	}
	b := sharedtest.Must(os.ReadFile(filepath.Join(s.Dir, record.TrajectoriesFile)))(t)
	return missing, string(b)
}

// A synthesis keeps what passes, counts its calls, and asks nothing again. A judge labels
// two turns of each trajectory.
func TestSynthesisAndJudging(t *testing.T) {
	model := &teller{}
	server := httptest.NewServer(model)
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "made")
	w := newWork(t, server.URL, dir)
	missing, made := synthesised(t, newSynthesis(w, 4))
	if n := strings.Count(made, "\n"); missing != 0 || n != 4 || !strings.Contains(made, "Sell lamp") {
		t.Errorf("%d items without a result, %d trajectories: %s", missing, n, made)
	}
	if w.counts.items.Load() != 4 || w.counts.failed.Load() != 0 || w.counts.calls.Load() != model.asked.Load() {
		t.Errorf("%d items, %d of them failed, %d calls; the server has %d", w.counts.items.Load(),
			w.counts.failed.Load(), w.counts.calls.Load(), model.asked.Load())
	}
	before := model.asked.Load()
	if missing, again := synthesised(t, newSynthesis(newWork(t, server.URL, dir), 4)); missing != 0 || again != made ||
		model.asked.Load() != before {
		t.Errorf("once more: %d items without a result, %d calls, other trajectories: %v", missing,
			model.asked.Load()-before, again != made)
	}

	j := &Judging{ModelCalls: newWork(t, server.URL, filepath.Join(t.TempDir(), "judged")).ModelCalls,
		Sampling: Sampling{Trajectories: 3, Kind: judge.Balanced, History: 1000}}
	turns, err := j.Prepare(dir)
	if err != nil || turns != 6 {
		t.Fatalf("%d turns, %v", turns, err)
	}
	tables, missing, err := j.Label(t.Context())
	if err != nil || missing != 0 || len(tables) == 0 || model.asked.Load() != before+6 {
		t.Errorf("%d tables, %d turns without a label, %d calls, %v", len(tables), missing, model.asked.Load()-before,
			err)
	}
	labels, err := os.ReadFile(filepath.Join(j.Dir, record.LabelsFile))
	if err != nil || strings.Count(string(labels), `"right"`) < 6 {
		t.Errorf("%v: %s", err, labels)
	}
	if !slices.ContainsFunc(tables[0].Notes, func(n string) bool { return strings.Contains(n, "m") }) {
		t.Errorf("no note says that the judge judges itself: %q", tables[0].Notes)
	}
}

// A server whose replies cannot be used is told apart from bad luck, once.
func TestNoScripts(t *testing.T) {
	server := httptest.NewServer(&teller{refuse: true})
	defer server.Close()
	w := newWork(t, server.URL, filepath.Join(t.TempDir(), "made"))
	if missing, made := synthesised(t, newSynthesis(w, probation+2)); missing != 0 || made != "" {
		t.Errorf("%d items without a result, trajectories %q", missing, made)
	}
	if n := len(*w.warnings); n != 1 || !strings.Contains((*w.warnings)[0], "none of the first 24 items has a usable") {
		t.Errorf("the warnings are %q", *w.warnings)
	}
}

// A server that is gone leaves items open, and says what continues.
func TestServerIsGone(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	s := newSynthesis(newWork(t, server.URL, filepath.Join(t.TempDir(), "made")), 2)
	s.Run.Retries = 0
	g := sharedtest.Must(s.Generator())(t)
	if _, _, err := s.Make(t.Context(), g); err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("the error is %v", err)
	}
}

func TestWrongSettings(t *testing.T) {
	good := func() *Synthesis { return newSynthesis(work{}, 4) }
	sharedtest.OK(t, good().Check())
	for want, change := range map[string]func(*Synthesis){
		"count is 0, want":          func(s *Synthesis) { s.Count = 0 },
		"count is 100001, want":     func(s *Synthesis) { s.Count = mostItems + 1 },
		"max-calls is 1, want":      func(s *Synthesis) { s.MaxCalls = 1 },
		"max-calls is 101, want":    func(s *Synthesis) { s.MaxCalls = 101 },
		"near is 0, want":           func(s *Synthesis) { s.Cutoff = 0 },
		"success-text is empty":     func(s *Synthesis) { s.Verify.SuccessText = " " },
		`error-signal is "x", want`: func(s *Synthesis) { s.Signal = "x" },
		"min-errors is -1, want":    func(s *Synthesis) { s.Verify.MinErrors = -1 },
	} {
		s := good()
		change(s)
		sharedtest.Fails(t, s.Check(), want)
	}
	o := synth.DefaultOptions()
	if err := TakeSignal(&o, "parameter"); err != nil || !o.ParameterOnly {
		t.Errorf("%v, %+v", err, o)
	}
	for want, s := range map[string]Sampling{
		"trajectories is 0":     {Trajectories: 0, Kind: judge.Natural},
		"trajectories is 10001": {Trajectories: mostTrajectories + 1, Kind: judge.Natural},
		`sample is "odd"`:       {Trajectories: 1, Kind: "odd"},
		"max-history is -1":     {Trajectories: 1, Kind: judge.Natural, History: -1},
	} {
		sharedtest.Fails(t, s.Check(), want)
	}
}

// A thought is what a reply holds before an action, without labels.
func TestThoughtIn(t *testing.T) {
	for reply, want := range map[string]string{
		"I go on.":                             "I go on.",
		"Thought: I go\n on.\nAction: go":      "I go on.",
		"  \n":                                 "",
		"Action: go":                           "",
		string(make([]byte, longestThought+1)): "",
	} {
		sharedtest.Equal(t, thoughtIn(reply), want, reply)
	}
}

// room is a trajectory in which the player takes an action of a script that has only "wait".
func room(action string) string {
	return fmt.Sprintf(`{"script": {"Environment": {}, "Goal": "g", "Completion Conditions": [], "Available Actions": `+
		`{"wait": {"verification code": "^wait$", "parameters": {}}}}, "trajectory": [{"turn": 0, "role": "DM", `+
		`"Thought": "", "Observation": "A room.", "parameter_error": false, "place_error": false, "logic_error": `+
		`false}, {"turn": 1, "role": "Player", "Thought": "", "Action": %q}, {"turn": 2, "role": "DM", "Thought": "", `+
		`"Observation": "Task Succeed", "parameter_error": false, "place_error": false, "logic_error": false}]}`+"\n",
		action)
}

// verified verifies a file with those lines.
func verified(t *testing.T, masked string, lines ...string) (out string, err error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trajectories.jsonl")
	sharedtest.OK(t, os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600))
	o := synth.DefaultOptions()
	o.MinErrors = 0
	var b strings.Builder
	v := Verification{Out: &b, Options: o}
	err = v.Files([]string{file}, masked, false)
	return b.String(), err
}

// Each trajectory has its line, the counts come last, and what passes is written.
func TestVerification(t *testing.T) {
	masked := filepath.Join(t.TempDir(), "masked.jsonl")
	got, err := verified(t, masked, room("wait"), room("jump"), `{"script": {}}`+"\n")
	if !errors.Is(err, ErrRejected) {
		t.Fatal(err)
	}
	want := `line 1: passed, 3 turns, 0 errors, 0 repaired
line 2: action at turn 2: "jump" matches none of the available actions, but the DM reports no error ` +
		`(1 of 3 turns verified)
line 3: format: the line needs the keys "script" and "trajectory"
1 passed, 2 rejected: 1 format, 1 action
0 error turns, 0 of them repaired at once
`
	sharedtest.Equal(t, cmp.Diff(want, got), "")
	again, err := os.ReadFile(masked)
	if err != nil || strings.Count(string(again), "\n") != 1 {
		t.Fatalf("%v: %s", err, again)
	}
	if _, err := verified(t, "", string(again)); err != nil {
		t.Errorf("what has passed does not pass again: %v", err)
	}
}

// Nothing has the name of the file if a file cannot be read.
func TestVerificationStops(t *testing.T) {
	masked := filepath.Join(t.TempDir(), "masked.jsonl")
	v := Verification{Out: new(strings.Builder), Options: synth.DefaultOptions()}
	if err := v.Files([]string{filepath.Join(t.TempDir(), "none.jsonl")}, masked, false); err == nil {
		t.Error("a file that is not there is verified")
	}
	if _, err := os.Stat(masked); err == nil {
		t.Error("there is a file of what passed")
	}
}
