package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/bench"
	"heldout/eval/show/page"
	"heldout/eval/show/page/browser"
	"heldout/eval/show/trajectory"
	"heldout/scoring/record"
)

// sentMessage is a message of a request.
type sentMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// modelServer is a server with the model m, which keeps the messages that it answers.
type modelServer struct {
	limit   int // of a prompt in bytes; 0 for none
	replies []string
	sent    [][]sentMessage
}

func (s *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/v1/models" {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"m","owned_by":"vllm","max_model_len":16384}]}`)
		return
	}
	var request struct {
		Messages []sentMessage `json:"messages"`
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(r.Body); err != nil || json.Unmarshal(b.Bytes(), &request) != nil {
		http.NotFound(w, r)
		return
	}
	size := 0
	for _, m := range request.Messages {
		size += len(m.Content)
	}
	if s.limit > 0 && size > s.limit {
		http.Error(w, `{"error":{"message":"This model's maximum context length is exceeded","code":`+
			`"context_length_exceeded"}}`, http.StatusBadRequest)
		return
	}
	text, _ := json.Marshal(s.replies[len(s.sent)%len(s.replies)]) // a string can always be written
	s.sent = append(s.sent, request.Messages)
	fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":`+
		`{"prompt_tokens":%d,"completion_tokens":9}}`, text, size/4)
}

// played plays an episode against a server, and returns its directory.
func played(t *testing.T, s *modelServer, kind bench.Purpose, change func(*configs.Run)) string {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	out := filepath.Join(t.TempDir(), "run")
	job, _, err := bench.Prepare(bench.Outside{Now: time.Now, Getenv: func(string) string { return "" },
		Warn: func(string) {}}, kind, bench.Input{Override: func(r *configs.Run) error {
		r.Model, r.Limit = configs.Strings{"vllm:m"}, 1
		limit := r.StepLimit
		r.StepLimit, r.Concurrency, r.Seeds = 9, 1, "1"
		r.BaseURL = configs.Servers{List: []string{server.URL + "/v1"}}
		r.AllowUnusable, r.Out = true, out
		switch change(r); {
		case len(r.Preset) > 0:
			r.StepLimit = limit
		case len(r.Perturb) == 0:
			r.Env = configs.Strings{"pddl"}
		}
		return nil
	}})
	sharedtest.OK(t, err)
	defer job.Close()
	ignore := func(string) {}
	sharedtest.OK(t, job.Play(t.Context(), bench.Screen{Say: ignore, Warn: ignore}))
	return out
}

// fewShots is a preset with the built-in examples, without how it plays.
const fewShots = `
preset: short-pddl
version: 1
title: the PDDL games with 9 replies
status: adapted
deviations: [a protocol of our own]
source: {paper: none}
env: {name: pddl, tasks: {count: 60, sha256: 49e56c2654605d7a3dfe32a1ddfb307a3274074323084e2cb73c63f3a06901a7},
  limit: {steps: 9, counts: replies}}
SHOWN
prompt: {built-in: v2}
decoding: {temperature: 0, top-p: 1, max-tokens: 256, stop: ["\nObservation:"]}
metric: {primary: success, aggregate: mean-over-tasks}
`

// presetFile writes the preset with how it plays.
func presetFile(t *testing.T, shown string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "short.yaml")
	sharedtest.OK(t, os.WriteFile(name, []byte(strings.Replace(fewShots, "SHOWN", shown, 1)), 0o600))
	return name
}

// The messages on the pages of viewer and report are those that the server received, at every step.
func TestAsSentInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	few := presetFile(t, "actions-shown: {when: never}\nagent: {form: react}\nreply: {parser: agentrefine, on-failure: tell}")
	every := presetFile(t, `actions-shown: {when: every, before: " [", separator: ", "}`+
		"\nagent: {form: chat, shots: {as: text, count: 1}}\nreply: {parser: one-action-line, on-failure: send-reply}")
	acts := []string{"Thought: I look\naround <b>here</b>.\nAction: check valid actions", "I would rather not.",
		"Action: Move from rooma to roomb.", "Thought: again\nAction: dance"}
	thinks := []string{"<think>So many rooms.</think>\nThought: I look.\nAction: check valid actions",
		"<think>Hm.</think>Action: dance"}
	for name, c := range map[string]struct {
		replies []string
		limit   int
		change  func(*configs.Run)
	}{
		"react":       {acts, 0, func(*configs.Run) {}},
		"corrections": {acts, 0, func(r *configs.Run) { r.Prompt = "v3" }},
		"act":         {acts, 0, func(r *configs.Run) { r.Agent = "act" }},
		"thoughts":    {thinks, 0, func(*configs.Run) {}},
		"trimmed":     {acts, 3000, func(r *configs.Run) { r.StepLimit = 14 }},
		"trimmed act": {acts, 2200, func(r *configs.Run) { r.Agent, r.StepLimit = "act", 14 }},
		"P1": {acts, 0, func(r *configs.Run) {
			r.Env, r.Perturb = configs.Strings{"alfworld"}, configs.Strings{"P1"}
		}},
		"preset":  {acts, 0, func(r *configs.Run) { r.Preset = configs.Strings{few} }},
		"actions": {acts, 0, func(r *configs.Run) { r.Preset = configs.Strings{every} }},
	} {
		t.Run(name, func(t *testing.T) {
			server := &modelServer{limit: c.limit, replies: c.replies}
			kind := bench.Plain
			if name == "P1" {
				kind = bench.Sweep
			}
			dir := played(t, server, kind, c.change)
			asSent(t, server, dir, name == "actions")
		})
	}
}

// attempts are the attempts of a run with their plans.
func attempts(t *testing.T, dir string) (m *record.Manifest, out []*record.Episode) {
	t.Helper()
	m, err := record.EachEpisode(record.Parts{dir}, func(_ *record.Manifest, e *record.Episode) {
		own := *e
		own.Trajectory = append([]record.Step(nil), e.Trajectory...)
		out = append(out, &own)
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("%d episodes, %v", len(out), err)
	}
	return m, out
}

// readMessages is an expression for the messages of all steps that a page shows.
const readMessages = `JSON.stringify([...document.querySelectorAll('.sent .call')].map((call) =>
	[...call.querySelectorAll('.messages li:not(.old)')].map((li) => {
		const text = li.querySelector('.text').cloneNode(true);
		text.querySelectorAll('summary').forEach((s) => s.remove());
		return { role: li.querySelector('.role').textContent, content: text.textContent };
	})))`

// asSent compares pages with the requests of the only episodes of a run, which came one after the other.
func asSent(t *testing.T, server *modelServer, dir string, worlds bool) {
	t.Helper()
	prompts := &bench.Prompts{Worlds: &bench.Worlds{Texts: bench.Texts{Outside: envs.Outside{Now: time.Now}}}}
	viewer := patient(New(Options{Runs: runsOf(dir), Now: time.Now, Sent: prompts.Sent}))
	s := httptest.NewServer(viewer)
	t.Cleanup(func() { viewer.close(); s.Close() })
	m, all := attempts(t, dir)
	b, sent := browser.Start(t), slices.CompactFunc(server.sent, slices.Equal) // the client may ask again
	for _, e := range all {
		var want [][]sentMessage
		for _, step := range e.Trajectory {
			n := len(step.Sent)
			want, sent = append(want, sent[:n]...), sent[n:]
		}
		p := openAt(t, b, s, "/runs/run/episodes/"+trajectory.Name(&e.Result), desk)
		shows(t, p.Page, want, e)
		p.picture("as-sent-" + strings.ReplaceAll(filepath.Base(t.Name()), " ", "-"))
		if worlds {
			continue // the report has no worlds
		}
		bundle := trajectory.NewBundle(1)
		g := m.Groups[0]
		for _, other := range m.Groups {
			if other.Episodes[0] == e.ID {
				g = other
			}
		}
		env, _ := m.EnvironmentOf(g.Condition)
		sent, err := prompts.Sent(t.Context(), m, g.Condition, env.Tasks[0], e)
		html := bundle.Render("run", e, sent, err)
		sharedtest.OK(t, bundle.Add("run", &e.Result, trajectory.Solved, html))
		target := trajectory.Target{Run: "run", Name: trajectory.Name(&e.Result)}
		shows(t, bundled(t, b, bundle, trajectory.Fragment(target)), want, e)
	}
}

// shows checks that a page's folds have these messages, with marks and what was left out.
func shows(t *testing.T, p *browser.Page, want [][]sentMessage, e *record.Episode) {
	t.Helper()
	p.Until("document.querySelector('.sent')")
	p.Eval("document.querySelectorAll('.sent').forEach((d) => { d.open = true; })")
	p.Until("document.querySelectorAll('.sent').length === document.querySelectorAll('.sent .call').length || " +
		"document.querySelector('.sent .box').textContent.includes('not shown')")
	var got [][]sentMessage
	sharedtest.OK(t, json.Unmarshal([]byte(p.Eval(readMessages)), &got))
	if diff := cmp.Diff(want, got); diff != "" || len(want) < 3 {
		t.Errorf("%d calls, %d steps (-sent +shown):\n%.5000s\n%.600s", len(want), e.Steps, diff,
			p.Eval("document.querySelector('.sent .box').textContent"))
	}
	removed := p.Eval("document.querySelectorAll('.sent .removed').length > 0")
	sharedtest.Equal(t, removed, fmt.Sprint(e.Trimmed > 0), "what was left out is told: ; trimmed times", e.Trimmed)
	if got := p.Eval("document.querySelectorAll('.sent mark').length > 0 && " +
		"document.querySelectorAll('.sent b b').length === 0"); got != "true" {
		t.Error("what is new is not marked, or markup came from records")
	}
	if other := p.Eval("document.querySelector('.sent').textContent.includes('is another one')"); other != "false" {
		t.Error("a digest differs")
	}
}

// bundled opens a page with a bundle at an episode.
func bundled(t *testing.T, b *browser.Browser, bundle *trajectory.Bundle, fragment string) *browser.Page {
	t.Helper()
	sharedtest.OK(t, bundle.Close())
	s := bundle.Section()
	file := filepath.Join(t.TempDir(), "report.html")
	var text bytes.Buffer
	p := page.Page{Title: "Report", Body: []template.HTML{s.Body}, Styles: []template.CSS{s.Style}, Scripts: s.Scripts,
		Data: s.Data}
	sharedtest.OK(t, p.Write(&text))
	sharedtest.OK(t, os.WriteFile(file, text.Bytes(), 0o600))
	return b.Open(t, "file://"+file+"#"+fragment, "file://", browser.Look{Width: 1024, Height: 800})
}
