package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
	"heldout/eval/episode"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/report"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// scripted is a model server that knows the expert's actions for every task. What differs is how it writes them.
type scripted struct {
	// write returns how the model says an action: in the old or in the new form, after so many refusals.
	write func(old, written string, refusals int) string
	// known are the episodes by the seed of their first request, which tells tasks apart.
	known map[int64][]scriptedEpisode

	at        scriptedEpisode
	position  int // in the actions
	refusals  int
	lastTexts int // messages of the last request
}

// scriptedEpisode is a task under a condition.
type scriptedEpisode struct {
	texts        []string // of the prompt
	old, written []string // actions
}

// ServeHTTP plays one episode after another.
func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"scripted","max_model_len":100000}]}`)
		return
	}
	var request struct {
		Messages []struct{ Content string }
		Seed     int64
	}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &request)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if n := len(request.Messages); n <= s.lastTexts {
		s.begin(request.Seed, request.Messages[n-1].Content)
	}
	s.lastTexts = len(request.Messages)
	action := "look"
	if s.position < len(s.at.old) {
		old, written := s.at.old[s.position], s.at.written[s.position]
		if action = s.write(old, written, s.refusals); action == written {
			s.position++
		} else {
			s.refusals++
		}
	}
	text, err := json.Marshal("Thought: I act.\nAction: " + action)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	fmt.Fprintf(w,
		`{"choices":[{"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9}}`, text)
}

// begin finds the episode that a prompt belongs to. Where several conditions have its
// texts, they have the same actions.
func (s *scripted) begin(seed int64, prompt string) {
	s.at, s.position, s.refusals = scriptedEpisode{}, 0, 0
	for _, e := range s.known[seed] {
		fits := true
		for _, text := range e.texts {
			fits = fits && strings.Contains(prompt, text)
		}
		if fits {
			s.at = e
			return
		}
	}
}

// learn plays all benchmarks of a job with the expert.
func (s *scripted) learn(t *testing.T, j *Job) {
	t.Helper()
	plain := map[string]scriptedEpisode{} // by environment and task
	for _, b := range j.specs[0].Benchmarks {
		for _, task := range b.Tasks {
			e := expertEpisode(t, b, task)
			key := b.Env.Info().Name + " " + task.ID
			if b.Perturbation == "" {
				plain[key] = e
			}
			e.old = plain[key].written
			if len(e.old) != len(e.written) {
				t.Fatalf("%s under %s: the expert takes %d steps, and %d without", key, b.Perturbation, len(e.written),
					len(e.old))
			}
			seed := stream.Seed(0, "model", b.Env.Info().Name, task.ID, "0")
			s.known[seed] = append(s.known[seed], e)
		}
	}
}

func expertEpisode(t *testing.T, b episode.Benchmark, task envs.Task) (e scriptedEpisode) {
	t.Helper()
	world := sharedtest.Must(b.Env.NewWorld(task))(t)
	defer world.Close()
	start := sharedtest.Must(world.Start(t.Context()))(t)
	in := sharedtest.Must(b.Prompt.For(task.Type))(t)
	e.texts = []string{strings.TrimSpace(in.Instruction), "Goal: " + start.Goal, "Observation: " + start.Observation}
	for _, example := range in.Examples {
		for _, step := range example.Steps {
			e.texts = append(e.texts, "Action: "+step.Action)
		}
	}
	expert, ok := envs.As[envs.Expert](world)
	if !ok {
		t.Fatalf("%s has no expert", b.Env.Info().Name)
	}
	for done := false; !done; {
		action, err := expert.ExpertAction(t.Context())
		if err != nil || action == "" {
			t.Fatalf("%s: the expert gives up: %v", task.ID, err)
		}
		step := sharedtest.Must(world.Step(t.Context(), action))(t)
		e.written = append(e.written, action)
		done = step.Done
	}
	return e
}

// played are the scores of a sweep by agent, environment and perturbation.
type played map[string]map[string]map[string]*scoring.Score

// playFamilies plays families of perturbations with a scripted model.
func playFamilies(t *testing.T, environments []string, tasks int, write func(old, written string,
	refusals int) string) (played, *record.Sweep) {
	t.Helper()
	model := &scripted{write: write, known: map[int64][]scriptedEpisode{}, lastTexts: math.MaxInt}
	server := httptest.NewServer(model)
	defer server.Close()
	run := configs.DefaultRun()
	run.Env, run.Model, run.Perturb = environments, configs.Strings{"vllm:scripted"},
		configs.Strings{"verbs:2", "layout:1", "all:2"}
	run.BaseURL, run.Limit, run.Concurrency = configs.Servers{List: []string{server.URL + "/v1"}}, tasks, 1
	read := playSweep(t, run, func(job *Job) { model.learn(t, job) })
	scores := scoring.Compute(read, stats.TheseKinds)
	out := played{}
	for _, s := range scores {
		c := s.Condition
		if out[c.Agent] == nil {
			out[c.Agent] = map[string]map[string]*scoring.Score{}
		}
		if out[c.Agent][c.Env] == nil {
			out[c.Agent][c.Env] = map[string]*scoring.Score{}
		}
		out[c.Agent][c.Env][c.Perturbation] = s
	}
	return out, read.Manifest.Sweep
}

// playSweep plays a sweep and reads its records.
func playSweep(t *testing.T, run configs.Run, before func(*Job)) *scoring.Run {
	t.Helper()
	run.Out = filepath.Join(t.TempDir(), "run")
	outside := Outside{Now: time.Now, Getenv: func(string) string { return "" }, Warn: func(string) {}}
	job := sharedtest.Must(New(outside, Sweep, Default(run)...))(t)
	defer job.Close()
	before(job)
	sharedtest.OK(t, job.Play(t.Context(), Screen{Say: outside.Warn, Warn: outside.Warn}))
	return sharedtest.Must(scoring.ReadRun(record.Parts{run.Out}, nil, scoring.Companion{}))(t)
}

// index is the model's index under some perturbations, on the scale of an anchor.
func (p played) index(t *testing.T, env, anchor string, perturbations ...string) scoring.Index {
	t.Helper()
	pair := func(perturbation string) scoring.Scaled {
		return scoring.Scaled{Model: p["react"][env][perturbation], Anchor: p[anchor][env][perturbation]}
	}
	base := pair("none")
	if base.Model.Success.Mean != 1 {
		t.Fatalf("%s: unperturbed rate %v", env, base.Model.Success.Mean)
	}
	var under []scoring.Scaled
	for _, name := range perturbations {
		under = append(under, pair(name))
	}
	r := sharedtest.Must(scoring.NewRobustness(base, under))(t)
	return r.Success
}

// TestScriptedModels: a model that knows only the old forms has the index 1 where the forms of actions change, and
// 0 elsewhere; one that reads the instructions has 0 everywhere and adapts at no cost; one that stops after the
// first refusal has 0 everywhere, and its cost is one step. The short form plays two environments.
func TestScriptedModels(t *testing.T) {
	environments := sharedtest.Sample(t, []string{"babyai", "alfworld", "hotpotqa", "jericho", "pddl", "sciworld"}, 1)
	for name, m := range map[string]struct {
		write      func(old, written string, refusals int) string
		said, cost float64
		use        func(o *scoring.OldForms) bool
	}{
		"knows the old forms": {
			func(old, _ string, _ int) string { return old }, 1, math.NaN(),
			func(o *scoring.OldForms) bool {
				return o.Use.Value == 1 && o.Refused > 0 && o.Relearned == 0 && o.Median == 0
			},
		},
		"reads the instructions": {
			func(_, written string, _ int) string { return written }, 0, 0,
			func(o *scoring.OldForms) bool { return o.Old == 0 },
		},
		"learns from the first refusal": {
			func(old, written string, refusals int) string {
				if refusals > 0 {
					return written
				}
				return old
			}, 0, 1,
			func(o *scoring.OldForms) bool {
				return o.Old == o.Refused && o.Relearned == o.Refused && (o.Refused < 10 || o.Median == 1 &&
					o.Survival[0].Value == 1)
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			scores, sweep := playFamilies(t, environments, sharedtest.Times(t, 2, 1, 10), m.write)
			for _, env := range environments {
				i := scores.index(t, env, record.Memoriser, "verbs:2", "all:2")
				t.Logf("%s: interface %.0f (%.0f to %.0f)", env, 100*i.Value, 100*i.Low, 100*i.High)
				if math.Abs(i.Value-m.said) > 1e-9 {
					t.Errorf("%s: interface index %+v, want %v", env, i, m.said)
				}
				if i := scores.index(t, env, record.Reciter, "layout:1"); i.Value != 0 {
					t.Errorf("%s: reading index %+v, want 0", env, i)
				}
				cost := scoring.AdaptationCost([]*scoring.Score{scores["react"][env]["verbs:2"],
					scores["react"][env]["all:2"]})
				if cost == nil || cost.Value != m.cost && !(math.IsNaN(m.cost) && math.IsNaN(cost.Value)) {
					t.Errorf("%s: adaptation cost %+v, want %v", env, cost, m.cost)
				}
				for _, p := range sweep.In(env) {
					o := scoring.ComputeOldForms([]*scoring.Score{scores["react"][env][p.Name]})
					if (o != nil) != (*p.Forms > 0) || o != nil && !m.use(o) {
						t.Errorf("%s %s: old forms %+v", env, p.Name, o)
					}
				}
			}
		})
	}
}

// TestScale: on all six environments the memoriser has the interface index 100 and the reading index 0, the reciter
// the reading index 100, and the expert, who reads, has 0 and 0 and adapts at no cost. A model takes one screen.
func TestScale(t *testing.T) {
	sharedtest.Heavy(t)
	run := configs.DefaultRun()
	sharedtest.OK(t, configs.LoadSuite(configs.Robust, &run))
	run.Limit = sharedtest.Times(t, 1, 0, 3)
	run.Model = configs.Strings{record.Expert, record.Memoriser, record.Reciter}
	read := playSweep(t, run, func(*Job) {})
	scores := scoring.Compute(read, stats.TheseKinds)
	from := report.New([]report.NamedRun{{Name: "run", Scores: scores,
		Manifest: record.Manifest{Sweep: read.Manifest.Sweep}}}, nil, configs.Weights{})
	var screen bytes.Buffer
	of := func(model string) []table.Table {
		tables, err := from.Select(nil)
		if err != nil || len(tables) != 1 {
			t.Fatalf("%d tables, %v", len(tables), err)
		}
		one := tables[0]
		one.Rows = slices.DeleteFunc(slices.Clone(one.Rows), func(row []table.Cell) bool {
			return row[one.Pos("model")].Text != model
		})
		return table.Fit([]table.Table{one}, 80)
	}
	sharedtest.OK(t, table.Render(&screen, table.Text, of(record.Memoriser)...))
	if n := strings.Count(screen.String(), "\n"); n > 24 {
		t.Errorf("one model takes %d lines:\n%s", n, &screen)
	}
	lines := from.Tables("indices")[0].Programs[0]
	seen := 0
	for _, row := range lines.Rows {
		at := func(key string) table.Cell { return row[lines.Pos(key)] }
		where := at("environment").Text + " " + at("model").Text + " " + at("rate").Text
		want := map[string]map[string]string{
			record.Expert:    {"interface": "0.0", "reading": "0.0", "adaptation_cost": "0.0"},
			record.Memoriser: {"interface": "100.0", "reading": "0.0"},
			record.Reciter:   {"reading": "100.0"},
		}[at("model").Text]
		for key, text := range want {
			if seen++; at(key).Text != text {
				t.Errorf("%s: %s is %s, want %s", where, key, at(key).Text, text)
			}
		}
		said, read, memoriser := at("reader_loss").Text, at("reader_reading_loss").Text, at("memoriser_loss").Text
		if said != "0.0" || read != "0.0" || memoriser == "0.0" {
			t.Errorf("%s: the anchors lose %s, %s and %s", where, said, read, memoriser)
		}
	}
	sharedtest.Equal(t, seen, 6*2*6, "numbers")
}
