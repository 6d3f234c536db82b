package babyai

import (
	"slices"

	"heldout/envs/engine/minigrid"
)

// aim is the next thing to reach: a sub-goal or a simple instruction.
type aim struct {
	goal *pattern
	leaf *minigrid.Instruction
}

// seer finds where things must be in view for a sub-goal of one task, and caches it.
type seer struct {
	places map[sight][][2]int
}

// sight is a thing and a sub-goal that may be reached by seeing the thing.
type sight struct {
	goal string // its text
	noun noun
}

// inView returns the columns and rows of the view where such a thing reaches a sub-goal.
func (s *seer) inView(goal *pattern, code minigrid.Code) [][2]int {
	id := sight{goal.text, nounOf(code)}
	if found, ok := s.places[id]; ok {
		return found
	}
	var found [][2]int
	for j := range minigrid.ViewSize {
		for i := range minigrid.ViewSize {
			t := []thing{{Code: code, forward: int8(minigrid.ViewSize - 1 - j), side: int8(i - minigrid.ViewSize/2)}}
			if t[0].distance() > 0 && goal.matches(sentence(t)) {
				found = append(found, [2]int{i, j})
			}
		}
	}
	s.places[id] = found
	return found
}

// sentence describes a thing as the first of its name, without the final period.
func sentence(t []thing) string {
	text := listThings(t)
	return text[:len(text)-len(".  ")]
}

// reaches reports whether carrying an object with that code reaches a sub-goal.
func reaches(goal *pattern, code minigrid.Code) bool {
	return goal.matches(" You are carrying a " + nounOf(code).String())
}

// possible reports whether some object can still reach a sub-goal, at any cost.
func (s *seer) possible(w *minigrid.World, goal *pattern) bool {
	found := false
	w.Objects(func(_ minigrid.ID, o minigrid.Object) {
		opened := o.Code
		opened.State = minigrid.Open
		found = found || reaches(goal, o.Code) || len(s.inView(goal, o.Code)) > 0 || len(s.inView(goal, opened)) > 0
	})
	return found
}

// targets returns the poses that reach an aim, exactly or nearly.
func (s *seer) targets(w *minigrid.World, a aim) []target {
	if a.goal != nil {
		return s.goalTargets(w, a.goal)
	}
	return leafTargets(w, a.leaf)
}

// keyTargets returns the poses from which the agent can pick up a key of that
// color, with the cost of the rest of the path.
func keyTargets(w *minigrid.World, c minigrid.Color, rest *approach) (out []target) {
	w.Objects(func(id minigrid.ID, o minigrid.Object) {
		if o.Kind != minigrid.Key || o.Color != c {
			return
		}
		for _, t := range carryTargets(w, id, o) {
			if _, in := w.ObjectAt(t.pose.Point); in.Kind != minigrid.Wall {
				t.cost += rest.cost[rest.index(t.pose)]
				out = append(out, t)
			}
		}
	})
	return out
}

func (s *seer) goalTargets(w *minigrid.World, goal *pattern) (out []target) {
	w.Objects(func(id minigrid.ID, o minigrid.Object) {
		if o.Kind != minigrid.Door && reaches(goal, o.Code) {
			out = append(out, carryTargets(w, id, o)...)
		}
		if occupant, _ := w.ObjectAt(o.Pos); id == w.Carrying() || occupant == minigrid.None {
			return
		}
		for _, place := range s.inView(goal, o.Code) {
			out = append(out, seeTargets(w, o.Pos, place)...)
		}
		opened := o.Code
		opened.State = minigrid.Open
		if o.Kind == minigrid.Door && o.State != minigrid.Open && len(s.inView(goal, opened)) > 0 {
			out = append(out, openTargets(w, o)...)
		}
	})
	return out
}

// seeTargets returns the poses that show a cell at a given place of the view.
func seeTargets(w *minigrid.World, p minigrid.Point, place [2]int) (out []target) {
	for d := range minigrid.Direction(4) {
		pose := minigrid.Pose{Dir: d}
		pose.Point = p.Sub(pose.InView(place[0], place[1]))
		if _, o := w.ObjectAt(pose.Point); o.Kind == minigrid.Wall {
			continue
		}
		if v := w.ViewFrom(pose); v.Cell(place[0], place[1]).Kind != minigrid.Unseen {
			out = append(out, target{pose: pose, lock: minigrid.AnyColor})
		}
	}
	return out
}

// carryTargets returns the poses from which the agent can pick up an object.
func carryTargets(w *minigrid.World, id minigrid.ID, o minigrid.Object) []target {
	if occupant, _ := w.ObjectAt(o.Pos); occupant != id {
		return nil // carried, or in a box
	}
	cost := int32(1)
	if w.Carrying() != minigrid.None {
		cost += costDrop
	}
	return facing(o.Pos, cost, minigrid.AnyColor)
}

// openTargets returns the poses from which the agent can open a door.
func openTargets(w *minigrid.World, o minigrid.Object) []target {
	cost, lock := entering(w, o.Pos, w.Object(w.Carrying()))
	return facing(o.Pos, cost, lock)
}

// leafTargets returns poses that fulfil a simple instruction, exactly or nearly.
func leafTargets(w *minigrid.World, leaf *minigrid.Instruction) (out []target) {
	switch leaf.Op {
	case minigrid.OpGoTo:
		for _, p := range leaf.Target.Positions {
			out = append(out, facing(p, 0, minigrid.AnyColor)...)
		}
		return out
	case minigrid.OpPutNext:
		return putTargets(w, leaf)
	}
	for _, id := range leaf.Target.Objects {
		switch o := w.Object(id); {
		case o.Kind == minigrid.Door && o.State != minigrid.Open:
			out = append(out, openTargets(w, o)...)
		case o.Kind != minigrid.Door:
			out = append(out, carryTargets(w, id, o)...)
		}
	}
	return out
}

// putTargets returns the poses from which the agent can put the carried object beside something. If the object is
// not carried yet, it returns the poses from which the agent can pick it up.
func putTargets(w *minigrid.World, leaf *minigrid.Instruction) (out []target) {
	const far = 30 // an estimate of the cost after picking up
	if !slices.Contains(leaf.Target.Objects, w.Carrying()) {
		for _, id := range leaf.Target.Objects {
			if o := w.Object(id); o.Kind != minigrid.Wall {
				for _, t := range carryTargets(w, id, o) {
					t.cost += far
					out = append(out, t)
				}
			}
		}
		return out
	}
	for _, id := range leaf.Fixed.Objects {
		if id == w.Carrying() {
			continue
		}
		for d := range minigrid.Direction(4) {
			free := w.Object(id).Pos.Add(d.Vector())
			if occupant, _ := w.ObjectAt(free); occupant == minigrid.None {
				out = append(out, facing(free, 1, minigrid.AnyColor)...)
			}
		}
	}
	return out
}

// inHand returns the cost of an aim that the carried object reaches, exactly or nearly.
func inHand(w *minigrid.World, a aim) (cost int32, ok bool) {
	id := w.Carrying()
	if id == minigrid.None {
		return 0, false
	}
	if a.goal != nil {
		return 1, reaches(a.goal, w.Object(id).Code)
	}
	// The object is carried but did not count, so it must be put down and picked up again.
	return costDrop + 1, a.leaf.Op == minigrid.OpPickup && slices.Contains(a.leaf.Target.Objects, id)
}

// String distinguishes the aims of one task.
func (a aim) String() string {
	if a.goal != nil {
		return "goal " + a.goal.text
	}
	return "leaf " + a.leaf.String()
}
