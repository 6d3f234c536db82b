package zmachine

// step is what run has to know of an instruction. It is kept apart from the rest
// and small, so that the steps of a loop stay in the processor's cache.
type step struct {
	quick quick
	kinds [2]uint8 // of the first two operands
	store uint8
	sense bool
	// inPlace says that storing into variable 0 changes the top of the stack
	// instead of pushing.
	inPlace bool
	values  [2]uint16
	// follower and taken are the places in code of the instructions that follow
	// and to which the branch leads; 0 if they are not known yet, or may change.
	follower, taken int32
}

// quick names the instructions that run executes itself, with numbers without
// gaps.
type quick uint8

const (
	slow    quick = iota // one that is executed elsewhere
	quickJe              // with two operands
	quickJl
	quickJg
	quickJump // to a place that is known
	quickLoadw
	quickLoadb
	quickAdd
	quickSub
	quickInc   // of a variable that is known
	quickStore // into one
)

func newStep(in *instruction) step {
	s := step{
		kinds: [2]uint8(in.kinds[:2]), values: [2]uint16(in.values[:2]),
		store: in.store, sense: in.sense,
	}
	known := in.kinds[0] == constant
	switch {
	case in.op == op2|1 && in.count == 2, in.op == op1: // jz compares with the operand it has not
		s.quick = quickJe
	case in.op == op2|2:
		s.quick = quickJl
	case in.op == op2|3:
		s.quick = quickJg
	case in.op == op1|12 && known:
		s.quick = quickJump
	case in.op == op2|15:
		s.quick = quickLoadw
	case in.op == op2|16:
		s.quick = quickLoadb
	case in.op == op2|20:
		s.quick = quickAdd
	case in.op == op2|21:
		s.quick = quickSub
	case in.op == op1|5 && known:
		s.quick, s.store, s.inPlace = quickInc, uint8(in.values[0]), true
	case in.op == op2|13 && known:
		s.quick, s.store, s.inPlace = quickStore, uint8(in.values[0]), true
	}
	return s
}
