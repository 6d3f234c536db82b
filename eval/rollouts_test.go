package eval

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// Rollouts of a task that follow each other are seeds of one run. When the directory is opened
// again they count from the first, and what has a result keeps it; an attempt without a result
// keeps its seed. Rollouts of another kind are refused.
func TestRolloutsGoOn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	about := RolloutPlan{Player: "mine", Named: true,
		Info: envs.Info{Name: "pddl", Source: envs.Generated, StepLimit: 9}, Total: 2}
	open := func(of RolloutPlan) (*Rollouts, error) {
		return OpenRollouts(dir, of, func() time.Time { return time.Unix(1, 0) })
	}
	tasks := []envs.Task{
		{ID: "gripper/1", Type: "gripper", Digest: strings.Repeat("a", 64)},
		{ID: "gripper/2", Index: 1, Type: "gripper", Digest: strings.Repeat("b", 64)},
	}
	for session, played := range [][]struct {
		task    int
		outcome record.Outcome
	}{
		{{0, record.Failure}, {1, record.EnvError}, {0, record.Failure}},
		{{1, record.Failure}, {0, record.Failure}},
	} {
		r := sharedtest.Must(open(about))(t)
		for i, p := range played {
			e := &record.Episode{Result: record.Result{Outcome: p.outcome, Started: time.Unix(1, 0),
				Ended: time.Unix(2, 0)}}
			if p.outcome == record.EnvError {
				e.Error = "it broke"
			}
			if err := r.Append(tasks[p.task], 9, -1, e); err != nil {
				t.Fatalf("session %d, attempt %d: %v", session, i, err)
			}
		}
		sharedtest.OK(t, r.Close())
	}
	_, results, err := record.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		got = append(got, fmt.Sprintf("%s seed %d attempt %d %s", r.Task, r.Seed, r.Attempt, r.Outcome))
	}
	want := []string{
		"gripper/1 seed 0 attempt 1 failure", "gripper/2 seed 0 attempt 1 env_error",
		"gripper/1 seed 1 attempt 1 failure", "gripper/2 seed 0 attempt 2 failure",
		"gripper/1 seed 0 attempt 2 failure",
	}
	sharedtest.Equal(t, strings.Join(got, "\n"), strings.Join(want, "\n"), "got")
	for want, change := range map[string]func(*RolloutPlan){
		"other episodes than rollouts of this kind": func(of *RolloutPlan) { of.Perturbation = "P1" },
		"other settings or data": func(of *RolloutPlan) {
			of.Info.Settings = map[string]string{"split": "train"}
		},
		"episodes of pddl with other": func(of *RolloutPlan) { of.Info.Name = "babyai" },
	} {
		of := about
		change(&of)
		sharedtest.Fails(t, sharedtest.Err(open(of)), want)
	}
}
