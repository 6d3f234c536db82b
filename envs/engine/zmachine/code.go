package zmachine

import (
	"container/heap"
	"sort"
	"sync"
	"sync/atomic"
)

// code is what has been decoded of a story. Instructions in constant memory are decoded
// once, when one of the story's machines comes to them; all of them share it.
type code struct {
	mu    sync.Mutex // who adds to it, or to the texts
	steps pages[step]
	texts pages[text]
	kept  int // bytes of the texts
	// What executes steps, by their instruction, and by their shape too.
	performs [quicks]func(*Machine, *step) *step
	specials map[shape]func(*Machine, *step) *step
	// Where branches lead that return from the routine with 0 or 1.
	zero, one step
	// Where a step goes on that has used up the budget.
	spent step
}

// pages hold something for addresses of a story. They may be read at any time.
type pages[T any] []atomic.Pointer[page[T]]

type page[T any] [pageSize]atomic.Pointer[T]

const (
	pageSize   = 1 << 8
	longestRun = 120
	// mostJumps is how many jumps, at most, a branch follows at once.
	mostJumps = 4
	// opcodeJump is a jump by a constant.
	opcodeJump = 0x8C
)

func newCode(size int) *code {
	n := size/pageSize + 1
	return &code{
		steps: make(pages[step], n), texts: make(pages[text], n), performs: performs(), specials: specials(),
		zero:  step{do: func(m *Machine, in *step) *step { return m.back(in, 0) }},
		one:   step{do: func(m *Machine, in *step) *step { return m.back(in, 1) }},
		spent: step{do: func(m *Machine, _ *step) *step { return m.halt() }},
	}
}

// at returns what there is for an address, or nil.
func (p pages[T]) at(addr int) *T {
	if here := p[addr/pageSize].Load(); here != nil {
		return here[addr%pageSize].Load()
	}
	return nil
}

// put puts something in for an address; only one may do so at a time.
func (p pages[T]) put(addr int, x *T) {
	here := p[addr/pageSize].Load()
	if here == nil {
		here = new(page[T])
		p[addr/pageSize].Store(here)
	}
	here[addr%pageSize].Store(x)
}

// fetch returns the step of the instruction at pc, in a run that is entered there.
func (m *Machine) fetch() *step {
	switch {
	case m.pc < 0 || m.pc >= m.story.Size():
		m.fail(JumpRange)
		return m.halt()
	case m.pc < m.story.dynamic:
		in := m.story.decode(m.mem, m.pc)
		m.scratch.of, m.scratch.pc = &in, in.next
		return &m.scratch
	}
	in := m.story.code.steps.at(m.pc)
	if in == nil {
		in = m.story.layOut(m.pc)
	}
	return m.enter(in)
}

// layer lays out code: decoded instructions in runs, of which each goes on to the one
// behind it unless it branches, jumps, calls or returns.
type layer struct {
	*Story
	fresh   map[int]*step // by address
	steps   []*step       // those, in order
	targets addresses     // to which there are branches
}

// addresses are a heap.
type addresses struct{ sort.IntSlice }

// Push adds an address.
func (a *addresses) Push(x any) { a.IntSlice = append(a.IntSlice, x.(int)) }

// Pop takes the last one away.
func (a *addresses) Pop() any {
	last := len(a.IntSlice) - 1
	x := a.IntSlice[last]
	a.IntSlice = a.IntSlice[:last]
	return x
}

// layOut decodes the instruction at an address of constant memory and all to which it
// leads inside its routine, unless that is done, and returns its step.
func (s *Story) layOut(pc int) *step {
	s.code.mu.Lock()
	defer s.code.mu.Unlock()
	l := layer{Story: s, fresh: map[int]*step{}, targets: addresses{[]int{pc}}}
	for len(l.targets.IntSlice) > 0 { // the first in memory, so that runs seldom meet others
		l.run(heap.Pop(&l.targets).(int))
	}
	for _, in := range l.steps {
		l.link(in)
	}
	for _, in := range l.steps {
		in.join()
	}
	for at, in := range l.fresh { // now they are complete
		s.code.steps.put(at, in)
	}
	return s.code.steps.at(pc)
}

// known returns the step of an instruction that has been decoded, or nil.
func (l *layer) known(pc int) *step {
	if in := l.fresh[pc]; in != nil {
		return in
	}
	return l.code.steps.at(pc)
}

// run decodes the instructions from an address on, as long as one goes on to the next.
func (l *layer) run(pc int) {
	var run []instruction
	goesOn := true
	for at := pc; goesOn && l.constant(at) && l.known(at) == nil && len(run) < longestRun; {
		run = append(run, l.decode(l.image[:cap(l.image)], at))
		in := &run[len(run)-1]
		at = int(in.next)
		goesOn = !in.leaves()
	}
	if len(run) == 0 {
		return
	}
	if goesOn {
		next := run[len(run)-1].next
		run = append(run, instruction{op: linkOp, at: -1, next: next, target: next, sense: true})
	}
	if loop, n, ok := findMoveLoop(run); ok {
		run[n].loop = &loop
	}
	steps := make([]step, len(run))
	for i := range run {
		in := &run[i]
		steps[i] = l.newStep(in)
		steps[i].before = uint8(i)
		if i > 0 {
			steps[i-1].next = &steps[i]
		}
		if in.op != linkOp {
			l.fresh[int(in.at)] = &steps[i]
		}
		l.steps = append(l.steps, &steps[i])
		if to, _ := l.behindJumps(int(in.target)); l.constant(to) {
			heap.Push(&l.targets, to)
		}
	}
}

// constant reports whether an address is in memory that cannot change.
func (s *Story) constant(addr int) bool { return addr >= s.dynamic && addr < s.Size() }

// behindJumps returns the address to which jumps lead that begin at an address, and how
// many they are.
func (s *Story) behindJumps(addr int) (to, jumps int) {
	image := s.image[:cap(s.image)]
	for jumps < mostJumps && s.constant(addr) && image[addr] == opcodeJump {
		addr = max(addr+1+int(int16(uint16(image[addr+1])<<8|uint16(image[addr+2]))), 0)
		jumps++
	}
	return addr, jumps
}

// link sets where a step goes on that branches itself, and what that costs.
func (l *layer) link(in *step) {
	op := in.of.op
	if l.quickOf(in.of) == slow || op != linkOp && op != op1|12 && l.form(op)&branches == 0 {
		return
	}
	in.next, in.costs[0] = l.way(in, in.of.next)
	in.taken, in.costs[1] = l.way(in, in.of.target)
	if !in.of.sense {
		in.next, in.taken = in.taken, in.next
		in.costs[0], in.costs[1] = in.costs[1], in.costs[0]
	}
}

// way returns where a step goes on that branches to an address or back from the
// routine, and the cost.
func (l *layer) way(from *step, addr int32) (*step, int8) {
	cost := int(from.before) + 1
	if from.of.op == linkOp {
		cost--
	}
	switch addr {
	case returnFalse:
		return &l.code.zero, int8(cost)
	case returnTrue:
		return &l.code.one, int8(cost)
	}
	to, jumps := l.behindJumps(int(addr))
	cost += jumps
	if l.constant(to) {
		if in := l.known(to); in != nil {
			return in, int8(cost - int(in.before))
		}
	}
	return &step{do: goElsewhere, pc: int32(to), of: from.of}, int8(cost)
}

// join makes one step of two, at the end of most loops: one adds to a local variable, the
// other jumps. It is executed while calls are recorded, too, so that the budget is used up
// at the same address.
func (in *step) join() {
	if jump := in.next; in.joins && jump.jumps {
		in.do, in.traced = addLCJump, nil
		in.taken, in.costs[1] = jump.taken, jump.costs[1]
	}
}
