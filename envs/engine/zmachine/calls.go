package zmachine

// window is how many words above the beginning of a frame instructions see at once, a power of
// two; local variables are in all but the last.
const window = maxLocals + 1

// locals are the places of the local variables.
func (m *Machine) locals() *[window]uint16 { return (*[window]uint16)(m.stack[m.fp:]) }

// local returns a local variable that is an operand.
func (m *Machine) local(v uint16) uint16 { return m.frame[v%window] }

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
	m.pushFrame(store, count)
	m.pc = addr + 1
	if m.story.version < 5 {
		for i := range count {
			m.frame[i%window] = uint16(m.mem[m.pc])<<8 | uint16(m.mem[m.pc+1])
			m.pc += 2
		}
	}
	for i := range min(count, m.count-1) {
		m.frame[i%window] = m.args[(i+1)&7]
	}
}

// pushFrame makes the frame of a routine with local variables that are 0.
func (m *Machine) pushFrame(store int16, count int) {
	f := &m.frames[m.depth] // whose fields are set one by one, since they are read like that soon
	f.pc, f.fp, f.base, f.argc, f.store = int32(m.pc), uint16(m.fp), uint16(m.base), m.argc, store
	m.depth++
	m.fp = m.sp
	m.sp += count
	m.base = m.sp
	m.argc = uint8(m.count - 1)
	m.frame = m.locals()
	*m.frame = [window]uint16{}
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
