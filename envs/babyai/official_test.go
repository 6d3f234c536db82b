package babyai

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// official returns the official tasks, or skips the test.
func official(t testing.TB) *Env {
	t.Helper()
	return opened(t, Options{Data: sharedtest.AgentBoard(t)})
}

func opened(t testing.TB, o Options) *Env {
	t.Helper()
	return sharedtest.Must(New(o))(t)
}

// played returns a world of a task of any level and seed, and how it starts.
func played(t testing.TB, e *Env, id string) (*world, envs.Start) {
	t.Helper()
	task := sharedtest.Must(e.Task(id))(t)
	w := sharedtest.Must(e.NewWorld(task))(t)
	return w.(*world), sharedtest.Must(w.Start(context.Background()))(t)
}

// act makes one step.
func act(t testing.TB, w *world, action string) envs.Step {
	t.Helper()
	return sharedtest.Must(w.Step(context.Background(), action))(t)
}

// The label file holds the first observation of every task.
func TestLabeledStarts(t *testing.T) {
	e := official(t)
	b := sharedtest.Must(os.ReadFile(filepath.Join(sharedtest.AgentBoard(t), labelFile)))(t)
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) != len(e.Tasks()) {
		t.Fatalf("%d lines, %d tasks", len(lines), len(e.Tasks()))
	}
	for i, line := range lines {
		var l struct {
			Difficulty envs.Difficulty
			Info       struct {
				Start   string `json:"init_obs"`
				Subtask string
			} `json:"additional_info"`
		}
		sharedtest.OK(t, json.Unmarshal([]byte(line), &l))
		task := e.Tasks()[i]
		_, start := played(t, e, task.ID)
		if start.Observation != l.Info.Start || task.Type != l.Info.Subtask || task.Difficulty != l.Difficulty {
			t.Errorf("%s: %q", task.ID, start.Observation)
		}
	}
}

// recordedTask is a task of the benchmark as the reference computes it.
type recordedTask struct {
	ID    int
	EnvID string `json:"env_id"`
	Seed  json.Number
	Goal  string
	Obs   string `json:"init_obs"`
}

func TestRecordedTasks(t *testing.T) {
	e := opened(t, Options{})
	var got []recordedTask
	for _, task := range e.Tasks() {
		_, start := played(t, e, task.ID)
		level, seed, _ := strings.Cut(task.ID, "/")
		got = append(got, recordedTask{task.Index, level, json.Number(seed), start.Goal, start.Observation})
	}
	sharedtest.Same(t, got, sharedtest.Lines[recordedTask](t, "babyai/agentboard_tasks.jsonl.gz"))
}

// recordedRun is one episode of golden/agentboard-logs.
type recordedRun struct {
	ID         int
	Source     string
	TaskName   string `json:"task_name"`
	Goal       string
	Difficulty envs.Difficulty
	Done       bool
	Progress   float64
	Grounding  float64
	Steps      []struct {
		Action      string
		Observation string
		Progress    float64
	}
}

func TestRecordedModelRuns(t *testing.T) {
	e := official(t)
	steps := 0
	for _, run := range sharedtest.Lines[recordedRun](t, "agentboard-logs/babyai.jsonl.gz") {
		task := e.Tasks()[run.ID]
		w, start := played(t, e, task.ID)
		if start.Goal != run.Goal || task.Type != run.TaskName || task.Difficulty != run.Difficulty {
			t.Errorf("%s %s: goal %q, want %q", run.Source, task.ID, start.Goal, run.Goal)
		}
		var got envs.Step
		valid := 0
		for i, s := range run.Steps {
			got = act(t, w, s.Action)
			if got.Observation != s.Observation || got.Progress != s.Progress {
				t.Fatalf("%s %s: step %d, %q: got %v, want %v", run.Source, task.ID, i, s.Action, got, s)
			}
			if got.Valid {
				valid++
			}
			steps++
		}
		grounding := float64(valid) / float64(len(run.Steps))
		if got.Done != run.Done || got.Progress != run.Progress || grounding != run.Grounding {
			t.Errorf("%s %s: done %v, progress %v, grounding %v; want %v, %v, %v", run.Source, task.ID, got.Done,
				got.Progress, grounding, run.Done, run.Progress, run.Grounding)
		}
	}
	t.Logf("%d steps", steps)
}

// recordedGymRun is a conversation with AgentGym's service.
type recordedGymRun struct {
	EnvID string `json:"env_id"`
	Seed  json.Number
	Reset struct {
		Observation   string
		Reward, Score float64
		Done          bool
	}
	Steps []struct {
		Action   string
		Response struct {
			Observation   string
			Reward, Score float64
			Done          bool
			Error         string
		}
	}
}

func TestRecordedGymRuns(t *testing.T) {
	e := opened(t, Options{Variant: AgentGym})
	for _, run := range sharedtest.Lines[recordedGymRun](t, "babyai/agentgym.jsonl.gz") {
		id := run.EnvID + "/" + run.Seed.String()
		w, start := played(t, e, id)
		if start.Observation != run.Reset.Observation || run.Reset.Reward != 0 || run.Reset.Score != 0 ||
			run.Reset.Done {
			t.Errorf("%s starts with %q, want %q", id, start.Observation, run.Reset.Observation)
		}
		score := 0.0
		for i, s := range run.Steps {
			got := act(t, w, s.Action)
			if s.Response.Error != "" { // the service names its own number
				if got.Observation != finished || !got.Done ||
					!strings.HasPrefix(s.Response.Error, "The task with environment ") {
					t.Errorf("%s, step %d, %q after the end: %+v", id, i, s.Action, got)
				}
				continue
			}
			score += w.game.reward
			want := envs.Step{Observation: s.Response.Observation, Progress: s.Response.Reward, Done: s.Response.Done,
				Success: s.Response.Done, Valid: got.Valid}
			if diff := cmp.Diff(want, got); diff != "" || score != s.Response.Score {
				t.Fatalf("%s, step %d, %q: score %v, want %v; %s", id, i, s.Action, score, s.Response.Score, diff)
			}
		}
	}
}

// Where the records have sub-goals made from the instruction, ours are the same.
func TestRecordedInstructionGoals(t *testing.T) {
	n := 0
	for _, file := range []string{"babyai/text_random.jsonl.gz", "babyai/text_solved.jsonl.gz"} {
		for _, want := range sharedtest.Lines[recordedGame](t, file) {
			if len(want.Subgoals) == 0 {
				continue
			}
			got := [][]string{instructionGoals(generated(t, want.Level, want.Seed).Instruction())}
			sharedtest.Same(t, got, [][]string(want.Subgoals)[:1], file, "level", want.Level, "seed", want.Seed)
			n++
		}
	}
	t.Logf("%d tasks", n)
}
