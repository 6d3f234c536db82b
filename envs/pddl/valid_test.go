package pddl

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Whatever was played, taken back and played again, the list of valid actions is
// the one that the state gives from nothing.
func TestActionsFromNothing(t *testing.T) {
	e := generated(t)
	rapid.Check(t, func(t *rapid.T) {
		made, err := e.NewWorld(rapid.SampledFrom(e.Tasks()).Draw(t, "task"))
		if err != nil {
			t.Fatal(err)
		}
		w := made.(*world)
		var forks []*world
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			actions, _ := w.Actions(context.Background()) // it never fails
			switch what := rapid.IntRange(0, 5).Draw(t, "what"); {
			case what == 0:
				forks = append(forks, forked(t, w))
			case what == 1 && len(forks) > 0:
				w = forked(t, rapid.SampledFrom(forks).Draw(t, "fork"))
			default:
				if _, err := w.Step(context.Background(), rapid.SampledFrom(actions).Draw(t, "action")); err != nil {
					t.Fatal(err)
				}
			}
			var want []string
			for _, op := range w.in.listed {
				if w.applicable(op) {
					want = append(want, w.in.texts[op])
				}
			}
			if got, err := w.Actions(context.Background()); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%q, %v; want %q", got, err, want)
			}
		}
	})
}
