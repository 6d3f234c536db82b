package zmachine

import (
	"bytes"
	"math/bits"
	"slices"
)

// Volatile is what differs between two moments that are otherwise alike.
type Volatile struct {
	bytes []block
	slots []uint16 // words of the stack
	masks []uint64 // of bytes, by block
}

// Watch says what is noted of commands; see Machine.Watch.
type Watch struct {
	Volatile *Volatile
	// Sinks are the addresses of bytes that are looked at behind a command.
	Sinks []int
	// Numbers says of which numbers the text matters. That of others may be any.
	Numbers Numbers
}

// Numbers are some of the numbers that a command shows.
type Numbers uint8

// The numbers whose text may matter.
const (
	NoNumbers          Numbers = iota
	NumbersBehindColon         // those behind the last colon
	AllNumbers
)

// Attempt is what a command looked at. It does the same at every moment at which all of
// that is as it was.
type Attempt struct {
	conditions []condition
	units      []uint16 // with bytes that it read and that are not volatile
}

// unitBits is how many bits of an address are the place in a unit of memory.
const unitBits = 4

// Size is about how many bytes of memory an attempt takes.
func (a *Attempt) Size() int { return 64 + 48*len(a.conditions) + 2*len(a.units) }

// Differences returns what differs between two moments of a story.
func Differences(a, b *Snapshot) *Volatile {
	v := &Volatile{masks: make([]uint64, len(a.memory)/blockSize+1)}
	for i := headerSize; i < len(a.memory); i++ {
		if a.memory[i] == b.memory[i] {
			continue
		}
		for n := max(i-1, headerSize); n <= min(i+1, len(a.memory)-1); n++ { // a word changes as a whole
			number, bit := locate(uint16(n))
			v.masks[number] |= bit
		}
	}
	for i := range min(a.state.sp, b.state.sp) {
		if a.state.stack[i] != b.state.stack[i] {
			v.slots = append(v.slots, uint16(i))
		}
	}
	v.list()
	return v
}

// list lists the bytes of the masks.
func (v *Volatile) list() {
	v.bytes = nil
	for n, mask := range v.masks {
		if mask != 0 {
			v.bytes = append(v.bytes, block{uint16(n), mask})
		}
	}
}

// Join returns what is volatile by one or the other; the first may be nil.
func (v *Volatile) Join(o *Volatile) *Volatile {
	if v == nil {
		return o
	}
	both := &Volatile{masks: slices.Clone(v.masks), slots: slices.Clone(v.slots)}
	for n, mask := range o.masks {
		both.masks[n] |= mask
	}
	for _, i := range o.slots {
		if !slices.Contains(both.slots, i) {
			both.slots = append(both.slots, i)
		}
	}
	both.list()
	return both
}

// Watch makes a machine that remembers note what commands look at, or no longer if w is nil.
func (m *Machine) Watch(w *Watch) { m.memo.watch, m.memo.noted = w, false }

// Attempt returns what the last command looked at; ok is false if that is not known,
// because of random numbers for example.
func (m *Machine) Attempt() (a Attempt, ok bool) { return m.memo.attempt, m.memo.noted }

// beginAttempt begins to note what a command looks at.
func (m *Machine) beginAttempt() {
	memo := m.memo
	m.reset(true)
	m.tracing = true
	rec := memo.begin(len(memo.off))
	rec.routine, rec.depth, rec.budget = nil, -1, m.budget
	rec.base, rec.high = m.height(), m.height()
	rec.did = len(memo.did)
	memo.attempt, memo.noted, memo.draws = Attempt{}, false, 0
}

// settleRead settles the shadows behind the read with which an attempt begins.
func (m *Machine) settleRead(in *instruction) {
	m.memo.pinHits()
	if in.result != discard {
		m.setVariableShadow(in.store, shadow{})
	}
}

// leave is called before an instruction that a routine cannot do to be remembered. An
// attempt goes on if what the instruction does follows from what it reads, and is over if
// the next command is wanted.
func (m *Machine) leave(in *step) {
	memo := m.memo
	if in.of != nil && memo.levels[0].routine == nil {
		m.flatten()
		switch {
		case in.of.op == opVar|7 || in.of.op == opVar|27 || in.of.op == opExt|9:
			return // random, tokenise, and save_undo, which fails
		case in.of.waits && !m.input.ready:
			m.endAttempt()
		}
	}
	m.abandon()
}

// flatten ends all recordings inside an attempt.
func (m *Machine) flatten() {
	memo := m.memo
	for memo.open > 1 {
		outer, rec := memo.levels[memo.open-2], memo.top()
		rec.routine.credit -= failureCost + rec.budget - m.budget
		outer.takeOver(rec)
		m.leaveLevel(outer, rec)
		memo.end()
	}
}

// endAttempt notes what a command looked at.
func (m *Machine) endAttempt() {
	memo := m.memo
	for _, a := range memo.watch.Sinks {
		memo.pin(memo.byteAt(uint16(a)))
	}
	for _, x := range memo.top().behind {
		memo.pin(x)
	}
	top := memo.top()
	memo.attempt, memo.noted = Attempt{slices.Clone(top.conditions), slices.Clone(memo.unitsOf(top))}, true
}

// unitsOf returns the units with bytes that are not volatile and that a command read.
func (m *memo) unitsOf(rec *recording) []uint16 {
	m.units = m.units[:0]
	note := func(number uint16, set uint64) {
		for set &^= m.watch.Volatile.masks[number]; set != 0; {
			i := bits.TrailingZeros64(set) >> unitBits
			set &^= 0xFFFF << (i << unitBits)
			if bit := uint8(1) << i; m.seen[number]&bit == 0 {
				m.seen[number] |= bit
				m.units = append(m.units, number<<(blockBits-unitBits)|uint16(i))
			}
		}
	}
	for _, r := range rec.reads {
		if r.off {
			number, bit := locate(r.place)
			note(number, bit)
		} else {
			note(r.place, r.bytes)
		}
	}
	for _, u := range m.units {
		m.seen[u>>(blockBits-unitBits)] = 0
	}
	return m.units
}

// Change says how a moment differs from an earlier one at which commands were watched.
type Change struct {
	to    *Snapshot
	units []bool // that differ
	n     int    // how many of them do
}

// Compare returns how a moment differs from an earlier one; alike is false if they
// differ in more than commands were watched for.
func (w *Watch) Compare(from, to *Snapshot) (c *Change, alike bool) {
	if !w.Volatile.alike(from, to) {
		return nil, false
	}
	for _, a := range w.Sinks {
		if a < len(from.memory) && from.memory[a] != to.memory[a] {
			return nil, false
		}
	}
	c = &Change{to: to, units: make([]bool, len(to.memory)>>unitBits+1)}
	for i, x := range from.memory {
		if number, bit := locate(uint16(i)); x != to.memory[i] && w.Volatile.masks[number]&bit == 0 {
			if !c.units[i>>unitBits] {
				c.n++
			}
			c.units[i>>unitBits] = true
		}
	}
	return c, true
}

// alike reports whether two moments differ in nothing but memory, volatile words of the
// stack, random numbers, and what the next command replaces.
func (v *Volatile) alike(from, to *Snapshot) bool {
	x, y := &from.state, &to.state
	in, other := x.input, y.input
	in.action = other.action
	if from.story != to.story || x.pc != y.pc || x.sp != y.sp || x.fp != y.fp || x.base != y.base ||
		x.argc != y.argc || x.depth != y.depth || x.flags2 != y.flags2 || x.captured != y.captured ||
		x.fault != y.fault || x.random.interval != y.random.interval || x.files != y.files || in != other ||
		!bytes.Equal(from.memory[:headerSize], to.memory[:headerSize]) {
		return false
	}
	for i := range x.sp {
		if x.stack[i] != y.stack[i] && !slices.Contains(v.slots, uint16(i)) {
			return false
		}
	}
	s, t := x.screen, y.screen
	s.row[0] = t.row[0] // only get_cursor tells it, and that cannot be remembered
	clear(s.pending[s.n:])
	clear(t.pending[t.n:])
	clear(s.memory[s.streams:])
	clear(t.memory[t.streams:])
	return s == t && slices.Equal(x.frames[:x.depth], y.frames[:y.depth])
}

// Spares reports whether a command need not be tried again.
func (c *Change) Spares(a *Attempt) bool {
	for i := range a.conditions {
		if !a.conditions[i].holdsAt(c.to) {
			return false
		}
	}
	return c.n == 0 || !slices.ContainsFunc(a.units, func(u uint16) bool { return c.units[u] })
}

// Units is how many units of 16 bytes differ.
func (c *Change) Units() int { return c.n }
