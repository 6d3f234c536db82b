package zmachine

// shadow says how a value follows from the moment at which a recording began: it is
// a byte, a word or a word of the stack as it was there, plus a number. The shadow of
// nothing is that of a value that is taken as it is.
//
// Only volatile bytes have shadows: those that differ between two moments that are
// otherwise alike, such as turn counters and what the parser keeps of the last command.
type shadow struct {
	formula
	part part   // of the value, if this is the shadow of a byte of it
	base uint16 // what was there
}

// value returns the whole value.
func (x *shadow) value() uint16 { return x.compute(x.base) }

// part is a byte of a word.
type part uint8

const (
	whole part = iota
	high
	low
)

// where is a place in memory and the shadow of what is there.
type where struct {
	addr uint16
	shadow
}

// shadows are those of all values at present.
type shadows struct {
	watch    *Watch // nil if commands are not watched
	attempt  Attempt
	noted    bool
	symbolic []uint64 // by block: the bytes that have one
	bytes    []shadow // of bytes of memory that have one
	words    [stackSize + window]shadow
	marked   [(stackSize+window)/64 + 1]uint64 // those of the words that have one
	upper    int                               // above the words of the stack that have one

	hits    []where // what the current instruction has read that has one
	passing shadow  // of the value that a routine returns
	draws   uint16  // random numbers that a command has drawn
	sends   bool    // an argument of the call that is made has one
	narrow  bool    // the property that was read or written last is a byte
	put     uint16  // where the value is of the one that was written

	units []uint16 // see unitsOf
	seen  []uint8
}

// reset gives shadows to volatile bytes, and to nothing else.
func (m *Machine) reset(slots bool) {
	s := &m.memo.shadows
	clear(s.symbolic)
	s.clearAbove(0)
	s.hits, s.sends, s.passing = s.hits[:0], false, shadow{}
	if s.watch == nil {
		return
	}
	for _, b := range s.watch.Volatile.bytes {
		s.symbolic[b.number] = b.bytes
		eachByte(b, func(a uint16) { s.bytes[a] = m.home(a) })
	}
	if slots {
		for _, i := range s.watch.Volatile.slots {
			if int(i) < m.sp { // elsewhere the stack may be higher
				s.setWord(int(i), shadow{formula: formula{of: aSlot, addr: i}, base: m.stack[i]})
			}
		}
	}
}

// home is the shadow of a byte that is as a recording found it.
func (m *Machine) home(addr uint16) shadow { return homeOf(addr, m.mem[addr]) }

func homeOf(addr uint16, value byte) shadow {
	return shadow{formula: formula{of: aByte, addr: addr}, base: uint16(value)}
}

// has reports whether a byte has a shadow.
func (s *shadows) has(addr uint16) bool {
	b, bit := locate(addr)
	return int(b) < len(s.symbolic) && s.symbolic[b]&bit != 0
}

// byteAt returns the shadow of a byte in memory.
func (s *shadows) byteAt(addr uint16) shadow {
	if !s.has(addr) {
		return shadow{}
	}
	return s.bytes[addr]
}

// setByte sets the shadow of a byte in memory.
func (s *shadows) setByte(addr uint16, x shadow) {
	b, bit := locate(addr)
	if x.of == nothing {
		s.symbolic[b] &^= bit
		return
	}
	s.symbolic[b] |= bit
	s.bytes[addr] = x
}

// setWord sets the shadow of a word of the stack.
func (s *shadows) setWord(i int, x shadow) {
	if x.of == nothing {
		s.marked[i/64] &^= 1 << (i % 64)
		return
	}
	s.words[i] = x
	s.marked[i/64] |= 1 << (i % 64)
	s.upper = max(s.upper, i+1)
}

// word returns the shadow of a word of the stack.
func (s *shadows) word(i int) shadow {
	if !s.marks(i) {
		return shadow{}
	}
	return s.words[i]
}

// marks reports whether a word of the stack has a shadow.
func (s *shadows) marks(i int) bool { return s.marked[i/64]>>(i%64)&1 != 0 }

// clearAbove forgets the shadows of what is above a height of the stack.
func (s *shadows) clearAbove(height int) {
	for ; s.upper > height; s.upper-- {
		s.marked[(s.upper-1)/64] &^= 1 << ((s.upper - 1) % 64)
	}
}

// asByte is the shadow of a byte read from memory; known is false if it must be taken
// as it is, although it has one.
func (x shadow) asByte() (value shadow, known bool) {
	return x, x.of == nothing || x.of == aByte && x.plain()
}

// join is the shadow of a word read from memory.
func join(x, y shadow) (word shadow, known bool) {
	switch {
	case x.of == nothing && y.of == nothing:
		return shadow{}, true
	case x.of == aByte && y.of == aByte && y.addr == x.addr+1:
		return shadow{formula: formula{of: aWord, addr: x.addr}, base: x.base<<8 | y.base}, true
	case x.part == high && y.part == low && x.formula == y.formula:
		x.part = whole
		return x, true
	}
	return shadow{}, false
}

// split returns the shadows of the bytes of a word.
func (x shadow) split() (hi, lo shadow, known bool) {
	switch {
	case x.of == nothing:
		return x, x, true
	case x.of == aByte:
		return shadow{}, x, x.plain()
	case x.of == aWord && x.plain():
		return homeOf(x.addr, byte(x.base>>8)), homeOf(x.addr+1, byte(x.base)), true
	}
	hi, lo = x, x
	hi.part, lo.part = high, low
	return hi, lo, true
}

// then is the shadow behind a step of arithmetic; known is false if that must be taken as
// it is.
func (x shadow) then(s arithmetic) (y shadow, known bool) {
	if x.of == nothing || s.op == opAdd && s.by == 0 {
		return x, true
	}
	return x, x.formula.then(s)
}
