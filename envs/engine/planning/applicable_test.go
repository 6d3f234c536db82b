package planning

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Whichever way a state changes, what is kept up to date is what is found from
// nothing.
func TestApplicableFromNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := &Task{size: rapid.IntRange(1, 140).Draw(t, "facts")}
		aLiteral := rapid.Custom(func(t *rapid.T) Literal {
			return literal(rapid.IntRange(0, task.size-1).Draw(t, "fact"), rapid.Bool().Draw(t, "negated"))
		})
		task.Operators = make([]Operator, rapid.IntRange(0, 150).Draw(t, "operators"))
		for i := range task.Operators {
			task.Operators[i].Precondition = rapid.SliceOfN(aLiteral, 0, 3).Draw(t, "precondition")
		}
		var chosen []int
		for i := range task.Operators {
			if rapid.IntRange(0, 3).Draw(t, "chosen") > 0 {
				chosen = append(chosen, i)
			}
		}
		slices.Reverse(chosen)
		choice := task.Choose(chosen)
		state := make(State, (task.size+63)/64)
		kept := choice.In(state)
		for range rapid.IntRange(1, 10).Draw(t, "changes") {
			next := state.Clone()
			for _, l := range rapid.SliceOfN(aLiteral, 0, 20).Draw(t, "change") {
				next.set(l)
			}
			other := kept.Clone()
			kept.Change(state, next)
			other.Change(state, next)
			state = next
			var want []int
			for n, op := range chosen {
				if state.Satisfies(task.Operators[op].Precondition) {
					want = append(want, n)
				}
				if kept.Intersects([]int{n}) != slices.Contains(want, n) {
					t.Fatalf("operator %d of %v", n, want)
				}
			}
			if got := slices.Collect(kept.Operators()); !slices.Equal(got, want) || kept.Len() != len(want) {
				t.Fatalf("%v of %d, want %v", got, kept.Len(), want)
			}
			if diff := cmp.Diff(choice.In(state).unmet, kept.unmet) + cmp.Diff(kept.unmet, other.unmet); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
