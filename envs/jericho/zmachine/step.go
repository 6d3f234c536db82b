package zmachine

// step is what run has to know of an instruction. It is kept apart from the rest
// and small, so that the steps of a loop stay in the processor's cache.
type step struct {
	quick quick
	store uint8
	sense bool  // as in the instruction; of a call: without a result
	count uint8 // operands
	reach uint8 // as in the instruction
	kinds uint8 // of the first three operands, two bits each
	// The first two operands are values, or the local variables under masks;
	// unless they are far.
	locals [2]uint8
	values [2]uint16
	masks  [2]uint16
	addrs  [3]uint16 // the values in the instruction
	next   int32     // as in the instruction
	// taken is the place in code to which the branch leads; 0 if that is not
	// known yet, or may change.
	taken int32
}

// far are the bits of kinds that are set if one of the first two operands is
// global or on the stack.
const (
	farFirst  = 1
	farSecond = 1 << 2
	far       = farFirst | farSecond
)

// kind returns the kind of one of the first three operands.
func (in *step) kind(i int) uint8 { return in.kinds >> (2 * i) & 3 }

// quick names the instructions that run executes itself, with numbers without
// gaps.
type quick uint8

const (
	slow    quick = iota // one that is executed elsewhere
	quickJe              // with two operands
	quickJe3
	quickJl
	quickJg
	quickTest // of an attribute
	quickBits
	quickJin
	quickJump  // to a place that is known
	quickLink  // likewise, but no instruction of the story
	quickMoves // like quickJl, at the beginning of a moveLoop
	quickSibling
	quickChild
	quickStep // inc_chk and dec_chk
	// Those that follow do not branch.
	quickStorew
	quickStoreb
	quickCall
	quickReturn
	quickLoadw
	quickLoadb
	quickAdd
	quickSub
	quickMul
	quickAnd
	quickOr
	quickParent
	quickProperty
	quickAddress
	quickLength
	quickMove // load and push
	// The following name a variable by its number; for variable 0 that means the
	// top of the stack, where it is.
	quickInc // adds the first operand
	quickStore

	lastBranch   = quickStep
	firstInPlace = quickInc
)

func (m *Machine) newStep(in *instruction) step {
	quick := m.quickOf(in)
	s := step{quick: quick, store: in.store, sense: in.sense, reach: in.reach, next: in.next, count: in.count}
	if quick == slow {
		return s
	}
	kinds, values := in.kinds, in.values
	switch in.op {
	case linkOp:
		s.sense = true
	case opVar | 25, opVar | 26, op2 | 26, op1 | 15: // calls without a result
		s.store, s.sense = 0, true
	case opVar | 8: // push
		s.store = 0
	case op1 | 14: // load
		kinds[0], values[0] = m.operandOf(uint8(values[0]))
	case op0 | 8: // ret_popped
		kinds[0] = stacked
	case op0: // rtrue
		values[0] = 1
	case op2 | 13, op1 | 5, op1 | 6, op2 | 4, op2 | 5: // store, inc, dec and the two with a check
		s.store = uint8(values[0])
		values[0] = 1
		if in.op == op1|6 || in.op == op2|4 {
			values[0] = 0xFFFF
		}
	}
	for i := range s.addrs {
		s.kinds |= kinds[i] << (2 * i)
		s.addrs[i] = values[i]
	}
	for i := range s.values {
		switch kinds[i] {
		case constant:
			s.values[i] = values[i]
		case local:
			s.locals[i], s.masks[i] = uint8(values[i]), 0xFFFF
		}
	}
	return s
}

// operandOf returns the operand that reads a variable other than the stack.
func (m *Machine) operandOf(v uint8) (kind uint8, value uint16) {
	if v <= maxLocals {
		return local, uint16(v) - 1
	}
	return global, m.global(v)
}

// quickOps are the quick instructions of which there is nothing else to know.
var quickOps = map[uint8]quick{
	linkOp: quickLink, op1: quickJe, // jz compares with the operand it has not
	op2 | 2: quickJl, op2 | 3: quickJg, op2 | 6: quickJin, op2 | 7: quickBits, op2 | 10: quickTest,
	op2 | 8: quickOr, op2 | 9: quickAnd, op2 | 15: quickLoadw, op2 | 16: quickLoadb, op2 | 17: quickProperty,
	op2 | 18: quickAddress,
	op2 | 20: quickAdd, op2 | 21: quickSub, op2 | 22: quickMul,
	op1 | 1: quickSibling, op1 | 2: quickChild, op1 | 3: quickParent, op1 | 4: quickLength,
	opVar | 1: quickStorew, opVar | 2: quickStoreb, opVar | 8: quickMove,
	op0: quickReturn, op0 | 1: quickReturn, op0 | 8: quickReturn, op1 | 11: quickReturn,
	opVar: quickCall, opVar | 12: quickCall, op1 | 8: quickCall, op2 | 25: quickCall,
	opVar | 25: quickCall, opVar | 26: quickCall, op2 | 26: quickCall,
}

// quickOf returns the quick instruction that an instruction is, or slow.
func (m *Machine) quickOf(in *instruction) quick {
	if known := in.kinds[0] == constant; known {
		switch in.op {
		case op1 | 12:
			return quickJump
		case op1 | 5, op1 | 6:
			return quickInc
		case op2 | 4, op2 | 5:
			return quickStep
		case op2 | 13:
			return quickStore
		case op1 | 14:
			if in.values[0] != 0 {
				return quickMove
			}
		}
	}
	switch {
	case in.op == op2|1 && in.count == 2:
		return quickJe
	case in.op == op2|1 && in.count == 3:
		return quickJe3
	case in.op == op1|15 && m.story.version >= 5:
		return quickCall
	}
	quick := quickOps[in.op]
	if quick != quickCall && in.count > operands(in.op) {
		return slow // more operands than it looks at
	}
	return quick
}

// operands is how many operands a quick instruction has that is no call.
func operands(op uint8) uint8 {
	switch {
	case op == opVar|1, op == opVar|2:
		return 3
	case op < op1:
		return 2
	}
	return 1
}
