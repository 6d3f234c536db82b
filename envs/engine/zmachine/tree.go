package zmachine

import "slices"

// push adds something to a long list, which doubles when it is full, and later grows by a half.
func push[T any](list []T, x T) []T {
	if len(list) == cap(list) {
		list = append(make([]T, 0, len(list)+max(len(list)/2, min(len(list), 1<<15), 1<<8)), list...)
	}
	return append(list, x)
}

// fork is a place in a tree: what a call reads there if memory is as on the
// ground as far as it looks, and then a byte that is not. Without such a byte it
// is a leaf.
type fork struct {
	same   span // blocks that are as on the ground
	addr   uint16
	leaf   bool
	target int32 // the outcome of a leaf; otherwise the first branch
	next   int32 // another fork at the same place, or 0
}

// branch is a value of the byte of a fork.
type branch struct {
	value byte
	fork  int32 // what is read next
	next  int32 // another branch of the fork, or 0
}

// find follows a tree by what is in memory now, and returns the outcome, or 0 if
// there has not been such a call. What is looked at is what the call reads.
func (m *Machine) find(root int32) (outcome int32) {
	memo := m.memo
	for i := memo.branches[root].fork; i != 0; {
		f := &memo.forks[i]
		same := memo.blocks[f.same.start:f.same.end]
		if !memo.ground.same(same) {
			i = f.next
			continue
		}
		next := int32(0)
		if !f.leaf {
			if next = memo.choose(f, m.mem[f.addr]); next == 0 {
				i = f.next
				continue
			}
		}
		if m.tracing {
			top := memo.top()
			for i := range same {
				top.noteSame(same[i].block())
			}
			if !f.leaf {
				top.noteOff(f.addr, m.mem[f.addr])
			}
		}
		if f.leaf {
			return f.target
		}
		i = memo.branches[next].fork
	}
	return 0
}

// choose returns the branch of a fork for a value, or 0. The one that was wanted
// last becomes the first.
func (m *memo) choose(f *fork, value byte) int32 {
	prev := int32(0)
	for i := f.target; i != 0; {
		b := &m.branches[i]
		if b.value == value {
			if prev != 0 {
				m.branches[prev].next = b.next
				b.next, f.target = f.target, i
			}
			return i
		}
		prev, i = i, b.next
	}
	return 0
}

// insert puts a call into a tree, by what it read.
func (m *memo) insert(root int32, reads []read, o outcome) {
	for cur := root; ; {
		m.emptyRun()
		for len(reads) > 0 && !reads[0].differs {
			m.addToRun(block{reads[0].place, reads[0].bytes})
			reads = reads[1:]
		}
		f := m.forkAt(cur, reads)
		if len(reads) == 0 {
			if m.forks[f].target == 0 {
				m.forks[f].target = int32(len(m.outcomes))
				m.outcomes = push(m.outcomes, o)
			}
			return
		}
		value := byte(reads[0].bytes)
		if cur = m.choose(&m.forks[f], value); cur == 0 {
			cur = int32(len(m.branches))
			m.branches = push(m.branches, branch{value: value, next: m.forks[f].target})
			m.forks[f].target = cur
		}
		reads = reads[1:]
	}
}

// addToRun adds bytes to those that are read one after the other, all as on the
// ground.
func (m *memo) addToRun(b block) {
	if i := m.places[b.number]; i > 0 {
		m.run[i-1].bytes |= b.bytes
		return
	}
	m.run = append(m.run, b)
	m.places[b.number] = int32(len(m.run))
}

// emptyRun begins another run.
func (m *memo) emptyRun() {
	for _, b := range m.run {
		m.places[b.number] = 0
	}
	m.run = m.run[:0]
}

// forkAt returns the fork behind a branch that belongs to the run and to the read
// behind it, of which there is none if reads is empty.
func (m *memo) forkAt(parent int32, reads []read) int32 {
	var addr uint16
	leaf := len(reads) == 0
	if !leaf {
		addr = reads[0].place
	}
	for i := m.branches[parent].fork; i != 0; i = m.forks[i].next {
		f := &m.forks[i]
		if f.leaf == leaf && f.addr == addr && slices.EqualFunc(m.blocks[f.same.start:f.same.end], m.run, isPacked) {
			return i
		}
	}
	start := int32(len(m.blocks))
	for _, b := range m.run {
		m.blocks = push(m.blocks, b.packed())
	}
	m.forks = push(m.forks, fork{same: span{start, int32(len(m.blocks))}, addr: addr, leaf: leaf,
		next: m.branches[parent].fork})
	i := int32(len(m.forks) - 1)
	m.branches[parent].fork = i
	return i
}

func isPacked(p packedBlock, b block) bool { return p.block() == b }
