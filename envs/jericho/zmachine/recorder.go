package zmachine

// recorder notes what calls read and write. Calls in calls are recorded too; a
// call's notes lie behind those of the call around it, and become a part of them
// when it returns.
type recorder struct {
	open  []recording
	reads []read
	wrote []wrote
	did   []effect

	// clock counts recordings. A byte was read or written in a recording if its
	// time in known is not before the recording's; likewise the bytes written.
	clock          uint32
	known, written []uint32
}

// recording is a call that is not over.
type recording struct {
	routine *routine
	known   place  // in its tree
	start   uint32 // time
	depth   int    // of the caller
	budget  int    // before it
	base    int    // height of the stack before it
	high    int    // the largest height of the stack so far

	reads, wrote, did int // where its notes begin
}

// read is a place in memory, what was there, and when its bytes had been read or
// written before.
type read struct {
	addr, value uint16
	size        uint8 // bytes
	was         [2]uint32
}

// wrote is a byte that was written, and when it had been before.
type wrote struct {
	addr uint16
	was  uint32
}

// top is the call that is running.
func (r *recorder) top() *recording { return &r.open[len(r.open)-1] }

// height is how much of the stack is in use, in words.
func (m *Machine) height() int { return m.sp + frameWords*m.depth }

// record begins to record a call that is about to be made.
func (m *Machine) record(r *routine, known place) {
	memo := m.memo
	if m.tracing && memo.open[0].budget-m.budget > maxRecording {
		m.abandon()
	}
	if !m.tracing && !memo.ready() {
		return
	}
	m.tracing = true
	memo.clock++
	memo.open = append(memo.open, recording{
		routine: r, known: known, start: memo.clock, depth: m.depth, budget: m.budget,
		base: m.height(), high: m.height(),
		reads: len(memo.reads), wrote: len(memo.wrote), did: len(memo.did),
	})
}

// ready makes room for recordings. It reports whether a call that was found
// missing is still to be recorded.
func (m *memo) ready() bool {
	if m.clock > 1<<31 {
		m.clock = 0
		clear(m.known)
		clear(m.written)
	}
	if max(len(m.nodes), len(m.writes), len(m.effects)) < maxNodes {
		return true
	}
	m.forget()
	return false
}

// abandon ends all recordings: something happened that cannot be remembered.
func (m *Machine) abandon() {
	memo := m.memo
	for _, rec := range memo.open {
		rec.routine.credit -= failureCost + recordingCost*(rec.budget-m.budget)
	}
	m.endRecordings()
}

// endRecordings ends all recordings without regret.
func (m *Machine) endRecordings() {
	r := &m.memo.recorder
	r.open, r.reads, r.wrote, r.did = r.open[:0], r.reads[:0], r.wrote[:0], r.did[:0]
	m.tracing = false
}

// returned ends the recording of a call that returned a value.
func (m *Machine) returned(value uint16) {
	memo := m.memo
	rec := *memo.top()
	if rec.depth != m.depth {
		return
	}
	o := outcome{result: value, high: uint16(rec.high - rec.base), spent: int32(rec.budget - m.budget)}
	o.writes.from = int32(len(memo.writes))
	for _, w := range memo.wrote[rec.wrote:] {
		memo.writes = append(memo.writes, write{w.addr, m.mem[w.addr]})
	}
	o.writes.to = int32(len(memo.writes))
	o.effects.from = int32(len(memo.effects))
	memo.effects = append(memo.effects, memo.did[rec.did:]...)
	o.effects.to = int32(len(memo.effects))
	o.word = int32(longestWord(memo.did[rec.did:]))
	memo.insert(rec.known, memo.reads[rec.reads+int(rec.known.depth):], o)
	rec.routine.credit -= callCost + recordingCost*int(o.spent)
	memo.open = memo.open[:len(memo.open)-1]
	if len(memo.open) == 0 {
		m.endRecordings()
		return
	}
	memo.handOver(&rec)
}

// handOver makes the notes of a call that is over notes of the call around it.
func (r *recorder) handOver(inner *recording) {
	outer := r.top()
	outer.high = max(outer.high, inner.high)
	reads := r.reads[:inner.reads]
	for _, n := range r.reads[inner.reads:] {
		if n.unknown(outer.start) {
			reads = append(reads, n)
		}
	}
	r.reads = reads
	kept := r.wrote[:inner.wrote]
	for _, w := range r.wrote[inner.wrote:] {
		if w.was < outer.start {
			kept = append(kept, w)
		}
	}
	r.wrote = kept
}

// unknown reports whether a read is one for a recording, and reduces it to the
// bytes that the recording had not read or written.
func (n *read) unknown(start uint32) bool {
	switch {
	case n.was[0] >= start && (n.size == 1 || n.was[1] >= start):
		return false
	case n.size == 1:
	case n.was[0] >= start:
		*n = read{n.addr + 1, n.value & 0xFF, 1, [2]uint32{n.was[1]}}
	case n.was[1] >= start:
		*n = read{n.addr, n.value >> 8, 1, [2]uint32{n.was[0]}}
	}
	return true
}

// noteRead notes that one or two bytes are read.
func (m *Machine) noteRead(addr uint16, size uint8) {
	if int(addr) >= m.story.dynamic {
		return // never changes
	}
	memo, start := m.memo, m.memo.top().start
	if memo.known[addr] >= start && (size == 1 || int(addr)+1 == m.story.dynamic || memo.known[addr+1] >= start) {
		return
	}
	n := read{addr: addr, value: uint16(m.mem[addr]), size: 1}
	n.was[0] = memo.known[addr]
	if size == 2 && int(addr)+1 < m.story.dynamic {
		n.value, n.size = m.word(addr), 2
		n.was[1] = memo.known[addr+1]
		memo.known[addr+1] = memo.clock
	}
	memo.known[addr] = memo.clock
	if n.unknown(start) {
		memo.reads = append(memo.reads, n)
	}
}

// noteWrite notes that a byte is written.
func (m *Machine) noteWrite(addr uint16) {
	if addr == headerFlags2+1 {
		m.noteRead(addr, 1) // it depends on it whether the transcript changes
	}
	memo := m.memo
	if was := memo.written[addr]; was < memo.top().start {
		memo.wrote = append(memo.wrote, wrote{addr, was})
	}
	memo.known[addr], memo.written[addr] = memo.clock, memo.clock
}

// noteHeight notes that the stack has grown.
func (m *Machine) noteHeight() {
	top := m.memo.top()
	top.high = max(top.high, m.height())
}
