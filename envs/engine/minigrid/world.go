package minigrid

import "slices"

// World is one running world. It belongs to one goroutine.
type World struct {
	width, height int
	roomSize      int  // outer size; neighbouring rooms share a wall
	cells         []ID // row by row
	objects       []Object

	agent    Pose
	carrying ID
	steps    int
	maxSteps int
	view     View

	instruction *Instruction
}

// Action is what the agent can do in one step.
type Action uint8

// The actions.
const (
	TurnLeft Action = iota
	TurnRight
	Forward
	Pickup
	Drop
	Toggle
	Done // no effect
)

// Result is the result of a step.
type Result struct {
	// Reward is 1 - 0.9 * steps / limit if the step fulfilled the instruction,
	// and 0 otherwise. It is negative when the limit is far exceeded.
	Reward float64
	// Terminated reports that the step fulfilled the instruction or made it
	// impossible. Further steps are still allowed.
	Terminated bool
	// Truncated reports that the step limit is reached.
	Truncated bool
}

// Step carries out an action (§2.3).
func (w *World) Step(a Action) Result {
	w.steps++
	w.act(a)
	w.see()
	r := Result{Truncated: w.steps >= w.maxSteps}
	switch w.verify(a) {
	case success:
		r.Terminated = true
		// The conversion prevents a fused multiply-add, which would round differently.
		r.Reward = 1 - float64(0.9*(float64(w.steps)/float64(w.maxSteps)))
	case failure:
		r.Terminated = true
	}
	return r
}

// act applies an action to the world.
func (w *World) act(a Action) {
	front := w.agent.Front()
	id := w.idAt(front)
	o := &w.objects[id]
	switch a {
	case TurnLeft:
		w.agent.Dir = w.agent.Dir.Left()
	case TurnRight:
		w.agent.Dir = w.agent.Dir.Right()
	case Forward:
		if id == None || o.Kind == Door && o.State == Open {
			w.agent.Point = front
		}
	case Pickup:
		if slices.Contains(portableKinds, o.Kind) && w.carrying == None {
			w.set(front, None)
			w.carrying = id
			o.Pos = nowhere
		}
	case Drop:
		if id == None && w.carrying != None {
			w.set(front, w.carrying)
			w.objects[w.carrying].Pos = front
			w.carrying = None
		}
	case Toggle:
		w.toggle(front, o)
	}
}

func (w *World) toggle(p Point, o *Object) {
	switch {
	case o.Kind == Box:
		w.set(p, o.Content)
	case o.Kind != Door:
	case o.State == Open:
		o.State = Closed
	case o.State == Closed:
		o.State = Open
	default:
		if key := &w.objects[w.carrying]; key.Kind == Key && key.Color == o.Color {
			o.State = Open
		}
	}
}

// inside reports whether a cell is in the grid.
func (w *World) inside(p Point) bool {
	return uint(p.X) < uint(w.width) && uint(p.Y) < uint(w.height)
}

// idAt returns the object in a cell; outside the grid there are walls.
func (w *World) idAt(p Point) ID {
	if !w.inside(p) {
		return wall
	}
	return w.cells[p.Y*w.width+p.X]
}

func (w *World) set(p Point, id ID) { w.cells[p.Y*w.width+p.X] = id }

// cell returns the code of a cell.
func (w *World) cell(p Point) Code { return w.objects[w.idAt(p)].Code }

// Size returns the number of columns and rows.
func (w *World) Size() (width, height int) { return w.width, w.height }

// ObjectAt returns the object in a cell: None and an Empty object for an empty cell, a Wall outside the grid.
func (w *World) ObjectAt(p Point) (ID, Object) {
	id := w.idAt(p)
	return id, w.objects[id]
}

// Object returns an object.
func (w *World) Object(id ID) Object { return w.objects[id] }

// Objects visits every object that is not a wall.
func (w *World) Objects(visit func(ID, Object)) {
	for id := wall + 1; int(id) < len(w.objects); id++ {
		visit(id, w.objects[id])
	}
}

// Agent returns the agent's pose.
func (w *World) Agent() Pose { return w.agent }

// Carrying returns what the agent carries, None if nothing.
func (w *World) Carrying() ID { return w.carrying }

// Steps returns the number of steps so far.
func (w *World) Steps() int { return w.steps }

// Mission returns the instruction in words.
func (w *World) Mission() string { return w.instruction.String() }

// Instruction returns the instruction with its progress. The caller must not change it. The next step changes it.
func (w *World) Instruction() *Instruction { return w.instruction }

// AppendState appends all mutable state except the agent's pose and the number
// of steps: two worlds with the same origin are equal if this state is equal.
func (w *World) AppendState(b []byte) []byte {
	return w.instruction.appendState(w.AppendObjects(b))
}

// AppendObjects appends the positions and states of the objects.
func (w *World) AppendObjects(b []byte) []byte {
	b = append(b, byte(w.carrying))
	for id := wall + 1; int(id) < len(w.objects); id++ {
		o := &w.objects[id]
		inGrid := byte(0) // an opened box is not in the grid
		if w.idAt(o.Pos) == id {
			inGrid = 1
		}
		b = append(b, byte(o.Pos.X), byte(o.Pos.Y), byte(o.State), inGrid)
	}
	return b
}

// Clone returns a copy that shares no mutable state.
func (w *World) Clone() *World {
	c := *w
	c.cells = slices.Clone(w.cells)
	c.objects = slices.Clone(w.objects)
	c.instruction = w.instruction.clone()
	return &c
}
