package zmachine

// step is an instruction as run executes it.
type step struct {
	// do executes the step and returns the one that follows, or nil at the end of a run
	// of the machine.
	do func(*Machine, *step) *step
	// traced does it while calls are recorded, if that is not what do does.
	traced func(*Machine, *step) *step
	// next is where it goes on, and taken where it does if it has a condition that holds.
	next, taken *step
	of          *instruction
	values      [3]uint16 // of the operands
	kinds       uint8     // of those, two bits each
	store       uint8
	local       uint8 // the local variable that store names; if it names none, more than any
	// before is how many instructions of its run are before it. Only the last instruction
	// that is executed of a run pays, for all before it too; so who enters a run in the
	// middle gets before from the budget, and costs are what that makes of a branch.
	before uint8
	costs  [2]int8
	reach  uint8 // as in the instruction
	jumps  bool  // it does nothing else
	joins  bool  // it adds a constant to a local variable
	pc     int32 // the address behind it
}

// kind returns the kind of one of the operands.
func (in *step) kind(i int) uint8 { return in.kinds >> (2 * i) & 3 }

// quick names the instructions that have a function of their own.
type quick uint8

const (
	slow quick = iota // one that is executed elsewhere
	quickCall
	quickCallKnown // a routine that is always the same
	quickReturn
	quickJump // to a place that is known
	quickLink // likewise, but no instruction of the story
	quickJe   // with two operands
	quickJeAny
	quickJl
	quickJg
	quickTest // of an attribute
	quickBits
	quickJin
	quickMoves // like quickJl, at the beginning of a moveLoop
	quickSibling
	quickChild
	quickStep // inc_chk and dec_chk
	quickStorew
	quickStoreb
	quickGive // an attribute
	quickTake
	quickLoadw
	quickLoadb
	quickAdd
	quickSub
	quickMul
	quickDiv
	quickMod
	quickAnd
	quickOr
	quickParent
	quickProperty
	quickAddress
	quickLength
	quickMove // load and push
	quickPrint
	// The following name a variable by its number; for variable 0 that means the
	// top of the stack, where it is.
	quickInc  // adds the first operand
	quickPull // which is popped
	quickStore
	quicks // how many there are
)

func (s *Story) newStep(in *instruction) step {
	st := step{of: in, store: in.store, reach: in.reach, pc: in.next}
	quick := s.quickOf(in)
	if in.loop != nil {
		quick = quickMoves
	}
	if st.do = s.code.performs[quick]; quick == slow {
		return st
	}
	if quick == quickCall {
		if in.callee = s.calleeOf(in); in.callee != nil {
			quick = quickCallKnown
		}
	}
	kinds, values := in.kinds, in.values
	switch in.op {
	case opVar | 25, opVar | 26, op2 | 26, op1 | 15: // calls without a result
		st.store = 0
	case opVar | 8: // push
		st.store = 0
	case op1 | 14: // load
		kinds[0], values[0] = s.operandOf(uint8(values[0]))
	case op0 | 8: // ret_popped
		kinds[0] = stacked
	case op0: // rtrue
		values[0] = 1
	case opVar | 9: // pull
		st.store = uint8(values[0])
		kinds[0] = stacked
	case op2 | 13, op1 | 5, op1 | 6, op2 | 4, op2 | 5: // store, inc, dec and the two with a check
		st.store = uint8(values[0])
		values[0] = 1
		if in.op == op1|6 || in.op == op2|4 {
			values[0] = 0xFFFF
		}
	}
	for i := range st.values {
		st.kinds |= kinds[i] << (2 * i)
		st.values[i] = values[i]
	}
	s.specialize(&st, quick)
	return st
}

// specialize chooses what executes a step with such operands.
func (s *Story) specialize(in *step, quick quick) {
	v := &in.values
	switch { // a variable that is not on the stack is a place like any other
	case in.store == 0:
	case quick == quickInc:
		kind, operand := s.operandOf(in.store)
		quick, in.kinds, v[0], v[1] = quickAdd, kind, operand, v[0]
	case quick == quickStore:
		quick, in.kinds, v[0] = quickMove, in.kind(1), v[1]
	case quick == quickPull:
		quick = quickMove
	}
	in.order(&quick)
	if in.kind(1) == constant && quick == quickSub {
		quick, v[1] = quickAdd, -v[1]
	}
	in.local = in.store - 1
	in.jumps = quick == quickJump || quick == quickLink
	in.joins = quick == quickAdd && in.kinds == kindsLC && in.local < maxLocals
	in.do = s.code.performs[quick]
	if quick == quickCallKnown {
		in.traced = performCall
	}
	if do := s.code.specials[shape{quick, in.kinds}]; do != nil {
		in.do, in.traced = do, in.do
	}
}

// order lets a constant, popped or local operand be the second one where that means the
// same.
func (in *step) order(quick *quick) {
	a, b := in.kind(0), in.kind(1)
	if !(a == constant && b != constant) && !(a == local && b == global) && !(a == stacked && b >= local) {
		return
	}
	switch *quick {
	case quickJe, quickAdd, quickAnd:
	case quickJl:
		*quick = quickJg
	case quickJg:
		*quick = quickJl
	default:
		return
	}
	in.kinds = b | a<<2
	in.values[0], in.values[1] = in.values[1], in.values[0]
}

// operandOf returns the operand that reads a variable other than the stack.
func (s *Story) operandOf(v uint8) (kind uint8, value uint16) {
	if v <= maxLocals {
		return local, uint16(v) - 1
	}
	return global, s.global(v)
}

// quickOps are the quick instructions of which there is nothing else to know.
var quickOps = map[uint8]quick{
	linkOp: quickLink, op1: quickJe, // jz compares with the operand it has not
	op2 | 2: quickJl, op2 | 3: quickJg, op2 | 6: quickJin, op2 | 7: quickBits, op2 | 10: quickTest,
	op2 | 8: quickOr, op2 | 9: quickAnd, op2 | 15: quickLoadw, op2 | 16: quickLoadb, op2 | 17: quickProperty,
	op2 | 18: quickAddress,
	op2 | 11: quickGive, op2 | 12: quickTake,
	op2 | 20: quickAdd, op2 | 21: quickSub, op2 | 22: quickMul, op2 | 23: quickDiv, op2 | 24: quickMod,
	op1 | 1: quickSibling, op1 | 2: quickChild, op1 | 3: quickParent, op1 | 4: quickLength,
	opVar | 1: quickStorew, opVar | 2: quickStoreb, opVar | 5: quickPrint, opVar | 8: quickMove,
	op0: quickReturn, op0 | 1: quickReturn, op0 | 8: quickReturn, op1 | 11: quickReturn,
	opVar: quickCall, opVar | 12: quickCall, op1 | 8: quickCall, op2 | 25: quickCall,
	opVar | 25: quickCall, opVar | 26: quickCall, op2 | 26: quickCall,
}

// quickOf returns the quick instruction that an instruction is, or slow.
func (s *Story) quickOf(in *instruction) quick {
	switch {
	case in.op == op2|1 && in.count == 2:
		return quickJe
	case in.op == op2|1 && in.count >= 2:
		return quickJeAny
	}
	quick := quickOps[in.op]
	if in.op == op1|15 && s.version >= 5 {
		quick = quickCall
	}
	if quick != quickCall && in.count > operands(in.op) {
		return slow // more operands than it looks at
	}
	if in.kinds[0] == constant {
		switch in.op {
		case op1 | 12:
			return quickJump
		case op1 | 5, op1 | 6:
			return quickInc
		case op2 | 4, op2 | 5:
			return quickStep
		case op2 | 13:
			return quickStore
		case opVar | 9:
			return quickPull
		case op1 | 14:
			if in.values[0] != 0 {
				return quickMove
			}
		}
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
