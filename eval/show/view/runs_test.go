package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/episode/episodetest"
	"heldout/scoring/record"
)

// start is when the runs of tests begin.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// testRun is a run directory that a test writes.
type testRun struct {
	t        testing.TB
	dir      string
	store    *record.Store
	planned  []*record.Episode // an attempt for every planned episode, in order
	recorded int
}

// newTestRun plans tasks of an environment for models.
func newTestRun(t testing.TB, dir string, tasks int, models ...string) *testRun {
	t.Helper()
	env := record.Environment{Info: envs.Info{Name: "boxes", Source: envs.Generated, StepLimit: 30}, Total: tasks}
	for i := range tasks {
		env.Tasks = append(env.Tasks, envs.Task{ID: fmt.Sprintf("box/%02d", i), Index: i,
			Type: fmt.Sprintf("kind %d", i%2), Digest: fmt.Sprint(i)})
	}
	m := &record.Manifest{Schema: record.Schema, Behaviour: 2, Environments: []record.Environment{env},
		Sessions: []record.Session{{Started: start}}}
	r := &testRun{t: t, dir: dir}
	for _, model := range models {
		c := record.Condition{Env: "boxes", Source: envs.Generated, Model: model, Agent: "react", Perturbation: "none",
			StepLimit: 30}
		g := record.Group{Condition: c}
		for i, task := range env.Tasks {
			id := sharedtest.Must(record.EpisodeID(2, task, c))(t)
			g.Episodes = append(g.Episodes, id)
			r.planned = append(r.planned, attempt(id, task, c, i))
		}
		m.Groups = append(m.Groups, g)
	}
	r.store = sharedtest.Must(record.Open(dir))(t)
	t.Cleanup(func() { r.store.Close() })
	sharedtest.OK(t, r.store.SetManifest(m))
	return r
}

// attempt is an attempt at a task; every second one succeeds, and every third has an error.
func attempt(id string, task envs.Task, c record.Condition, i int) *record.Episode {
	began := start.Add(time.Duration(i) * time.Second)
	e := &record.Episode{
		Result: record.Result{
			ID: id, Attempt: 1, Env: c.Env, Source: c.Source, Task: task.ID, TaskIndex: task.Index, TaskType: task.Type,
			Model: c.Model, Agent: c.Agent, Perturbation: "none",
			Outcome: record.Failure, Started: began, Ended: began.Add(time.Second),
		},
		Goal: "Open the box.", Observation: "You see box " + task.ID + ".",
	}
	for step := range 3 + i%3 {
		e.Trajectory = append(e.Trajectory, record.Step{
			Thought: fmt.Sprintf("Thought %d of %s.", step+1, c.Model), Action: fmt.Sprintf("push box %d", step),
			Observation: "It moves.", Valid: true,
			Progress: float64(step) / 10, PromptTokens: 100, CompletionTokens: 10, ModelSeconds: 0.5,
		})
	}
	if i%3 == 0 {
		e.Trajectory[1].Valid, e.Trajectory[1].Observation = false, "Nothing happens."
	}
	if i%2 == 0 {
		e.Outcome, e.Success, e.Trajectory[len(e.Trajectory)-1].Progress = record.Success, true, 1
	}
	episodetest.Settle(e)
	e.Calls = e.Steps
	return e
}

// record appends the next n planned attempts.
func (r *testRun) record(n int) *testRun {
	r.t.Helper()
	for _, e := range r.planned[r.recorded:][:n] {
		sharedtest.OK(r.t, r.store.Append(e))
	}
	r.recorded += n
	return r
}

// hostile is text that tries to be more than text.
const hostile = "<script>alert(1)</script></script><img src=x onerror=alert(2)>\x1b[31mred\x00 \u202etxt.exe\u2066 'a' \"b\" {{.}} --> ]]>"

// hostileRun has it wherever a record can have it, and lines of 200 kB.
func hostileRun(t testing.TB, dir string) *testRun {
	t.Helper()
	r := newTestRun(t, dir, 2, "m", hostile)
	long := hostile + string(bytes.Repeat([]byte("x"), 200_000)) + hostile + "\xff\xfe"
	for _, e := range r.planned {
		e.Goal, e.Observation = long, long
		if e.Outcome == record.Failure {
			e.Outcome, e.Error = record.ModelError, long
		}
		for i := range e.Trajectory {
			s, text := &e.Trajectory[i], hostile
			if i == 1 {
				text = long
			}
			s.Thought, s.Action, s.Observation, s.Reply, s.Reasoning = text, text, text, text, text
			s.FinishReason, s.Fault = hostile, hostile
		}
		episodetest.Settle(e)
	}
	return r.record(len(r.planned))
}

// setStatus says that a process works on the run, with the next planned episodes in flight.
func (r *testRun) setStatus(now time.Time, inFlight int) {
	r.t.Helper()
	left := 90.0
	s := &record.Status{Updated: now, Started: start, Concurrency: 2, Planned: len(r.planned), Done: r.recorded,
		Tokens: 1200, RemainingSeconds: &left, InFlight: []record.InFlight{}}
	for i, e := range r.planned[r.recorded:][:inFlight] {
		s.InFlight = append(s.InFlight, record.InFlight{ID: e.ID, Steps: 4 + i, Started: start})
	}
	sharedtest.OK(r.t, r.store.SetStatus(s))
}

// addLine adds bytes to the records.
func (r *testRun) addLine(line string) {
	r.t.Helper()
	f := sharedtest.Must(os.OpenFile(filepath.Join(r.dir, "episodes.jsonl"), os.O_APPEND|os.O_WRONLY, 0))(r.t)
	sharedtest.OK(r.t, sharedtest.Err(f.WriteString(line)))
	sharedtest.OK(r.t, f.Close())
}

// decodeEvent reads the JSON of a live event.
func decodeEvent(t testing.TB, text string) (e liveEvent) {
	t.Helper()
	sharedtest.OK(t, json.Unmarshal([]byte(text), &e))
	return e
}
