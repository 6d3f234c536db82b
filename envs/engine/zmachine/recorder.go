package zmachine

import "math/bits"

// recorder notes what calls read and write. Calls in calls are recorded too; a
// call's notes become a part of those of the call around it when it returns.
type recorder struct {
	open   int          // recordings
	levels []*recording // those, the one around all the others first, and some to be used again
	did    []effect
}

// recording is a call that is not over.
type recording struct {
	routine *routine
	tree    int32
	depth   int // of the caller
	budget  int // before it
	base    int // height of the stack before it
	high    int // the largest height of the stack so far
	did     int // where its effects begin

	reads   []read
	touched byteSet // was read or written
	writes  byteSet
}

// read is something that a call read before it wrote there: some bytes of a block
// that were as on the ground, or a byte that was not.
type read struct {
	differs bool
	place   uint16 // number of the block; address of the byte
	bytes   uint64 // which ones; the value
}

// byteSet is a set of addresses.
type byteSet struct {
	masks  []uint64 // by block
	blocks []uint16 // that are not empty
}

// add puts bytes of a block into a set, and returns those that were not in it.
func (s *byteSet) add(b block) uint64 {
	prev := s.masks[b.number]
	if prev == 0 && b.bytes != 0 {
		s.blocks = append(s.blocks, b.number)
	}
	s.masks[b.number] = prev | b.bytes
	return b.bytes &^ prev
}

func (s *byteSet) clear() {
	for _, b := range s.blocks {
		s.masks[b] = 0
	}
	s.blocks = s.blocks[:0]
}

// top is the call that is running.
func (r *recorder) top() *recording { return r.levels[r.open-1] }

// begin opens a recording.
func (r *recorder) begin(blocks int) *recording {
	if r.open == len(r.levels) {
		r.levels = append(r.levels, &recording{
			touched: byteSet{masks: make([]uint64, blocks)},
			writes:  byteSet{masks: make([]uint64, blocks)},
		})
	}
	r.open++
	return r.top()
}

// end closes the innermost recording.
func (r *recorder) end() {
	rec := r.top()
	rec.touched.clear()
	rec.writes.clear()
	rec.reads = rec.reads[:0]
	r.open--
}

// height is how much of the stack is in use, in words.
func (m *Machine) height() int { return m.sp + frameWords*m.depth }

// record begins to record a call that is about to be made, unless text goes into
// memory.
func (m *Machine) record(r *routine, tree int32) {
	memo := m.memo
	if m.streams() > 0 {
		return
	}
	if m.tracing && memo.levels[0].budget-m.budget > maxRecording {
		m.abandon()
	}
	if !m.tracing && len(memo.outcomes)%checkEvery == 0 && !memo.fits() {
		return
	}
	m.tracing = true
	rec := memo.begin(len(memo.diffs))
	rec.routine, rec.tree, rec.depth, rec.budget = r, tree, m.depth, m.budget
	rec.base, rec.high = m.height(), m.height()
	rec.did = len(memo.did)
}

// abandon ends all recordings: something happened that cannot be remembered.
func (m *Machine) abandon() {
	memo := m.memo
	for _, rec := range memo.levels[:memo.open] {
		rec.routine.credit -= failureCost + rec.budget - m.budget
	}
	for memo.open > 0 {
		memo.end()
	}
	memo.did = memo.did[:0]
	m.tracing = false
}

// returned ends the recording of a call that returned a value.
func (m *Machine) returned(value uint16) {
	memo := m.memo
	rec := memo.top()
	if rec.depth != m.depth {
		return
	}
	if m.streams() > 0 || m.fault != nil {
		m.abandon() // the text is not complete, or not all was done
		return
	}
	o := outcome{result: value, high: uint16(rec.high - rec.base), spent: int32(rec.budget - m.budget)}
	o.writes.start = int32(len(memo.writes))
	for _, b := range rec.writes.blocks {
		memo.keep(block{b, rec.writes.masks[b]}, m.mem)
	}
	o.writes.end = int32(len(memo.writes))
	o.effects.start = int32(len(memo.effects))
	for _, e := range memo.did[rec.did:] {
		memo.effects = push(memo.effects, e)
	}
	o.effects.end = int32(len(memo.effects))
	o.word = int32(longestWord(memo.did[rec.did:]))
	memo.insert(rec.tree, rec.reads, o)
	rec.routine.credit -= recordingCost + int(o.spent)
	if memo.open > 1 {
		memo.levels[memo.open-2].takeOver(rec)
	}
	memo.end()
	if m.tracing = memo.open > 0; !m.tracing {
		memo.did = memo.did[:0]
	}
}

// takeOver adds the notes of a call that is over to those of the call around it.
func (r *recording) takeOver(inner *recording) {
	r.high = max(r.high, inner.high)
	for _, n := range inner.reads {
		if n.differs {
			r.noteOff(n.place, byte(n.bytes))
		} else {
			r.noteSame(block{n.place, n.bytes})
		}
	}
	for _, b := range inner.writes.blocks {
		r.noteWritten(block{b, inner.writes.masks[b]})
	}
}

// noteSame notes that bytes are read that are as on the ground.
func (r *recording) noteSame(b block) {
	if b.bytes = r.touched.add(b); b.bytes == 0 {
		return
	}
	if n := len(r.reads); n > 0 {
		if last := &r.reads[n-1]; !last.differs && last.place == b.number {
			last.bytes |= b.bytes
			return
		}
	}
	r.reads = append(r.reads, read{place: b.number, bytes: b.bytes})
}

// noteOff notes that a byte is read that is not.
func (r *recording) noteOff(addr uint16, value byte) {
	number, bit := locate(addr)
	if r.touched.add(block{number, bit}) != 0 {
		r.reads = append(r.reads, read{differs: true, place: addr, bytes: uint64(value)})
	}
}

// noteWritten notes that bytes are written.
func (r *recording) noteWritten(b block) {
	r.touched.add(b)
	r.writes.add(b)
}

// noteOperands notes that the operands of an instruction are read, if it can be remembered.
func (m *Machine) noteOperands(in *instruction) {
	if int(in.reach) > m.base-m.fp {
		m.abandon()
		return
	}
	for i := range int(in.count) {
		if in.kind(i) == global {
			m.noteRead(in.values[i&7], 2)
		}
	}
}

// noteRead notes that bytes are read.
func (m *Machine) noteRead(addr uint16, size int) {
	rec := m.memo.top()
	if i := int(addr & inBlock); i+size <= blockSize && int(addr)+size <= m.story.dynamic { // nearly always
		number, bits := addr>>blockBits, (uint64(1)<<size-1)<<i
		if rec.touched.masks[number]&bits == bits {
			return
		}
	}
	for size = min(size, m.story.dynamic-int(addr)); size > 0; {
		b, n := stretch(addr, size)
		if b.bytes &^= rec.touched.masks[b.number]; b.bytes != 0 {
			diff := m.memo.diffs[b.number] & b.bytes
			rec.noteSame(block{b.number, b.bytes &^ diff})
			for ; diff != 0; diff &= diff - 1 {
				pos := b.number<<blockBits | uint16(bits.TrailingZeros64(diff))
				rec.noteOff(pos, m.mem[pos])
			}
		}
		addr += uint16(n)
		size -= n
	}
}

// noteStored notes that bytes of dynamic memory behind the header have new values.
func (m *Machine) noteStored(addr uint16, size int) {
	for size > 0 {
		b, n := stretch(addr, size)
		if m.tracing {
			m.memo.top().noteWritten(b)
		}
		m.memo.wroteBlock(b, m.mem)
		addr += uint16(n)
		size -= n
	}
}

// noteWrite notes that a byte is written.
func (m *Machine) noteWrite(addr uint16) {
	if addr == headerFlags2+1 {
		m.noteRead(addr, 1) // it depends on it whether the transcript changes
	}
	number, bit := locate(addr)
	m.memo.top().noteWritten(block{number, bit})
}

// noteWord notes that two bytes are written that are not in the header.
func (m *Machine) noteWord(addr uint16) {
	if addr&inBlock == inBlock {
		m.noteWrite(addr)
		m.noteWrite(addr + 1)
		return
	}
	number, bit := locate(addr)
	m.memo.top().noteWritten(block{number, 3 * bit})
}

// noteHeight notes that the stack has grown.
func (m *Machine) noteHeight() {
	top := m.memo.top()
	top.high = max(top.high, m.height())
}

// write is what a call left in the bytes of a block that it wrote.
type write struct {
	block
	diff   uint64 // those that are not as on the ground
	values int32  // where they begin
}

// keep adds a block that a call wrote to the list of all of them.
func (m *memo) keep(b block, mem []byte) {
	w := write{b, m.diffs[b.number] & b.bytes, int32(len(m.values))}
	for set := b.bytes; set != 0; set &= set - 1 {
		m.values = push(m.values, mem[int(b.number)*blockSize+bits.TrailingZeros64(set)])
	}
	m.writes = push(m.writes, w)
}

// rewrite writes again what a call wrote.
func (m *Machine) rewrite(w *write) {
	memo := m.memo
	values := memo.values[w.values:]
	if w.number == 0 { // the header
		for set := w.bytes; set != 0; set &= set - 1 {
			m.storeb(uint16(bits.TrailingZeros64(set)), values[0])
			values = values[1:]
		}
		return
	}
	dst := m.mem[int(w.number)*blockSize:]
	for set := w.bytes; set != 0; set &= set - 1 {
		dst[bits.TrailingZeros64(set)&inBlock] = values[0]
		values = values[1:]
	}
	memo.diffs[w.number] = memo.diffs[w.number]&^w.bytes | w.diff
	memo.changed[w.number/64] |= 1 << (w.number % 64)
	if m.tracing {
		memo.top().noteWritten(w.block)
	}
}
