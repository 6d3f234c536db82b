package zmachine

import "sync/atomic"

// code is what has been decoded of a story, by address. Instructions in constant memory are decoded once, when one of
// the story's machines comes to them; all of them share it, and may read it at any time.
type code []atomic.Pointer[instruction]

// constant reports whether an address is in memory that cannot change.
func (s *Story) constant(addr int) bool { return addr >= s.dynamic && addr < s.Size() }

// add decodes the instruction at an address of constant memory for all machines.
func (s *Story) add(pc int) *instruction {
	in := new(instruction)
	s.decode(in, s.image[:cap(s.image)], pc)
	s.code[pc].CompareAndSwap(nil, in) // unless another machine was faster
	return s.code[pc].Load()
}

// fetch returns the instruction at pc, or nil if it waits for input or does not exist.
func (m *Machine) fetch() *instruction {
	if m.pc < 0 || m.pc >= m.story.Size() {
		m.fail(JumpRange)
		return nil
	}
	in := m.story.code[m.pc].Load()
	switch {
	case in != nil:
	case m.pc < m.story.dynamic:
		in = &m.scratch
		m.story.decode(in, m.mem, m.pc)
	default:
		in = m.story.add(m.pc)
	}
	if in.waits && !m.input.ready {
		return nil
	}
	return in
}

// enter calls a routine, and fetches the instruction that follows.
func (m *Machine) enter(in *instruction) *instruction {
	depth := m.depth
	m.call(in.result())
	if m.depth == depth {
		return m.fetch()
	}
	m.callers[depth] = in
	if target := in.yes.Load(); target != nil {
		return target
	}
	if in.kind(0) == constant && m.story.constant(m.routine(in.values[0])) {
		return m.learn(in, &in.yes)
	}
	return m.fetch()
}

// back fetches the instruction to which a routine returned.
func (m *Machine) back() *instruction {
	in := m.callers[m.depth]
	if in == nil || int(in.next) != m.pc {
		return m.fetch()
	}
	if target := in.no.Load(); target != nil {
		return target
	}
	return m.learn(in, &in.no)
}

// advance fetches the instruction that follows one, behind it or where it branches.
func (m *Machine) advance(in *instruction, way *atomic.Pointer[instruction]) *instruction {
	m.pc = int(in.next)
	if in.branches && in.sense == (way == &in.yes) {
		if in.target < 0 {
			m.ret(uint16(returnFalse - in.target))
			return m.back()
		}
		m.pc = int(in.target)
	}
	return m.learn(in, way)
}

// learn fetches the instruction at pc. If in always goes on to it, in knows from then on.
func (m *Machine) learn(in *instruction, way *atomic.Pointer[instruction]) *instruction {
	lasts := m.story.constant(int(in.addr)) && m.story.constant(m.pc)
	target := m.fetch()
	if lasts && target != nil && !target.waits {
		way.Store(target)
	}
	return target
}
