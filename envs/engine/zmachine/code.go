package zmachine

import (
	"sync"
	"sync/atomic"
)

// code is what has been decoded of a story. Instructions in constant memory are decoded
// once, when one of the story's machines comes to them; all of them share it.
type code struct {
	mu           sync.Mutex // who adds to it
	instructions pages[instruction]
	texts        pages[text]
	textSize     int // bytes of the texts
}

// pages hold something for addresses of a story. They may be read at any time.
type pages[T any] []atomic.Pointer[page[T]]

type page[T any] [pageSize]atomic.Pointer[T]

const pageSize = 1 << 8

func newCode(size int) *code {
	n := size/pageSize + 1
	return &code{instructions: make(pages[instruction], n), texts: make(pages[text], n)}
}

// get returns what there is for an address, or nil.
func (p pages[T]) get(addr int) *T {
	if bucket := p[addr/pageSize].Load(); bucket != nil {
		return bucket[addr%pageSize].Load()
	}
	return nil
}

// put puts something in for an address; only one may do so at a time.
func (p pages[T]) put(addr int, x *T) {
	bucket := p[addr/pageSize].Load()
	if bucket == nil {
		bucket = new(page[T])
		p[addr/pageSize].Store(bucket)
	}
	bucket[addr%pageSize].Store(x)
}

// constant reports whether an address is in memory that cannot change.
func (s *Story) constant(addr int) bool { return addr >= s.dynamic && addr < s.Size() }

// add decodes the instruction at an address of constant memory for all machines.
func (s *Story) add(pc int) *instruction {
	s.code.mu.Lock()
	defer s.code.mu.Unlock()
	in := s.code.instructions.get(pc)
	if in == nil {
		in = new(instruction)
		mem := s.image[:cap(s.image)]
		s.decode(in, mem, pc)
		s.code.instructions.put(pc, in)
	}
	return in
}

// fetch returns the instruction at pc, or nil if it waits for input or does not exist.
func (m *Machine) fetch() *instruction {
	if m.pc < 0 || m.pc >= m.story.Size() {
		m.fail(JumpRange)
		return nil
	}
	in := m.story.code.instructions.get(m.pc)
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
	if to := in.yes.Load(); to != nil {
		return to
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
	if to := in.no.Load(); to != nil {
		return to
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

// learn fetches the instruction at pc. If an instruction always goes on to that, it knows from then on.
func (m *Machine) learn(in *instruction, way *atomic.Pointer[instruction]) *instruction {
	lasts := m.story.constant(int(in.addr)) && m.story.constant(m.pc)
	to := m.fetch()
	if lasts && to != nil && !to.waits {
		way.Store(to)
	}
	return to
}
