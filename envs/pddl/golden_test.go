package pddl

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// official returns the official tasks, or skips the test.
func official(t testing.TB) *Env {
	t.Helper()
	return sharedtest.Must(NewOfficial(sharedtest.AgentBoard(t)))(t)
}

// trace is one recorded episode of golden/pddl.
type trace struct {
	TaskID     int    `json:"task_id"`
	Game       string `json:"game"`
	File       string `json:"problem_file"`
	Difficulty string `json:"difficulty"`
	Goal       string `json:"goal"`
	Init       string `json:"init_observation"`
	Steps      []struct {
		Action      string
		Observation string
		Reward      float64
		Done, Won   bool
		Valid       bool     `json:"action_is_valid"`
		Unordered   bool     `json:"order_nondeterministic"`
		Items       []string `json:"items_sorted"`
		Tail        []string `json:"fixed_tail"`
	}
}

func TestRecordedTraces(t *testing.T) {
	for _, file := range []string{"pddl/mixed_random.jsonl.gz", "pddl/plans_all60.jsonl.gz"} {
		steps := 0
		for _, tr := range sharedtest.Lines[trace](t, file, 6) {
			replayTrace(t, official(t), tr)
			steps += len(tr.Steps)
		}
		t.Logf("%s: %d steps", file, steps)
	}
}

func replayTrace(t *testing.T, e *Env, tr trace) {
	ctx := context.Background()
	task := e.Tasks()[tr.TaskID]
	want := envs.Task{
		ID:         tr.Game + "/" + strings.TrimSuffix(tr.File, ".pddl"),
		Index:      tr.TaskID,
		Type:       tr.Game,
		Difficulty: envs.Difficulty(tr.Difficulty),
		Digest:     task.Digest,
		Content:    task.Content,
	}
	sharedtest.Same(t, task, want, "task", tr.TaskID)
	w := sharedtest.Must(e.NewWorld(task))(t)
	start := sharedtest.Must(w.Start(ctx))(t)
	sharedtest.Same(t, start, envs.Start{Goal: tr.Goal, Observation: tr.Init}, task.ID, "start")
	for i, s := range tr.Steps {
		got := sharedtest.Must(w.Step(ctx, s.Action))(t)
		want := envs.Step{Observation: s.Observation, Progress: s.Reward, Done: s.Done, Success: s.Won, Valid: s.Valid}
		if s.Unordered {
			want.Observation = sortedObservation(s.Items, s.Tail, strings.HasPrefix(s.Observation, listPrefix))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: step %d, %q: %s", task.ID, i, s.Action, diff)
		}
		if !e.SameObservation(s.Action, s.Observation, got.Observation) {
			t.Fatalf("%s: step %d, %q: SameObservation(%q, %q) = false", task.ID, i, s.Action, s.Observation,
				got.Observation)
		}
	}
}

// sortedObservation writes a listing as we do: sorted, the fixed tail last.
func sortedObservation(items, tail []string, actions bool) string {
	if !slices.IsSorted(items) {
		panic("items_sorted is not sorted")
	}
	if actions {
		return listPrefix + strings.Join(append(slices.Clone(items), tail...), ", ")
	}
	return strings.Join(items, " ")
}
