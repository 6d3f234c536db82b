package zmachine

// run executes instructions up to a read for which there is no input.
func (m *Machine) run() {
	m.frame = m.locals()
	in := m.fetch()
	if m.memo == nil {
		for in != nil {
			in = in.do(m, in)
		}
		return
	}
	for in != nil {
		if m.tracing && int(in.reach) > m.base-m.fp {
			m.abandon()
		}
		if m.tracing && in.traced != nil {
			in = in.traced(m, in)
		} else {
			in = in.do(m, in)
		}
	}
}

// arg returns an operand that may be left out.
func (m *Machine) arg(i int) uint16 {
	if i >= m.count {
		return 0
	}
	return m.args[i]
}

// execute executes an instruction whose operands have been evaluated.
func (m *Machine) execute(in *instruction) {
	switch op := in.op; {
	case op < op1:
		m.execute2(in)
	case op < op0:
		m.execute1(in)
	case op < opVar:
		m.execute0(in)
	case op < opExt:
		m.executeVar(in)
	case op == illegal:
		m.fail(IllegalOpcode)
	default:
		m.executeExt(in)
	}
}

// branch goes where a branch leads if the condition is the wanted one.
func (m *Machine) branch(in *instruction, condition bool) {
	if condition != in.sense || m.fault != nil {
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
	values, pc := m.story.valuesAt(m.mem, addr)
	m.pushFrame(m.pc, count, store, &values)
	m.pc = pc
	if m.tracing {
		m.noteHeight()
	}
}

// valuesAt returns the values with which the local variables of a routine begin, and the
// address of its first instruction.
func (s *Story) valuesAt(mem []byte, addr int) (values [window]uint16, pc int) {
	pc = addr + 1
	if s.version >= 5 {
		return values, pc
	}
	for i := range mem[addr] {
		values[i%window] = uint16(mem[pc])<<8 | uint16(mem[pc+1])
		pc += 2
	}
	return values, pc
}

// pushFrame makes the frame of a routine that returns to an address, with values of its
// local variables, of which there are count, and the arguments in the first of them.
func (m *Machine) pushFrame(pc, count int, store int16, values *[window]uint16) {
	f := &m.frames[m.depth] // whose fields are set one by one, since they are read like that soon
	f.pc, f.fp, f.base, f.argc, f.store = int32(pc), uint16(m.fp), uint16(m.base), m.argc, store
	m.depth++
	m.fp = m.sp
	m.sp += count
	m.base = m.sp
	m.argc = uint8(m.count - 1)
	m.frame = m.locals()
	*m.frame = *values
	for i := range min(count, m.count-1) {
		m.frame[i%window] = m.args[(i+1)&7]
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
	m.frame = m.locals()
	switch v := f.store; {
	case v > 0 && v <= maxLocals:
		m.frame[v-1] = value
	case v != discard:
		m.setVariable(uint8(v), value)
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
