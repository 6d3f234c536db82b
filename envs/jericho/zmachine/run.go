package zmachine

// run executes instructions up to a read for which there is no input.
func (m *Machine) run() {
	for m.fault == nil {
		in := m.fetch()
		if in.waits {
			if !m.input.ready {
				return
			}
			m.input.ready = false
		}
		if m.budget--; m.budget < 0 {
			m.fail(BudgetExceeded)
			return
		}
		m.pc = int(in.next)
		m.loadOperands(in)
		m.execute(in)
	}
}

// loadOperands evaluates the operands from left to right.
func (m *Machine) loadOperands(in *instruction) {
	m.count = int(in.count)
	for i := range int(in.count) & 15 {
		value := in.values[i&7]
		switch in.kinds[i&7] {
		case stacked:
			value = m.pop()
		case local:
			value = m.stack[m.fp+int(value)]
		case global:
			value = m.loadw(value)
		}
		m.args[i&7] = value
	}
}

// arg returns an operand that may be left out.
func (m *Machine) arg(i int) uint16 {
	if i >= m.count {
		return 0
	}
	return m.args[i]
}

func (m *Machine) execute(in *instruction) {
	switch {
	case in.op < op1:
		m.execute2(in)
	case in.op < op0:
		m.execute1(in)
	case in.op < opVar:
		m.execute0(in)
	case in.op < opExt:
		m.executeVar(in)
	case in.op == illegal:
		m.fail(IllegalOpcode)
	default:
		m.executeExt(in)
	}
}

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
	if addr >= len(m.index) {
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
