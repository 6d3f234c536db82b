package babyai

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

// Whatever was played, taken back and played again, the table is the one that the
// world as it is gives from nothing, and so is the observation.
func TestTableFromNothing(t *testing.T) {
	e := opened(t, Options{})
	rapid.Check(t, func(t *rapid.T) {
		task := rapid.SampledFrom(e.Tasks()).Draw(t, "task")
		w := sharedtest.Must(e.NewWorld(task))(t).(*world)
		var forks []*world
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			switch what := rapid.IntRange(0, 5).Draw(t, "what"); {
			case what == 0:
				forks = append(forks, forked(t, w))
			case what == 1 && len(forks) > 0:
				w = forked(t, rapid.SampledFrom(forks).Draw(t, "fork"))
			default:
				actions, _ := w.Actions(context.Background()) // it never fails
				if s, err := w.Step(context.Background(), rapid.SampledFrom(actions).Draw(t, "action")); err != nil ||
					!s.Valid {
					t.Fatalf("%+v, %v", s, err)
				}
			}
			world := w.game.world
			var want table
			want.fill(world.View(), world.Agent(), world.Object(world.Carrying()))
			if diff := cmp.Diff(choices(&want), choices(&w.game.table)) +
				cmp.Diff(refusals(&want), refusals(&w.game.table)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
