package bench

import (
	"encoding/json"
	"fmt"
	"heldout/eval/episode"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
	"heldout/scoring"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// scripted is a model server that knows the expert's actions for every task. What
// differs is how it writes them.
type scripted struct {
	// write returns how the model says an action: in the old or in the new form, after
	// so many refusals.
	write func(old, written string, refusals int) string
	// known are the episodes by the seed of their first request, which tells tasks
	// apart.
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

// begin finds the episode that a prompt is of. Where several conditions have its texts,
// they have the same actions.
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
	for _, b := range j.spec.Benchmarks {
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
	world, err := b.Env.NewWorld(task)
	if err != nil {
		t.Fatal(err)
	}
	defer world.Close()
	start, err := world.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in, err := b.Prompt.For(task.Type)
	if err != nil {
		t.Fatal(err)
	}
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
		step, err := world.Step(t.Context(), action)
		if err != nil {
			t.Fatal(err)
		}
		e.written = append(e.written, action)
		done = step.Done
	}
	return e
}

// playFamilies plays families of perturbations with a scripted model and returns its scores, by
// environment and perturbation.
func playFamilies(t *testing.T, environments []string, tasks int, write func(old, written string,
	refusals int) string) (map[string]map[string]*scoring.Score, *record.Sweep) {
	t.Helper()
	model := &scripted{write: write, known: map[int64][]scriptedEpisode{}, lastTexts: math.MaxInt}
	server := httptest.NewServer(model)
	defer server.Close()
	run := configs.DefaultRun()
	run.Env, run.Model, run.Perturb = environments, configs.Strings{"vllm:scripted"},
		configs.Strings{"verbs:2", "answers:2", "all:2"}
	run.BaseURL, run.Limit, run.Concurrency = configs.Servers{All: []string{server.URL + "/v1"}}, tasks, 1
	run.Out = filepath.Join(t.TempDir(), "run")
	outside := Outside{Now: time.Now, Getenv: func(string) string { return "" }, Warn: func(string) {}}
	job, err := New(outside, Sweep, run)
	if err != nil {
		t.Fatal(err)
	}
	defer job.Close()
	model.learn(t, job)
	if err := job.Meet(t.Context()); err != nil {
		t.Fatal(err)
	}
	session, err := job.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Play(t.Context(), nil, func(string) {}); err != nil {
		t.Fatal(err)
	}
	if err := session.End(); err != nil {
		t.Fatal(err)
	}
	read, err := scoring.ReadRun(record.Parts{run.Out}, nil)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := scoring.Compute(read, stats.TheseKinds)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]*scoring.Score{}
	for _, s := range scores {
		if out[s.Condition.Env] == nil {
			out[s.Condition.Env] = map[string]*scoring.Score{}
		}
		out[s.Condition.Env][s.Condition.Perturbation] = s
	}
	return out, read.Manifest.Sweep
}

// TestScriptedModels: a model that knows only the old forms loses everything where the
// forms of actions change, and nothing elsewhere; one that reads the instructions loses
// nothing; one that stops after the first refusal loses nothing either, and learns in one step.
func TestScriptedModels(t *testing.T) {
	environments := []string{"alfworld", "babyai"}
	for name, m := range map[string]struct {
		write func(old, written string, refusals int) string
		check func(t *testing.T, where string, changes bool, base, perturbed *scoring.Score)
	}{
		"knows the old forms": {
			func(old, _ string, _ int) string { return old },
			func(t *testing.T, where string, changes bool, base, perturbed *scoring.Score) {
				index := indexOf(t, base, perturbed)
				o := scoring.ComputeOldForms([]*scoring.Score{perturbed})
				if !changes {
					if index.Value != 0 || o != nil {
						t.Errorf("%s: index %v, old forms %+v", where, index.Value, o)
					}
					return
				}
				if o == nil || o.Use.Value != 1 || o.Refused == 0 || o.Relearned != 0 || o.Median != 0 {
					t.Errorf("%s: old forms %+v", where, o)
					return
				}
				if lost := float64(o.Refused) / float64(o.Episodes); index.Value != lost || index.Low > lost ||
					index.High < lost {
					t.Errorf("%s: index %+v, and %v of the episodes are refused", where, index, lost)
				}
			},
		},
		"reads the instructions": {
			func(_, written string, _ int) string { return written },
			func(t *testing.T, where string, changes bool, base, perturbed *scoring.Score) {
				index := indexOf(t, base, perturbed)
				o := scoring.ComputeOldForms([]*scoring.Score{perturbed})
				if index.Value != 0 || index.Low > 0 || index.High < 0 || changes != (o != nil) || o != nil &&
					o.Old > 0 {
					t.Errorf("%s: index %+v, old forms %+v", where, index, o)
				}
			},
		},
		"learns from the first refusal": {
			func(old, written string, refusals int) string {
				if refusals > 0 {
					return written
				}
				return old
			},
			func(t *testing.T, where string, changes bool, base, perturbed *scoring.Score) {
				o := scoring.ComputeOldForms([]*scoring.Score{perturbed})
				if index := indexOf(t, base, perturbed); index.Value != 0 || changes != (o != nil) {
					t.Errorf("%s: index %+v, old forms %+v", where, index, o)
				}
				if o == nil {
					return
				}
				if o.Old != o.Refused || o.Relearned != o.Refused || o.Refused >= 10 &&
					(o.Median != 1 || o.Within[0].Value != 1) {
					t.Errorf("%s: old forms %+v", where, o)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			scores, sweep := playFamilies(t, environments, sharedtest.Times(t, 10, 4), m.write)
			for _, env := range environments {
				for _, p := range sweep.Of(env) {
					m.check(t, env+" "+p.Name, *p.Forms > 0, scores[env]["none"], scores[env][p.Name])
				}
			}
		})
	}
}

func indexOf(t *testing.T, base, perturbed *scoring.Score) scoring.Index {
	t.Helper()
	if base.Success.Mean != 1 {
		t.Fatalf("%s: unperturbed rate %v", base.Condition.Env, base.Success.Mean)
	}
	m, err := scoring.Memorise([]*scoring.Score{perturbed}, base)
	if err != nil {
		t.Fatal(err)
	}
	return m.Success
}
