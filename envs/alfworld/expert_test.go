package alfworld

import (
	"testing"

	"heldout/envs"
)

// solve plays a task with the expert and returns the number of steps it took.
func solve(t testing.TB, e *Env, task envs.Task) (steps int, success bool) {
	t.Helper()
	w := newTestWorld(t, e, task)
	for steps = 1; steps <= stepLimit; steps++ {
		action, err := w.ExpertAction(t.Context())
		if err != nil || action == "" {
			t.Fatalf("%s: step %d: the expert says %q, %v", task.ID, steps, action, err)
		}
		s, err := w.Step(t.Context(), action)
		if err != nil || !s.Valid {
			t.Fatalf("%s: step %d, %q: %q, %v", task.ID, steps, action, s.Observation, err)
		}
		if s.Done {
			return steps, s.Success && s.Progress == 1
		}
	}
	return stepLimit, false
}

func TestExpertOfficial(t *testing.T) {
	e := official(t, Options{})
	total := 0
	for _, task := range e.Tasks() {
		steps, success := solve(t, e, task)
		if !success || steps < 3 || steps > 12 {
			t.Errorf("%s: %d steps, success %v", task.ID, steps, success)
		}
		total += steps
	}
	t.Logf("%d games in %d steps", len(e.Tasks()), total)
}
