package minigrid

import "slices"

// Location is the position of an object relative to the agent's first pose.
type Location uint8

// The locations.
const (
	Anywhere Location = iota
	OnLeft
	OnRight
	InFront
	InBack
)

// Descriptor describes objects by kind, color and location (§4.1).
type Descriptor struct {
	Kind     Kind  // AnyKind if unspecified
	Color    Color // AnyColor if unspecified
	Location Location

	// Objects are the objects that the descriptor matched at the start, Positions their positions after the last
	// drop, or at the start.
	Objects   []ID
	Positions []Point
}

// find looks for the objects that match, column by column.
func (d *Descriptor) find(w *World) {
	d.Objects, d.Positions = nil, nil
	w.eachObject(func(p Point, id ID) {
		if o := &w.objects[id]; (d.Kind == AnyKind || o.Kind == d.Kind) &&
			(d.Color == AnyColor || o.Color == d.Color) && w.located(p, d.Location) {
			d.Objects = append(d.Objects, id)
			d.Positions = append(d.Positions, p)
		}
	})
}

// track looks for the same objects again, wherever they are.
func (d *Descriptor) track(w *World) {
	d.Positions = nil
	w.eachObject(func(p Point, id ID) {
		if d.contains(id) {
			d.Positions = append(d.Positions, p)
		}
	})
}

func (d *Descriptor) contains(id ID) bool { return slices.Contains(d.Objects, id) }

// eachObject visits every cell that is not empty, column by column.
func (w *World) eachObject(visit func(Point, ID)) {
	for x := range w.width {
		for y := range w.height {
			if id := w.cells[y*w.width+x]; id != None {
				visit(Point{x, y}, id)
			}
		}
	}
}

// located reports whether a cell is at a location relative to the agent. Such a
// cell is in the agent's room, including its walls.
func (w *World) located(p Point, l Location) bool {
	if l == Anywhere {
		return true
	}
	inner := w.roomSize - 1
	top := Point{w.agent.X / inner * inner, w.agent.Y / inner * inner}
	if !inRoom(top, w.roomSize, p) {
		return false
	}
	v := p.Sub(w.agent.Point)
	switch l {
	case InFront:
		return v.dot(w.agent.Dir.Vector()) > 0
	case InBack:
		return v.dot(w.agent.Dir.Vector()) < 0
	case OnRight:
		return v.dot(w.agent.Dir.Right().Vector()) > 0
	default:
		return v.dot(w.agent.Dir.Right().Vector()) < 0
	}
}

// inRoom reports whether a cell is in the room with the given corner and outer size, including its walls.
func inRoom(top Point, size int, p Point) bool {
	return p.X >= top.X && p.X < top.X+size && p.Y >= top.Y && p.Y < top.Y+size
}

// String describes the objects in words.
func (d *Descriptor) String() string {
	noun := "object"
	if d.Kind != AnyKind {
		noun = d.Kind.String()
	}
	if d.Color != AnyColor {
		noun = d.Color.String() + " " + noun
	}
	article := "the "
	if len(d.Objects) > 1 {
		article = "a "
	}
	return article + noun + [...]string{"", " on your left", " on your right", " in front of you",
		" behind you"}[d.Location]
}

// Op is the kind of an instruction.
type Op uint8

// The instructions. OpAnd, OpBefore and OpAfter combine two others. OpBefore
// requires the first to be done first, OpAfter the second.
const (
	OpGoTo    Op = iota // face an object
	OpOpen              // open a door
	OpPickup            // pick up an object
	OpPutNext           // put an object down beside another
	OpAnd
	OpBefore
	OpAfter
)

// Instruction is the agent's task.
type Instruction struct {
	Op Op
	// Strict: the instruction fails if the agent opens another door or picks up another object.
	Strict bool
	// Target is the object of a simple instruction. For OpPutNext, Fixed is the object to put it beside.
	Target, Fixed *Descriptor
	// First and Second are the parts of a compound instruction.
	First, Second *Instruction

	// FirstDone and SecondDone report which parts of a compound instruction are fulfilled.
	FirstDone, SecondDone bool

	lastCarried ID // the object carried at the last verification
}

// Compound reports whether the instruction combines two others.
func (in *Instruction) Compound() bool { return in.Op >= OpAnd }

// String returns the instruction in words (§4.2).
func (in *Instruction) String() string {
	switch in.Op {
	case OpGoTo:
		return "go to " + in.Target.String()
	case OpOpen:
		return "open " + in.Target.String()
	case OpPickup:
		return "pick up " + in.Target.String()
	case OpPutNext:
		return "put " + in.Target.String() + " next to " + in.Fixed.String()
	case OpAnd:
		return in.First.String() + " and " + in.Second.String()
	case OpBefore:
		return in.First.String() + ", then " + in.Second.String()
	default:
		return in.First.String() + " after you " + in.Second.String()
	}
}

// Leaves visits the simple instructions, in the order of the words.
func (in *Instruction) Leaves(visit func(*Instruction)) {
	if in.Compound() {
		in.First.Leaves(visit)
		in.Second.Leaves(visit)
		return
	}
	visit(in)
}

// descriptors visits the descriptors of all leaves.
func (in *Instruction) descriptors(visit func(*Descriptor)) {
	in.Leaves(func(leaf *Instruction) {
		visit(leaf.Target)
		if leaf.Fixed != nil {
			visit(leaf.Fixed)
		}
	})
}

// effort is the number of trips that the instruction takes (§3.6).
func (in *Instruction) effort() int {
	n := 0
	in.Leaves(func(leaf *Instruction) {
		n++
		if leaf.Op == OpPutNext {
			n++
		}
	})
	return n
}

// appendState appends the progress of the instruction.
func (in *Instruction) appendState(b []byte) []byte {
	flag := func(v bool) {
		if v {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	if in.Compound() {
		flag(in.FirstDone)
		flag(in.SecondDone)
		return in.Second.appendState(in.First.appendState(b))
	}
	b = append(b, byte(in.lastCarried))
	in.descriptors(func(d *Descriptor) {
		b = append(b, byte(len(d.Positions)))
		for _, p := range d.Positions {
			b = append(b, byte(p.X), byte(p.Y))
		}
	})
	return b
}

func (in *Instruction) clone() *Instruction {
	if in == nil {
		return nil
	}
	c := *in
	c.First, c.Second = in.First.clone(), in.Second.clone()
	c.Target, c.Fixed = in.Target.clone(), in.Fixed.clone()
	return &c
}

// clone copies a descriptor. The objects and positions that it found are only
// replaced, never changed, so they are shared.
func (d *Descriptor) clone() *Descriptor {
	if d == nil {
		return nil
	}
	c := *d
	return &c
}
