package perturb_test

import (
	"testing"

	"heldout/envs"
	"heldout/envs/pddl"
	"heldout/perturb"
)

// Each task has a draw of its own, which is the same each time, and the expert solves
// it under its draw.
func TestDrawn(t *testing.T) {
	env, err := pddl.NewGenerated(3)
	if err != nil {
		t.Fatal(err)
	}
	d, err := perturb.Draw(env, "random:5:3-nouns")
	if err != nil {
		t.Fatal(err)
	}
	name, ok := perturb.DrawnFrom(d.Name())
	if d.Name() != "random:5:3-nouns/task" || !ok || name != "random:5:3-nouns" {
		t.Error(d.Name(), name)
	}
	seen := map[string]bool{}
	for _, task := range env.Tasks()[:12] {
		goals := make([]string, 2)
		for i := range goals {
			w, err := d.NewWorld(task)
			if err != nil {
				t.Fatal(err)
			}
			start, err := w.Start(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			goals[i] = start.Goal + start.Observation
			expert, ok := envs.As[envs.Expert](w)
			if !ok {
				t.Fatal("there is no expert")
			}
			for solved := false; !solved; {
				action, err := expert.ExpertAction(t.Context())
				if err != nil || action == "" {
					t.Fatal(task.ID, action, err)
				}
				step, err := w.Step(t.Context(), action)
				if err != nil || !step.Valid {
					t.Fatal(task.ID, action, step, err)
				}
				solved = step.Success
				seen[action] = true
			}
		}
		if goals[0] != goals[1] {
			t.Errorf("%s: %q, then %q", task.ID, goals[0], goals[1])
		}
	}
	if len(seen) < 20 {
		t.Errorf("%d actions", len(seen))
	}
	for _, name := range []string{"verbs:1", "random:x:2", "random:1:99", "random:1"} {
		if _, err := perturb.Draw(env, name); err == nil {
			t.Error(name)
		}
	}
}
