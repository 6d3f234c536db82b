package zmachine

import (
	"math/bits"
	"slices"
)

// trace is what a recorded call did with values that have shadows, which are those of
// its beginning.
type trace struct {
	sensed     []block // bytes that had a shadow when it read them
	conditions []condition
	moves      []where // bytes that it wrote, with shadows
	result     shadow
	behind     []shadow // numbers that it showed behind the last colon
}

// eachByte calls a function with the addresses of bytes.
func eachByte(b block, do func(addr uint16)) {
	for set := b.bytes; set != 0; set &= set - 1 {
		do(b.number<<blockBits | uint16(bits.TrailingZeros64(set)))
	}
}

// hit notes that the current instruction, or a call that is found, reads bytes that
// have shadows.
func (m *memo) hit(rec *recording, b block) {
	eachByte(b, func(a uint16) { m.hits = append(m.hits, where{a, m.shadows.bytes[a]}) })
	if b.bytes &^= rec.known.masks[b.number]; b.bytes != 0 {
		rec.sensed = append(rec.sensed, b)
	}
}

// require adds a condition to those of the innermost recording.
func (m *memo) require(c condition) {
	top := m.top()
	if !slices.Contains(top.conditions, c) {
		top.conditions = append(top.conditions, c)
	}
}

// compared adds the condition that a value compares as it does now.
func (m *memo) compared(x shadow, t test, with uint16) {
	if x.of != nothing {
		m.require(condition{x.formula, t, t.compare(x.value(), with), x.base, with})
	}
}

// pin adds the condition that a value is what it is now, or a byte of it.
func (m *memo) pin(x shadow) {
	if x.part == high {
		if y, known := x.then(arithmetic{op: opHigh}); known {
			x = y
		}
	}
	m.compared(x, equal, x.value())
}

// pinHits takes as it is what the current instruction has read.
func (m *memo) pinHits() {
	for _, h := range m.hits {
		m.pin(h.shadow)
	}
	m.hits = m.hits[:0]
}

// enterLevel begins a recording inside another one: shadows are now those of its
// beginning.
func (m *Machine) enterLevel(outer, rec *recording) {
	memo := m.memo
	for _, a := range outer.moved {
		if memo.has(a) {
			if x := memo.shadows.bytes[a]; x != m.home(a) {
				rec.saved = append(rec.saved, where{a, x})
				memo.shadows.bytes[a] = m.home(a)
			}
		}
	}
}

// trace returns what a call did with shadows, or 0 if that is nothing.
func (m *memo) trace(rec *recording) int32 {
	t := trace{result: m.passing}
	for _, a := range rec.moved {
		if m.has(a) && !slices.ContainsFunc(t.moves, func(w where) bool { return w.addr == a }) {
			t.moves = append(t.moves, where{a, m.shadows.bytes[a]})
		}
	}
	if len(rec.sensed) == 0 && len(t.moves) == 0 && t.result.of == nothing {
		return 0
	}
	t.sensed, t.conditions, t.behind = slices.Clone(rec.sensed), slices.Clone(rec.conditions), slices.Clone(rec.behind)
	m.traces = push(m.traces, t)
	return int32(len(m.traces) - 1)
}

// leaveLevel ends a recording inside another one: shadows are again those of the
// beginning of that.
func (m *Machine) leaveLevel(outer, rec *recording) {
	memo := m.memo
	var moves []where
	for _, a := range rec.moved {
		if memo.has(a) {
			moves = append(moves, where{a, memo.shadows.bytes[a]})
		}
	}
	for _, w := range rec.saved {
		number, bit := locate(w.addr)
		if rec.written.masks[number]&bit == 0 {
			memo.setByte(w.addr, w.shadow)
		}
	}
	at := func(a uint16, value byte) shadow {
		for i := range rec.saved {
			if rec.saved[i].addr == a {
				return rec.saved[i].shadow
			}
		}
		return homeOf(a, value)
	}
	// The conditions are noted in the recording around it.
	memo.open--
	for _, c := range rec.conditions {
		memo.carry(c, at)
	}
	if rec.colon {
		outer.noteColon()
	}
	for _, x := range rec.behind {
		outer.behind = append(outer.behind, memo.rebase(x, at))
	}
	for i := range moves {
		moves[i].shadow = memo.rebaseByte(moves[i].shadow, at)
	}
	memo.passing = memo.rebase(memo.passing, at)
	for i := rec.base - frameWords*rec.depth; i < memo.upper; i++ { // if the call is not over
		if memo.marks(i) {
			memo.setWord(i, memo.rebase(memo.word(i), at))
		}
	}
	memo.open++
	for _, w := range moves {
		memo.setByte(w.addr, w.shadow)
		outer.moved = append(outer.moved, w.addr)
	}
}

// rebase returns a shadow of the beginning of a call as one of the recording around it,
// in which bytes have certain shadows; at returns that of a byte which had a value.
func (m *memo) rebase(x shadow, at func(addr uint16, value byte) shadow) shadow {
	var y shadow
	known := true
	switch x.of {
	case nothing:
		return x
	case aByte:
		if y, known = at(x.addr, byte(x.base)).asByte(); !known {
			m.pin(y)
		}
	case aWord:
		hi, lo := at(x.addr, byte(x.base>>8)), at(x.addr+1, byte(x.base))
		if y, known = join(hi, lo); !known {
			m.pin(hi)
			m.pin(lo)
		}
	}
	if !known || y.of == nothing {
		return shadow{}
	}
	f, ok := x.behind(y.formula)
	if !ok {
		m.pin(y)
		return shadow{}
	}
	return shadow{formula: f, part: x.part, base: y.base}
}

// rebaseByte is rebase for the shadow of a byte in memory.
func (m *memo) rebaseByte(x shadow, at func(addr uint16, value byte) shadow) shadow {
	if x.of == aByte && x.part == whole && x.plain() {
		return at(x.addr, byte(x.base))
	}
	return m.rebase(x, at)
}

// carry adds a condition of a call to those of the recording around it.
func (m *memo) carry(c condition, at func(addr uint16, value byte) shadow) {
	x := m.rebase(shadow{formula: c.formula, base: c.base}, at)
	if x.of != nothing {
		c.formula, c.base = x.formula, x.base
		m.require(c)
	}
}

// senses reports whether a call took a byte as one with a shadow.
func (t *trace) senses(addr uint16) bool {
	number, bit := locate(addr)
	return slices.ContainsFunc(t.sensed, func(b block) bool { return b.number == number && b.bytes&bit != 0 })
}

// blind reports whether a call that is found took bytes as they were that now have
// shadows, and should be recorded again.
func (m *memo) blind(o *outcome) bool {
	return o.again < mostAgain &&
		slices.ContainsFunc(m.hits, func(h where) bool { return !m.traces[o.trace].senses(h.addr) })
}

// mostAgain is how many times a call is recorded again at most.
const mostAgain = 3

// present is the shadow of a byte in memory.
func (s *shadows) present(addr uint16, _ byte) shadow { return s.byteAt(addr) }

// relive does to shadows what a call did that is found, which has just read what hits
// say. What it wrote is still to be written.
func (m *Machine) relive(o *outcome) (moves []where, result shadow) {
	memo := m.memo
	if len(memo.hits) == 0 {
		return nil, shadow{}
	}
	t := &memo.traces[o.trace]
	for _, h := range memo.hits {
		if !t.senses(h.addr) {
			memo.pin(h.shadow)
		}
	}
	memo.hits = memo.hits[:0]
	for _, c := range t.conditions {
		memo.carry(c, memo.present)
	}
	for _, x := range t.behind {
		memo.top().behind = append(memo.top().behind, memo.rebase(x, memo.present))
	}
	for _, w := range t.moves {
		moves = append(moves, where{w.addr, memo.rebaseByte(w.shadow, memo.present)})
	}
	return moves, memo.rebase(t.result, memo.present)
}

// move gives shadows to bytes that were written.
func (m *memo) move(moves []where) {
	for _, w := range moves {
		m.setByte(w.addr, w.shadow)
		if w.of != nothing {
			m.top().moved = append(m.top().moved, w.addr)
		}
	}
}
