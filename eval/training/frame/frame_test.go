package frame

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

var began = time.Date(2026, 1, 2, 3, 4, 5, 678000, time.UTC)

// attempt is an attempt at task i that ended so many seconds after the start.
type attempt struct {
	task, number, ended int
	outcome             record.Outcome
}

// makeRun writes a run of three tasks.
func makeRun(t testing.TB, attempts ...attempt) record.Parts {
	t.Helper()
	info := envs.Info{Name: "pddl", Source: envs.Generated, StepLimit: 30}
	c := record.Condition{Env: "pddl", Source: envs.Generated, Model: "vllm:m", Agent: "react",
		Decoding: &record.Decoding{Temperature: 0.5, TopP: 1, MaxTokens: 9}, Perturbation: "none", StepLimit: 30}
	m := &record.Manifest{Schema: record.Schema, Behaviour: 2,
		Environments: []record.Environment{{Info: info, Total: 3}}, Groups: []record.Group{{Condition: c}},
		Servers: map[string][]record.ServerReport{"vllm:m": {{Software: "x"}, {Software: "vllm", Version: "1"}}}}
	for i := range 3 {
		task := envs.Task{ID: fmt.Sprintf("gripper/%d", i), Index: i, Type: "gripper", Digest: fmt.Sprint(i)}
		id := sharedtest.Must(record.EpisodeID(m.Behaviour, task, c))(t)
		m.Environments[0].Tasks = append(m.Environments[0].Tasks, task)
		m.Groups[0].Episodes = append(m.Groups[0].Episodes, id)
	}
	dir := t.TempDir()
	s := sharedtest.Must(record.Open(dir))(t)
	sharedtest.OK(t, s.SetManifest(m))
	for _, a := range attempts {
		sharedtest.OK(t, s.Append(episode(m, a)))
	}
	sharedtest.OK(t, s.Close())
	return record.Parts{dir}
}

// episode is the record of an attempt. A solved one has two steps.
func episode(m *record.Manifest, a attempt) *record.Episode {
	task, c := m.Environments[0].Tasks[a.task], m.Groups[0].Condition
	e := &record.Episode{Goal: "put \x00 <b>é</b>", Observation: "a room"}
	e.Schema, e.ID, e.Attempt = record.Schema, m.Groups[0].Episodes[a.task], a.number
	e.Env, e.Source, e.Task, e.TaskIndex, e.TaskType = c.Env, c.Source, task.ID, task.Index, task.Type
	e.Model, e.Agent, e.Perturbation, e.Outcome = c.Model, c.Agent, c.Perturbation, a.outcome
	e.Started, e.Ended = began, began.Add(time.Duration(a.ended)*time.Second)
	e.PromptTokens, e.Calls, e.Requests = 5, 2, 2
	switch a.outcome {
	case record.Success:
		e.Success, e.Progress, e.Steps, e.Grounding = true, 1, 2, 0.5
		e.FormatErrors, e.Faults = 1, map[record.Fault]int{record.NoAction: 1}
		e.Trajectory = []record.Step{
			{Observation: "What?", FormatError: true, Fault: record.NoAction, Reply: "hm"},
			{Thought: "so", Action: "look", Observation: "won", Progress: 1, Valid: true, PromptTokens: 5},
		}
	case record.Failure:
	default:
		e.Error = "the server is gone"
	}
	return e
}

// written are the conditions and attempts that are written.
func written(t *testing.T, o Options, runs ...record.Parts) (conditions []conditionLine, attempts []attemptLine) {
	t.Helper()
	var b bytes.Buffer
	s := sharedtest.Must(Write(t.Context(), &b, runs, o))(t)
	for d := json.NewDecoder(&b); ; {
		var line json.RawMessage
		if err := d.Decode(&line); err == io.EOF {
			break
		}
		var condition conditionLine
		var attempt attemptLine
		if bytes.Contains(line, []byte(`"condition":`)) {
			sharedtest.OK(t, json.Unmarshal(line, &condition))
			conditions = append(conditions, condition)
		} else {
			sharedtest.OK(t, json.Unmarshal(line, &attempt))
			attempts = append(attempts, attempt)
		}
	}
	if s.Runs != len(runs) || s.Episodes != len(attempts) {
		t.Errorf("%+v", s)
	}
	return conditions, attempts
}

// brief says which attempts were written, and which of them count.
func brief(attempts []attemptLine) (out []string) {
	for _, a := range attempts {
		out = append(out, fmt.Sprintf("%s %d %s %v", a.Record.Task, a.Record.Attempt, a.Record.Outcome, a.Counts))
	}
	return out
}

func TestWrite(t *testing.T) {
	run := makeRun(t, attempt{0, 1, 1, record.ModelError}, attempt{1, 1, 2, record.Failure},
		attempt{0, 2, 3, record.Success})
	conditions, attempts := written(t, Options{Trajectories: true}, run)
	want := []string{"gripper/1 1 failure true", "gripper/0 2 success true"}
	if diff := cmp.Diff(want, brief(attempts)); diff != "" {
		t.Error(diff)
	}
	if len(attempts[1].Record.Trajectory) != 2 || attempts[1].Record.Goal != "put \x00 <b>é</b>" {
		t.Errorf("%+v", attempts[1].Record)
	}
	c := conditions[0]
	if len(conditions) != 1 || c.Complete || *c.Success.Mean != 0.5 || *c.Success.Low <= 0 || *c.Success.High >= 1 ||
		*c.Progress.Mean != 0.5 || c.Interval != "kinds" || c.Server.Software != "vllm" ||
		!c.Started.Equal(began) || !c.Ended.Equal(began.Add(3*time.Second)) || c.Planned != 3 || c.Finished != 2 ||
		c.Failed != 1 || c.PromptTokens != 15 || c.Run != filepath.Base(run[0]) {
		t.Errorf("%+v", c)
	}
	if _, attempts := written(t, Options{}, run, run); len(attempts) != 4 || attempts[3].Record.Trajectory != nil {
		t.Errorf("%+v", attempts)
	}
}

// A run of which nothing was played has conditions without rates.
func TestNothingPlayed(t *testing.T) {
	conditions, _ := written(t, Options{}, makeRun(t))
	if c := conditions[0]; len(conditions) != 1 || c.Complete || c.Planned != 3 || c.Success.Mean != nil ||
		c.Success.Low != nil || c.Started != nil {
		t.Errorf("%+v", c)
	}
}

// An attempt that counts may stand behind one that does not, where two processes worked on a run at once.
func TestOtherOneCounts(t *testing.T) {
	run := makeRun(t, attempt{2, 1, 9, record.Failure}, attempt{1, 1, 5, record.Failure},
		attempt{2, 1, 8, record.Success},
		attempt{2, 1, 7, record.Failure}, attempt{1, 2, 4, record.Success})
	for _, every := range []bool{false, true} {
		conditions, attempts := written(t, Options{Attempts: every}, run)
		want := []string{"gripper/1 1 failure true", "gripper/2 1 failure true"}
		if every {
			want = []string{"gripper/2 1 failure false", "gripper/1 1 failure true", "gripper/2 1 success false",
				"gripper/2 1 failure true", "gripper/1 2 success false"}
		}
		if diff := cmp.Diff(want, brief(attempts)); diff != "" {
			t.Error(diff)
		}
		if c := conditions[0]; c.Finished != 2 {
			t.Errorf("%d are finished, want 2", c.Finished)
		}
	}
}

// A changed record is an error.
func TestBadRun(t *testing.T) {
	run := makeRun(t, attempt{0, 1, 1, record.Success})
	name := filepath.Join(run[0], "episodes.jsonl")
	b := sharedtest.Must(os.ReadFile(name))(t)
	b[len(b)/2] ^= 1
	sharedtest.OK(t, os.WriteFile(name, b, 0o666))
	if _, err := Write(t.Context(), io.Discard, []record.Parts{run}, Options{}); err == nil {
		t.Error("a changed record is read")
	}
}
