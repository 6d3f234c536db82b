package babyai

import (
	"context"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
)

// expertGame lets the expert play and returns how it ends.
func expertGame(t *testing.T, e *Env, id string, limit int) (last envs.Step, steps int) {
	t.Helper()
	w, _ := played(t, e, id)
	for !last.Done && steps < limit {
		action := sharedtest.Must(w.ExpertAction(context.Background()))(t)
		if action == "" {
			break
		}
		steps++
		if last = act(t, w, action); !last.Valid {
			t.Errorf("%s: the expert's %q is not valid", id, action)
		}
	}
	return last, steps
}

// The expert solves every task of the benchmark within its step limit and reaches every sub-goal.
func TestExpert(t *testing.T) {
	e := opened(t, Options{})
	for _, task := range e.Tasks() {
		if last, steps := expertGame(t, e, task.ID, stepLimit); !last.Success || last.Progress != 1 {
			t.Errorf("%s: %+v after %d steps", task.ID, last, steps)
		}
	}
}

func TestExpertWithLabels(t *testing.T) {
	e := official(t)
	total := 0
	for _, task := range e.Tasks() {
		last, steps := expertGame(t, e, task.ID, stepLimit)
		if !last.Success || last.Progress != 1 {
			t.Errorf("%s: %+v after %d steps", task.ID, last, steps)
		}
		total += steps
	}
	t.Logf("%.1f steps a task", float64(total)/float64(len(e.Tasks())))
}

// AgentGym's reward falls with every primitive step, but the benchmark's tasks are solved well in time.
func TestExpertInGym(t *testing.T) {
	e := opened(t, Options{Variant: AgentGym})
	for _, task := range e.Tasks() {
		if last, steps := expertGame(t, e, task.ID, stepLimit); !last.Success || last.Progress <= 0.5 {
			t.Errorf("%s: %+v after %d steps", task.ID, last, steps)
		}
	}
}

// Where there is no way the expert says so: nothing in the text layer opens a box
// with the key in it, and a key may lie behind the door that it opens.
func TestExpertGivesUp(t *testing.T) {
	e := opened(t, Options{})
	for _, id := range sharedtest.Sample(t, []string{"26/0", "7/6"}, 1) {
		if last, steps := expertGame(t, e, id, stepLimit); last.Success || steps > 0 {
			t.Errorf("%s: %+v after %d steps", id, last, steps)
		}
	}
}

// The expert goes on from wherever the game is.
func TestExpertAfterOthers(t *testing.T) {
	e := opened(t, Options{})
	w, _ := played(t, e, "27/7")
	for i := range 40 {
		action, err := w.ExpertAction(context.Background())
		if err != nil || action == "" {
			t.Fatalf("step %d: %q, %v", i, action, err)
		}
		if i%3 == 1 {
			action = "turn right"
		}
		if act(t, w, action).Done {
			return
		}
	}
	t.Error("not solved")
}
