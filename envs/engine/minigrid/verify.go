package minigrid

import "slices"

// status is a verifier's answer.
type status uint8

const (
	goesOn status = iota
	success
	failure
)

// verify reports whether the action just carried out fulfils the instruction (§4.4).
func (w *World) verify(a Action) status {
	if a == Drop {
		w.instruction.descriptors(func(d *Descriptor) { d.track(w) })
	}
	return w.instruction.verify(w, a)
}

func (in *Instruction) verify(w *World, a Action) status {
	switch in.Op {
	case OpAnd:
		return in.verifyBoth(w, a)
	case OpBefore:
		return verifyInOrder(w, a, in.First, &in.FirstDone, in.Second, &in.SecondDone)
	case OpAfter:
		return verifyInOrder(w, a, in.Second, &in.SecondDone, in.First, &in.FirstDone)
	case OpGoTo:
		return in.verifyGoTo(w)
	case OpOpen:
		return in.verifyOpen(w, a)
	}
	// Picking up and putting down remember what was carried before.
	prev := in.lastCarried
	in.lastCarried = w.carrying
	if in.Op == OpPickup {
		return in.verifyPickup(w, a, prev)
	}
	return in.verifyPutNext(w, a, prev)
}

func (in *Instruction) verifyBoth(w *World, a Action) status {
	in.FirstDone = in.FirstDone || in.First.verify(w, a) == success
	in.SecondDone = in.SecondDone || in.Second.verify(w, a) == success
	if in.FirstDone && in.SecondDone {
		return success
	}
	return goesOn
}

// verifyInOrder verifies two instructions that must be fulfilled in order.
func verifyInOrder(w *World, a Action, first *Instruction, firstDone *bool, next *Instruction, nextDone *bool) status {
	if !*firstDone {
		switch first.verify(w, a) {
		case success:
			*firstDone = true
		case failure:
			return failure
		default:
			return goesOn
		}
	}
	s := next.verify(w, a)
	*nextDone = *nextDone || s == success
	return s
}

// verifyGoTo checks whether the agent faces a place where one of the objects
// was found at the last search, whether or not it is still there.
func (in *Instruction) verifyGoTo(w *World) status {
	if slices.Contains(in.Target.Positions, w.agent.Front()) {
		return success
	}
	return goesOn
}

func (in *Instruction) verifyOpen(w *World, a Action) status {
	if a != Toggle {
		return goesOn
	}
	id, o := w.ObjectAt(w.agent.Front())
	switch {
	case o.Kind != Door:
		return goesOn
	case o.State == Open && in.Target.contains(id):
		return success
	case in.Strict:
		return failure
	}
	return goesOn
}

func (in *Instruction) verifyPickup(w *World, a Action, prev ID) status {
	switch {
	case a != Pickup:
		return goesOn
	case prev == None && w.carrying != None && in.Target.contains(w.carrying):
		return success
	case in.Strict && w.carrying != None:
		return failure
	}
	return goesOn
}

func (in *Instruction) verifyPutNext(w *World, a Action, prev ID) status {
	if a != Drop || prev == None || !in.Target.contains(prev) {
		return goesOn
	}
	pos := w.objects[prev].Pos
	if slices.ContainsFunc(in.Fixed.Positions, func(p Point) bool { return p.Distance(pos) == 1 }) {
		return success
	}
	return goesOn
}
