package zmachine

// formula is how a value is computed: what is at addr, and then steps, in 16 bits with a
// sign.
type formula struct {
	of    origin
	addr  uint16
	steps [mostSteps]arithmetic
	n     uint8 // how many there are
}

// mostSteps is how long a formula is at most. Clocks take four: one minute more, modulo
// a day, by an hour, modulo twelve.
const mostSteps = 6

// arithmetic is a number that is added or by which is divided, which then is not 0.
type arithmetic struct {
	op uint8 // the instruction
	by int16
}

const (
	opAdd = op2 | 20
	opDiv = op2 | 23
	opMod = op2 | 24
	// opHigh takes the high byte. It is no instruction: stories store words of which they
	// look at a byte.
	opHigh = opVar | 31
)

// plain reports whether nothing is computed.
func (f *formula) plain() bool { return f.n == 0 }

// compute returns the value that follows from what is at the address.
func (f *formula) compute(base uint16) uint16 {
	v := int16(base)
	for _, s := range f.steps[:f.n] {
		v = s.apply(v)
	}
	return uint16(v)
}

func (s arithmetic) apply(v int16) int16 {
	switch s.op {
	case opDiv:
		return v / s.by
	case opMod:
		return v % s.by
	case opHigh:
		return int16(uint16(v) >> 8)
	}
	return v + s.by
}

// then appends a step; ok is false if there is no room.
func (f *formula) then(s arithmetic) (ok bool) {
	if s.op == opAdd && f.n > 0 && f.steps[f.n-1].op == opAdd {
		if f.steps[f.n-1].by += s.by; f.steps[f.n-1].by == 0 {
			f.n--
			f.steps[f.n] = arithmetic{}
		}
		return true
	}
	if f.n == mostSteps {
		return false
	}
	f.steps[f.n] = s
	f.n++
	return true
}

// origin is what a shadow's address names.
type origin uint8

const (
	nothing origin = iota
	aByte
	aWord
	aSlot // a word of the stack
	aDraw // a random number before it is limited, by how many a command draws before it
)

// condition is something that must hold for a command to do what it did.
type condition struct {
	formula
	test  test
	holds bool
	base  uint16 // what was at the address when the condition was noted
	with  uint16
}

// test is how a condition compares.
type test uint8

const (
	equal test = iota
	less
	greater
	anyBit
)

// compare applies a test.
func (t test) compare(a, b uint16) bool {
	switch t {
	case less:
		return int16(a) < int16(b)
	case greater:
		return int16(a) > int16(b)
	case anyBit:
		return a&b != 0
	}
	return a == b
}

// holdsAt reports whether a condition holds at a moment.
func (c condition) holdsAt(s *Snapshot) bool {
	return c.test.compare(c.compute(s.at(c.of, c.addr)), c.with) == c.holds
}

// at returns what is somewhere at a moment.
func (s *Snapshot) at(of origin, addr uint16) uint16 {
	switch of {
	case aByte:
		return uint16(s.memory[addr])
	case aWord:
		return uint16(s.memory[addr])<<8 | uint16(s.memory[addr+1])
	case aSlot:
		return s.state.stack[addr]
	default:
		return s.state.random.nth(int(addr))
	}
}

// behind computes with what another formula computes; known is false if no formula does.
func (f formula) behind(g formula) (both formula, known bool) {
	for _, s := range f.steps[:f.n] {
		if !g.then(s) {
			return formula{}, false
		}
	}
	return g, true
}
