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

	mission     string
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

// Result is what a step led to.
type Result struct {
	// Reward is 1 - 0.9 * steps / limit if the step fulfilled the instruction,
	// and 0 otherwise. It is negative when the limit is far exceeded.
	Reward float64
	// Terminated reports that the step fulfilled the instruction or failed it
	// for good. The world can be stepped on all the same.
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
		// The conversion forbids a fused multiply-add, which would round otherwise.
		r.Reward = 1 - float64(0.9*(float64(w.steps)/float64(w.maxSteps)))
	case failure:
		r.Terminated = true
	}
	return r
}

// act changes the world as an action does.
func (w *World) act(a Action) {
	front := w.agent.Front()
	id := w.at(front)
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
		if o.Kind.portable() && w.carrying == None {
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

func (w *World) toggle(at Point, o *Object) {
	switch {
	case o.Kind == Box:
		w.set(at, o.Content)
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

// at returns what is in a cell; outside the grid there are walls.
func (w *World) at(p Point) ID {
	if !w.inside(p) {
		return wall
	}
	return w.cells[p.Y*w.width+p.X]
}

func (w *World) set(p Point, id ID) { w.cells[p.Y*w.width+p.X] = id }

// cell returns the code of a cell.
func (w *World) cell(p Point) Code { return w.objects[w.at(p)].Code }

// Size returns the number of columns and rows.
func (w *World) Size() (width, height int) { return w.width, w.height }

// At returns the object in a cell: None and an Empty object in an empty one, a
// Wall outside the grid.
func (w *World) At(p Point) (ID, Object) {
	id := w.at(p)
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

// Agent returns where the agent is.
func (w *World) Agent() Pose { return w.agent }

// Carrying returns what the agent carries, None if nothing.
func (w *World) Carrying() ID { return w.carrying }

// Steps returns how many steps were made.
func (w *World) Steps() int { return w.steps }

// MaxSteps returns the step limit, which rewards are scaled by.
func (w *World) MaxSteps() int { return w.maxSteps }

// Mission returns the instruction in words.
func (w *World) Mission() string { return w.mission }

// Instruction returns the instruction with its progress. It must not be changed,
// and changes with the next step.
func (w *World) Instruction() *Instruction { return w.instruction }

// AppendState appends everything that can change but the agent's pose and the
// number of steps: two worlds of one origin are alike if it is the same.
func (w *World) AppendState(b []byte) []byte {
	return w.instruction.appendState(w.AppendObjects(b))
}

// AppendObjects appends where the objects are and in which state.
func (w *World) AppendObjects(b []byte) []byte {
	b = append(b, byte(w.carrying))
	for id := wall + 1; int(id) < len(w.objects); id++ {
		o := &w.objects[id]
		inGrid := byte(0) // a box that was opened is nowhere
		if w.at(o.Pos) == id {
			inGrid = 1
		}
		b = append(b, byte(o.Pos.X), byte(o.Pos.Y), byte(o.State), inGrid)
	}
	return b
}

// Clone returns a copy that shares nothing that changes.
func (w *World) Clone() *World {
	c := *w
	c.cells = slices.Clone(w.cells)
	c.objects = slices.Clone(w.objects)
	c.instruction = w.instruction.clone()
	return &c
}
