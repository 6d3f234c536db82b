package planning

import "testing"

// A guide follows its plan, plans anew where the world went elsewhere, and a
// copy goes its own way.
func TestGuide(t *testing.T) {
	task := carrying(t, 3, "")
	var g Guide
	state, spare := task.Init.Clone(), task.Init.Clone()
	step := func(op int) {
		task.Apply(&task.Operators[op], state, spare)
		state, spare = spare, state
	}
	plan, ok := task.Plan(task.Init)
	if !ok {
		t.Fatal("no plan")
	}
	for i, want := range plan {
		for range 2 { // asking twice changes nothing
			if op, ok := g.Next(task, state); !ok || op != want {
				t.Fatalf("step %d: %d, %v, want %d", i, op, ok, want)
			}
		}
		if i == 2 {
			break
		}
		step(want)
	}
	other := g
	detour := -1
	for i := range task.Operators {
		if state.Satisfies(task.Operators[i].Precondition) && i != plan[2] {
			detour = i
		}
	}
	before := state.Clone()
	step(detour)
	for steps := 0; !task.Reached(state); steps++ {
		op, ok := g.Next(task, state)
		if !ok || steps > 20 {
			t.Fatalf("the goal is not reached after a detour: %v after %d steps", ok, steps)
		}
		step(op)
	}
	if op, ok := other.Next(task, before); !ok || op != plan[2] {
		t.Errorf("the copy goes on with %d, %v, want %d", op, ok, plan[2])
	}
}
