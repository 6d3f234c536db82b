package minigrid

import "slices"

// randomLevel configures a level of random instructions (§3.4).
type randomLevel struct {
	distractors  int
	lockedRoom   float64 // the probability that a room is locked
	locations    bool    // describe objects by location
	unblocking   bool    // objects may be behind locked doors or other objects
	implicitly   bool    // the target may be in the locked room
	actions      []Op
	instructions []instructionForm
}

// instructionForm is the structure of a random instruction.
type instructionForm uint8

const (
	single  instructionForm = iota // one action
	joined                         // two, joined by "and"
	ordered                        // two, one after the other
)

// random returns the default with changes.
func random(change func(*randomLevel)) func(*builder) *Instruction {
	r := randomLevel{
		distractors: 18, lockedRoom: 0.5, locations: true, unblocking: true, implicitly: true,
		actions:      []Op{OpGoTo, OpPickup, OpOpen, OpPutNext},
		instructions: []instructionForm{single, joined, ordered},
	}
	change(&r)
	return r.build
}

func (r *randomLevel) build(b *builder) *Instruction {
	b.unblocking = r.unblocking
	var locked *room // of this attempt
	if b.draws.Float64() < r.lockedRoom {
		locked = b.lockRoom()
	}
	b.connectAll(colors)
	b.distractorsAnywhere(r.distractors, false)
	b.placeAgentOutside(locked)
	if !r.unblocking {
		b.requireReachable()
	}
	return r.instruction(b, r.instructions)
}

// lockRoom locks a room and puts its key into another.
func (b *builder) lockRoom() *room {
	var door ID
	var locked *room
	for {
		i, j, side := b.column(), b.row(), Direction(b.int(0, 4))
		locked = b.room(i, j)
		b.lastLocked = &locked.top
		if locked.exists[side] {
			door = b.addDoorOfAnyColor(i, j, side, true)
			break
		}
	}
	for {
		if i, j := b.column(), b.row(); b.room(i, j) != locked {
			b.newObject(i, j, Key, b.objects[door].Color)
			return locked
		}
	}
}

// The kinds that instructions refer to.
var (
	portableKinds  = []Kind{Box, Ball, Key}
	facedKinds     = []Kind{Box, Ball, Key, Door}
	doorKind       = []Kind{Door}
	describeColors = append([]Color{AnyColor}, colors...)
)

// instruction draws an instruction of one of those forms.
func (r *randomLevel) instruction(b *builder, forms []instructionForm) *Instruction {
	switch pick(b, forms) {
	case joined:
		first := r.instruction(b, []instructionForm{single})
		return &Instruction{Op: OpAnd, First: first, Second: r.instruction(b, []instructionForm{single})}
	case ordered:
		first := r.instruction(b, []instructionForm{single, joined})
		second := r.instruction(b, []instructionForm{single, joined})
		return &Instruction{Op: pick(b, []Op{OpBefore, OpAfter}), First: first, Second: second}
	}
	in := &Instruction{Op: pick(b, r.actions)}
	switch in.Op {
	case OpGoTo:
		in.Target = r.describe(b, facedKinds)
	case OpOpen:
		in.Target = r.describe(b, doorKind)
	case OpPickup:
		in.Target = r.describe(b, portableKinds)
	default:
		in.Target = r.describe(b, portableKinds)
		in.Fixed = r.describe(b, facedKinds)
	}
	return in
}

// describe draws a description that fits at least one object.
func (r *randomLevel) describe(b *builder, kinds []Kind) *Descriptor {
	for range maxDescribe {
		d := &Descriptor{Color: pick(b, describeColors)}
		d.Kind = pick(b, kinds)
		if r.locations && b.coin() {
			d.Location = pick(b, locations)
		}
		d.find(b.World)
		if len(d.Positions) == 0 {
			continue
		}
		outside := func(p Point) bool { return !inRoom(*b.lastLocked, b.roomSize, p) }
		if r.implicitly || b.lastLocked == nil || slices.ContainsFunc(d.Positions, outside) {
			return d
		}
	}
	reject("no object to describe")
	return nil
}

// validate rejects an instruction that is impossible or not allowed (§3.5).
func (b *builder) validate(in *Instruction) {
	in.Leaves(func(leaf *Instruction) {
		if leaf.Op == OpPutNext {
			b.validatePutNext(leaf)
		}
		if b.unblocking {
			leaf.descriptors(b.rejectNeededKey)
		}
	})
}

// validatePutNext rejects an instruction to put an object beside itself, or where it already is.
func (b *builder) validatePutNext(leaf *Instruction) {
	leaf.descriptors(func(d *Descriptor) { d.find(b.World) })
	for _, id := range leaf.Target.Objects {
		if leaf.Fixed.contains(id) {
			reject("an object is to be put next to itself")
		}
	}
	for _, id := range leaf.Target.Objects {
		for _, p := range leaf.Fixed.Positions {
			if p.Distance(b.objects[id].Pos) == 1 {
				reject("an object is next to the other already")
			}
		}
	}
}

// rejectNeededKey rejects a description of a key that opens a locked door: the
// agent may have to leave the key somewhere.
func (b *builder) rejectNeededKey(d *Descriptor) {
	if d.Kind != Key {
		return
	}
	for _, o := range b.objects {
		if o.Kind == Door && o.State == Locked && o.Color == d.Color {
			reject("a key is asked for that opens a locked door")
		}
	}
}
