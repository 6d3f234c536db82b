package babyai

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"heldout/envs/engine/minigrid"
	"heldout/envs/sharedtest"
)

// searched is the reference's search in its own words (§5.5): breadth first, for one target, with poses queued
// again and again and the last parent kept. It bounds its queue; ok is false where that is not enough.
func searched(agent minigrid.Pose, things []thing, done func(minigrid.Pose) bool) (moves []minigrid.Action, found,
	ok bool) {
	type step struct {
		from minigrid.Pose
		move minigrid.Action
	}
	span := spans[agent.Dir]
	from, to := agent.Add(span.low), agent.Add(span.high)
	blocked := map[minigrid.Point]bool{}
	for i := range things {
		blocked[things[i].pos] = blocked[things[i].pos] || things[i].blocks()
	}
	closed, parents := map[minigrid.Pose]bool{}, map[minigrid.Pose]step{}
	queue := []minigrid.Pose{agent}
	for n := 0; n < len(queue); n++ {
		if n > 200_000 {
			return nil, false, false
		}
		at := queue[n]
		closed[at] = true
		if done(at) {
			for at != agent {
				s := parents[at]
				moves = append([]minigrid.Action{s.move}, moves...)
				at = s.from
			}
			return moves, true, true
		}
		for _, next := range []struct {
			move minigrid.Action
			at   minigrid.Pose
		}{
			{minigrid.Forward, minigrid.Pose{Point: at.Front(), Dir: at.Dir}},
			{minigrid.TurnLeft, minigrid.Pose{Point: at.Point, Dir: at.Dir.Left()}},
			{minigrid.TurnRight, minigrid.Pose{Point: at.Point, Dir: at.Dir.Right()}},
		} {
			p := next.at
			if p.X < from.X || p.X > to.X || p.Y < from.Y || p.Y > to.Y || closed[p] || blocked[p.Point] {
				continue
			}
			queue = append(queue, p)
			parents[p] = step{at, next.move}
		}
	}
	return nil, false, true
}

// The ways found on boards are the ways that the reference's search finds.
func TestPathsAreTheReferences(t *testing.T) {
	kinds := []minigrid.Kind{minigrid.Wall, minigrid.Door, minigrid.Key, minigrid.Ball, minigrid.Box}
	rapid.Check(t, func(t *rapid.T) {
		agent := minigrid.Pose{Point: minigrid.Point{X: 20, Y: 20},
			Dir: minigrid.Direction(rapid.IntRange(0, 3).Draw(t, "direction"))}
		var things []thing
		for range rapid.IntRange(0, 40).Draw(t, "things") {
			i, j := rapid.IntRange(0, 6).Draw(t, "i"), rapid.IntRange(0, 6).Draw(t, "j")
			if at := agent.InView(i, j); at != agent.Point {
				k := rapid.SampledFrom(kinds).Draw(t, "kind")
				things = append(things, thing{Code: minigrid.Code{Kind: k}, pos: at})
			}
		}
		var p paths
		p.around(agent, things)
		for i := range things {
			target := things[i].pos
			want, found, ok := searched(agent, things, func(at minigrid.Pose) bool { return at.Front() == target })
			if !ok {
				t.Skip("another room has to be drawn: this one has too many poses to search")
			}
			compare(t, "facing", want, found, p.facing(target), p.toFace(target))
			want, found, ok = searched(agent, things, func(at minigrid.Pose) bool { return at.Point == target })
			if !ok {
				t.Skip("another room has to be drawn: this one has too many poses to search")
			}
			compare(t, "entering", want, found, p.entering(target), p.toEnter(target))
		}
	})
}

func compare(t *rapid.T, what string, want []minigrid.Action, found bool, got []minigrid.Action, reached bool) {
	if found != reached || !cmp.Equal(want, got, cmpopts.EquateEmpty()) {
		t.Fatalf("%s: %v, %v; the reference %v, %v", what, got, reached, want, found)
	}
}

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
