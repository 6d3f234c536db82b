package zmachine

// step is what run has to know of an instruction. It is kept apart from the rest
// and small, so that the steps of a loop stay in the processor's cache.
type step struct {
	quick quick
	store uint8
	sense bool
	// The first two operands are values, or the local variables under masks;
	// unless they are far, that is global or on the stack.
	far    bool
	reach  uint8 // as in the instruction
	locals [2]uint8
	kinds  [3]uint8
	values [2]uint16
	masks  [2]uint16
	addrs  [3]uint16 // the values in the instruction
	next   int32     // as in the instruction
	// taken is the place in code to which the branch leads; 0 if that is not
	// known yet, or may change.
	taken int32
}

// quick names the instructions that run executes itself, with numbers without
// gaps.
type quick uint8

const (
	slow    quick = iota // one that is executed elsewhere
	quickJe              // with two operands
	quickJl
	quickJg
	quickTest // of an attribute
	quickJump // to a place that is known
	quickLink // likewise, but no instruction of the story
	quickCopy // like quickJl, at the beginning of a loop that copies bytes
	quickStorew
	quickStoreb
	quickLoadw
	quickLoadb
	quickAdd
	quickSub
	quickAnd
	// The following name a variable by its number; for variable 0 that means the
	// top of the stack, where it is.
	quickInc // adds the second operand
	quickStore

	lastBranch   = quickCopy
	firstInPlace = quickInc
)

func newStep(in *instruction) step {
	s := step{store: in.store, sense: in.sense, reach: in.reach, next: in.next}
	s.quick = quickOf(in)
	switch s.quick {
	case slow:
		return s
	case quickInc, quickStore:
		s.store = uint8(in.values[0])
	case quickLink:
		s.sense = true
	}
	for i := range s.kinds {
		s.kinds[i], s.addrs[i] = in.kinds[i], in.values[i]
	}
	for i := range s.values {
		switch in.kinds[i] {
		case constant:
			s.values[i] = in.values[i]
		case local:
			s.locals[i], s.masks[i] = uint8(in.values[i]), 0xFFFF
		default:
			s.far = true
		}
	}
	if s.quick == quickInc {
		s.values[1] = 1
		if in.op == op1|6 {
			s.values[1] = 0xFFFF
		}
	}
	return s
}

func quickOf(in *instruction) quick {
	known := in.kinds[0] == constant
	switch {
	case in.op == linkOp:
		return quickLink
	case in.op == op2|1 && in.count == 2, in.op == op1: // jz compares with the operand it has not
		return quickJe
	case in.op == op2|2:
		return quickJl
	case in.op == op2|3:
		return quickJg
	case in.op == op1|12 && known:
		return quickJump
	case in.op == op2|10:
		return quickTest
	case in.op == op2|15:
		return quickLoadw
	case in.op == op2|16:
		return quickLoadb
	case in.op == op2|20:
		return quickAdd
	case in.op == op2|21:
		return quickSub
	case in.op == op2|9:
		return quickAnd
	case (in.op == op1|5 || in.op == op1|6) && known:
		return quickInc
	case in.op == op2|13 && known:
		return quickStore
	case in.op == opVar|1:
		return quickStorew
	case in.op == opVar|2:
		return quickStoreb
	}
	return slow
}
