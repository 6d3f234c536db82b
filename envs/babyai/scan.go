package babyai

import (
	"cmp"
	"slices"

	"heldout/envs/engine/minigrid"
)

// thing is something that the agent sees: a wall, door, key, ball or box.
type thing struct {
	minigrid.Code
	forward int8 // cells in front of the agent
	side    int8 // cells to its right; negative to its left
	pos     minigrid.Point
}

func (t *thing) distance() int { return int(t.forward + max(t.side, -t.side)) }

func (t *thing) blocks() bool { return t.Kind != minigrid.Door }

// spot is a cell of the view: its index in the view, and its distance in front of and to the right of the agent.
type spot struct {
	index         int
	forward, side int
}

// spots are the cells of the view except the agent's own, in the order in which things are listed (§5.2): nearest
// first. Among equally near cells, the one farther in front comes first, then the one farther to the left.
var spots = func() (out []spot) {
	for k := range minigrid.ViewSize * minigrid.ViewSize {
		s := spot{k, minigrid.ViewSize - 1 - k/minigrid.ViewSize, k%minigrid.ViewSize - minigrid.ViewSize/2}
		if s.forward != 0 || s.side != 0 {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b spot) int {
		return cmp.Compare(a.forward+max(a.side, -a.side), b.forward+max(b.side, -b.side))
	})
	return out
}()

// scan appends the things in a view to things, in the order of spots.
func scan(view *minigrid.View, agent minigrid.Pose, things []thing) []thing {
	front, right := agent.Dir.Vector(), agent.Dir.Right().Vector()
	for _, s := range spots {
		code := view[s.index]
		if code.Kind < minigrid.Wall {
			continue
		}
		pos := agent.Add(front.Times(s.forward)).Add(right.Times(s.side))
		if pos.X < 0 || pos.Y < 0 {
			continue
		}
		things = append(things, thing{Code: code, forward: int8(s.forward), side: int8(s.side), pos: pos})
	}
	return things
}

// barrier returns the nearest wall or box straight ahead, or nil.
func barrier(things []thing) *thing {
	for i := range things {
		if t := &things[i]; t.side == 0 && (t.Kind == minigrid.Wall || t.Kind == minigrid.Box) {
			return t
		}
	}
	return nil
}
