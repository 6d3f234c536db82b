package zmachine

// run executes instructions up to a read for which there is no input. Those that
// make up most of what runs are executed here, the others by slow.
func (m *Machine) run() {
	at := m.fetch()
	code := m.code
	mem := (*[addressable + padding]byte)(m.mem)
	locals := m.locals()
	for at >= 0 {
		if m.budget--; m.budget < 0 {
			m.outOfBudget()
			return
		}
		in := &code[at]
		m.pc = int(in.next)
		if m.tracing && int(in.reach) > m.base-m.fp {
			m.abandon()
		}
		a := in.values[0] | locals[in.locals[0]%maxLocals]&in.masks[0]
		b := in.values[1] | locals[in.locals[1]%maxLocals]&in.masks[1]
		if in.kinds&far != 0 {
			if in.kinds&farFirst != 0 {
				a = m.farOperand(in.kind(0), in.addrs[0])
			}
			if in.kinds&farSecond != 0 {
				b = m.farOperand(in.kind(1), in.addrs[1])
			}
		}
		if in.quick <= lastBranch {
			var holds bool
			switch in.quick {
			case quickJe:
				holds = a == b
			case quickJe3:
				c := m.third(in)
				holds = a == b || a == c
			case quickJl:
				holds = int16(a) < int16(b)
			case quickJg:
				holds = int16(a) > int16(b)
			case quickTest:
				holds = m.testAttribute(a, b)
			case quickBits:
				holds = a&b == b
			case quickJin:
				holds = m.parentIs(a, b)
			case quickJump:
				holds = true
			case quickSibling:
				r := m.sibling(a)
				m.setVariable(in.store, r)
				holds = r != 0
			case quickChild:
				r := m.child(a)
				m.setVariable(in.store, r)
				holds = r != 0
			case quickStep:
				r := int16(m.peek(in.store) + a)
				m.poke(in.store, uint16(r))
				if int16(a) > 0 {
					holds = r > int16(b)
				} else {
					holds = r < int16(b)
				}
			case quickMoves:
				m.runMoveLoop(m.loops[at])
				holds = int16(locals[in.locals[0]%maxLocals]) < int16(b)
			case slow:
				at = m.slow(at)
				code, locals = m.code, m.locals()
				continue
			case quickLink:
				m.budget++
				holds = true
			}
			switch {
			case holds != in.sense:
				at++
			case in.taken != 0:
				at = int(in.taken)
			default:
				at = m.take(at)
				code, locals = m.code, m.locals()
			}
			continue
		}
		var r uint16
		switch in.quick {
		case quickStorew:
			c := m.third(in)
			if addr := a + 2*b; m.plain(addr) {
				mem[addr], mem[int(addr)+1] = byte(c>>8), byte(c)
			} else {
				m.storew(addr, c)
			}
			at++
			continue
		case quickStoreb:
			m.storeb(a+b, byte(m.third(in)))
			at++
			continue
		case quickCall:
			at = m.callFrom(at, in, a, b)
			code, locals = m.code, m.locals()
			continue
		case quickReturn:
			m.ret(a)
			at = m.fetch()
			code, locals = m.code, m.locals()
			continue
		case quickLoadw:
			addr := a + 2*b
			if m.tracing {
				m.noteRead(addr, 2)
			}
			r = uint16(mem[addr])<<8 | uint16(mem[int(addr)+1])
		case quickLoadb:
			if m.tracing {
				m.noteRead(a+b, 1)
			}
			r = uint16(mem[a+b])
		case quickAdd:
			r = a + b
		case quickSub:
			r = a - b
		case quickMul:
			r = a * b
		case quickAnd:
			r = a & b
		case quickOr:
			r = a | b
		case quickParent:
			r = m.parent(a)
		case quickProperty:
			r = m.property(a, b)
		case quickAddress:
			r = m.propertyAddress(a, b)
		case quickLength:
			r = m.propertyLength(a)
		case quickMove:
			r = a
		case quickInc:
			r = m.peek(in.store) + a
		case quickStore:
			r = b
		}
		if v := in.store - 1; v < maxLocals {
			locals[v] = r
		} else {
			m.assign(in, r)
		}
		at++
	}
}

// locals are the places of the local variables.
func (m *Machine) locals() *[maxLocals]uint16 { return (*[maxLocals]uint16)(m.stack[m.fp:]) }

// farOperand evaluates an operand that is not in the instruction and not in a local
// variable.
func (m *Machine) farOperand(kind uint8, addr uint16) uint16 {
	if kind == stacked {
		return m.pop()
	}
	if m.tracing {
		m.noteRead(addr, 2)
	}
	return m.word(addr)
}

// third evaluates the third operand.
func (m *Machine) third(in *step) uint16 {
	switch kind, v := in.kind(2), in.addrs[2]; kind {
	case constant:
		return v
	case local:
		return m.stack[m.fp+int(v)]
	default:
		return m.farOperand(kind, v)
	}
}

// callFrom calls a routine, with the first two operands evaluated, and returns the
// place in code of the next instruction.
func (m *Machine) callFrom(at int, in *step, a, b uint16) int {
	m.count = int(in.count)
	m.args[0], m.args[1] = a, b
	if m.count > 2 {
		m.args[2] = m.third(in)
		d := &m.details[at]
		for i := 3; i < m.count; i++ {
			m.args[i&7] = m.value(d.kinds[i&7], d.values[i&7])
		}
	}
	store := int16(in.store)
	if in.sense {
		store = discard
	}
	m.call(store)
	if m.pc == int(in.next) && at != scratch {
		return at + 1
	}
	return m.fetch()
}

// outOfBudget ends a run that may not go on: because of a fault, or because the
// budget is used up.
func (m *Machine) outOfBudget() {
	if m.tracing {
		m.abandon()
	}
	if m.fault == nil {
		m.fail(BudgetExceeded)
	}
}

// slow executes an instruction and returns the place in code of the next one, or
// -1 if the machine waits for input.
func (m *Machine) slow(at int) int {
	in := &m.details[at]
	if in.waits {
		if !m.input.ready {
			m.budget++ // it will be executed in the next step
			m.pc = int(in.at)
			return -1
		}
		m.input.ready = false
	}
	m.pc = int(in.next)
	m.count = int(in.count)
	for i := range m.count {
		v := in.values[i&7]
		switch in.kinds[i&7] {
		case local:
			v = m.stack[m.fp+int(v)]
		case global, stacked:
			v = m.value(in.kinds[i&7], v)
		}
		m.args[i&7] = v
	}
	in.execute(m, in)
	if m.pc == int(in.next) && at != scratch {
		return at + 1
	}
	return m.fetch()
}

// value evaluates an operand.
func (m *Machine) value(kind uint8, v uint16) uint16 {
	switch kind {
	case constant:
		return v
	case local:
		return m.stack[m.fp+int(v)]
	case global:
		return m.loadw(v)
	default:
		return m.pop()
	}
}

// assign stores the result of a quick instruction in what is no local variable.
func (m *Machine) assign(in *step, value uint16) {
	if in.quick >= firstInPlace {
		m.poke(in.store, value)
	} else {
		m.setVariable(in.store, value)
	}
}

// take returns the place in code of the instruction to which a branch leads, and
// remembers it unless that may change or the branch returns from the routine.
func (m *Machine) take(at int) int {
	in := &m.details[at]
	m.branch(in, in.sense)
	n := m.fetch()
	if n != scratch && in.target >= 0 {
		m.code[at].taken = int32(n)
	}
	return n
}

// arg returns an operand that may be left out.
func (m *Machine) arg(i int) uint16 {
	if i >= m.count {
		return 0
	}
	return m.args[i]
}

// executor returns what executes an instruction. The most usual have functions
// of their own, the others one for each number of operands.
func executor(op uint8) func(*Machine, *instruction) {
	switch op {
	case opVar, opVar | 12, op1 | 8, op2 | 25: // call_vs, call_vs2, call_1s, call_2s
		return (*Machine).callForResult
	case opVar | 1:
		return func(m *Machine, _ *instruction) { m.storew(m.args[0]+2*m.args[1], m.args[2]) }
	case opVar | 8:
		return func(m *Machine, _ *instruction) { m.push(m.args[0]) }
	case op1 | 11:
		return func(m *Machine, _ *instruction) { m.ret(m.args[0]) }
	case op0: // rtrue
		return func(m *Machine, _ *instruction) { m.ret(1) }
	case op0 | 1: // rfalse
		return func(m *Machine, _ *instruction) { m.ret(0) }
	case op0 | 8: // ret_popped
		return func(m *Machine, _ *instruction) { m.ret(m.pop()) }
	case op1 | 12:
		return (*Machine).jump
	}
	switch {
	case op < op1:
		return (*Machine).execute2
	case op < op0:
		return (*Machine).execute1
	case op < opVar:
		return (*Machine).execute0
	case op < opExt:
		return (*Machine).executeVar
	case op == illegal:
		return (*Machine).illegal
	default:
		return (*Machine).executeExt
	}
}

func (m *Machine) callForResult(in *instruction) { m.call(int16(in.store)) }

func (m *Machine) jump(*instruction) { m.pc += int(int16(m.args[0])) - 2 }

func (m *Machine) illegal(*instruction) { m.fail(IllegalOpcode) }

// branch goes where a branch leads if the condition is the wanted one.
func (m *Machine) branch(in *instruction, condition bool) {
	if condition != in.sense {
		return
	}
	switch in.target {
	case returnFalse:
		m.ret(0)
	case returnTrue:
		m.ret(1)
	default:
		m.pc = int(in.target)
	}
}

// call runs a routine with the operands from the second on; the first is its
// packed address. Calling address 0 does nothing and gives 0.
func (m *Machine) call(store int16) {
	if m.args[0] == 0 {
		if store != discard {
			m.setVariable(uint8(store), 0)
		}
		return
	}
	addr := m.routine(m.args[0])
	if addr >= m.story.Size() {
		m.fail(CallRange)
		return
	}
	count := int(m.mem[addr])
	if count > maxLocals {
		m.fail(CallNonRoutine)
		return
	}
	if m.sp+count+frameWords*(m.depth+1) > stackSize {
		m.fail(StackOverflow)
		return
	}
	if m.memo != nil && m.recall(store) {
		return
	}
	m.frames[m.depth] = frame{int32(m.pc), uint16(m.fp), uint16(m.base), m.argc, store}
	m.depth++
	m.fp = m.sp
	m.argc = uint8(m.count - 1)
	m.pc = addr + 1
	for i := range count {
		var value uint16
		if m.story.version <= 4 {
			b := m.mem[m.pc : m.pc+2]
			value = uint16(b[0])<<8 | uint16(b[1])
			m.pc += 2
		}
		if i+1 < m.count {
			value = m.args[i+1]
		}
		m.stack[m.sp] = value
		m.sp++
	}
	m.base = m.sp
	if m.tracing {
		m.noteHeight()
	}
}

// ret returns from a routine.
func (m *Machine) ret(value uint16) {
	if m.depth == 0 {
		m.fail(BadFrame)
		return
	}
	m.depth--
	f := &m.frames[m.depth]
	m.sp = m.fp
	m.pc, m.fp, m.base, m.argc = int(f.pc), int(f.fp), int(f.base), f.argc
	if m.tracing {
		m.returned(value)
	}
	if f.store != discard {
		m.setVariable(uint8(f.store), value)
	}
}

// throw returns from the routine that caught that frame.
func (m *Machine) throw(value, frame uint16) {
	if int(frame) > m.depth || frame == 0 {
		m.fail(BadFrame)
		return
	}
	for m.depth > int(frame) {
		m.depth--
		m.fp = int(m.frames[m.depth].fp)
	}
	m.ret(value)
}
