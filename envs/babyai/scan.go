package babyai

import (
	"slices"

	"heldout/envs/babyai/minigrid"
)

// thing is something that the agent sees: a wall, door, key, ball or box.
type thing struct {
	minigrid.Code
	name    string // such as "red closed door"
	at      minigrid.Point
	forward int // cells in front of the agent
	side    int // cells to its right; negative to its left
}

// distance is the number of steps to the thing.
func (t *thing) distance() int { return t.forward + max(t.side, -t.side) }

// blocks reports whether nothing can be where the thing is.
func (t *thing) blocks() bool { return t.Kind != minigrid.Door }

// name returns what a thing of that code is called.
func name(c minigrid.Code) string {
	if c.Kind == minigrid.Door {
		return c.Color.String() + " " + c.State.String() + " door"
	}
	return c.Color.String() + " " + c.Kind.String()
}

// scan lists what a view shows, the nearest first (§5.2). Of equally near things
// the one farther in front comes first, and then the one farther to the left.
func scan(view *minigrid.View, agent minigrid.Pose, things []thing) []thing {
	const last, middle = minigrid.ViewSize - 1, minigrid.ViewSize / 2
	for j := range minigrid.ViewSize {
		for i := range minigrid.ViewSize {
			code := view.At(i, j)
			if code.Kind < minigrid.Wall || j == last && i == middle {
				continue
			}
			at := agent.InView(i, j)
			if at.X < 0 || at.Y < 0 {
				continue
			}
			things = append(things, thing{Code: code, name: name(code), at: at, forward: last - j, side: i - middle})
		}
	}
	slices.SortStableFunc(things, func(a, b thing) int { return a.distance() - b.distance() })
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
