package zmachine

import "sync/atomic"

// back returns from a routine, and the step that follows.
func (m *Machine) back(in *step, value uint16) *step {
	depth := m.depth - 1
	if depth < 0 || m.tracing {
		return m.backAnywhere(in, value)
	}
	f, caller := &m.frames[depth], m.callers[depth]
	if caller == nil || caller.pc != f.pc {
		return m.backAnywhere(in, value)
	}
	m.depth, m.sp, m.fp, m.base, m.argc = depth, m.fp, int(f.fp), int(f.base), f.argc
	m.frame = m.locals()
	if f.store != discard && m.deliver(caller, value) == nil {
		return nil
	}
	return m.enter(caller.next)
}

// backAnywhere is back while calls are recorded, or to what need not be known.
func (m *Machine) backAnywhere(in *step, value uint16) *step {
	m.ret(value)
	if m.fault == nil {
		if caller := m.callers[m.depth]; caller != nil && int(caller.pc) == m.pc {
			return m.enter(caller.next)
		}
	}
	return m.resume(in)
}

// enter returns the step in a run that begins with it.
func (m *Machine) enter(in *step) *step {
	m.budget += int(in.before)
	return in
}

// resume returns the step at pc, behind one that may have changed that and the frame.
func (m *Machine) resume(in *step) *step {
	if m.fault != nil {
		return m.stop(in)
	}
	m.frame = m.locals()
	if in.next != nil && m.pc == int(in.pc) {
		return m.enter(in.next)
	}
	return m.fetch()
}

func returnC(m *Machine, in *step) *step {
	if !m.pay(in) {
		return m.stop(in)
	}
	m.pc = int(in.pc)
	return m.back(in, in.values[0])
}

func returnL(m *Machine, in *step) *step {
	if !m.pay(in) {
		return m.stop(in)
	}
	m.pc = int(in.pc)
	return m.back(in, m.local(in.values[0]))
}

func returnS(m *Machine, in *step) *step {
	switch {
	case m.sp <= m.base:
		return performReturn(m, in)
	case !m.pay(in):
		return m.stop(in)
	}
	m.pc = int(in.pc)
	m.sp--
	return m.back(in, m.stack[m.sp])
}

func performReturn(m *Machine, in *step) *step {
	if !m.pay(in) {
		return m.stop(in)
	}
	value, _ := m.operands(in)
	return m.back(in, value)
}

// performCall calls a routine.
func performCall(m *Machine, in *step) *step {
	if !m.pay(in) {
		return m.stop(in)
	}
	of := in.of
	m.pc = int(in.pc)
	m.count = int(of.count)
	for i := range max(m.count, 1) {
		m.args[i&7] = m.operand(of.kinds[i&7], of.values[i&7])
	}
	depth := m.depth
	if m.call(of.result); m.depth > depth {
		m.callers[depth] = in
	}
	return m.resume(in)
}

// callKnown calls a routine in constant memory.
func callKnown(m *Machine, in *step) *step {
	of := in.of
	c := of.callee
	if m.memo != nil || m.sp+c.locals+frameWords*(m.depth+1) > stackSize {
		return performCall(m, in)
	}
	if !m.pay(in) {
		return m.stop(in)
	}
	m.pc = int(in.pc)
	m.count = int(of.count)
	for i := 1; i < m.count; i++ {
		v := of.values[i&7]
		switch of.kinds[i&7] {
		case local:
			v = m.local(v)
		case global:
			v = m.word(v)
		case stacked:
			v = m.pop()
		}
		m.args[i&7] = v
	}
	m.callers[m.depth] = in
	m.pushFrame(int(in.pc), c.locals, of.result, &c.values)
	if first := c.first.Load(); first != nil {
		return m.enter(first)
	}
	m.pc = c.pc
	first := m.fetch()
	c.first.Store(first)
	return first
}

// callee is a routine in constant memory.
type callee struct {
	pc, locals int
	values     [window]uint16       // with which the local variables begin
	first      atomic.Pointer[step] // nil until it has been called
}

// calleeOf returns what an instruction calls, or nil if that may change.
func (s *Story) calleeOf(in *instruction) *callee {
	addr := int(in.values[0])*s.scale + s.routines
	if in.kinds[0] != constant || in.values[0] == 0 || !s.constant(addr) || s.image[addr] > maxLocals {
		return nil
	}
	c := &callee{locals: int(s.image[addr])}
	if c.values, c.pc = s.valuesAt(s.image[:cap(s.image)], addr); !s.constant(c.pc) {
		return nil
	}
	return c
}
