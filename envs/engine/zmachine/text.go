package zmachine

import "strconv"

// The alphabets; Standard, sections 3.5.3 and 3.5.4. In the third one the first
// place is the escape to ZSCII and, from version 2 on, the second a new line.
const (
	alphabet0  = "abcdefghijklmnopqrstuvwxyz"
	alphabet1  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alphabet2  = " \r0123456789.,!?_#'\"/\\-:()"
	alphabet2A = " 0123456789.,!?_#'\"/\\<-:()" // version 1
)

func (s *Story) loadAlphabet() {
	copy(s.alphabet[0][:], alphabet0)
	copy(s.alphabet[1][:], alphabet1)
	copy(s.alphabet[2][:], alphabet2)
	if s.version == 1 {
		copy(s.alphabet[2][:], alphabet2A)
	}
	own := s.word(headerAlphabet)
	if s.version < 5 || own == 0 || own+78 > len(s.image) {
		return
	}
	for i := range s.alphabet {
		copy(s.alphabet[i][:], s.image[own+26*i:])
	}
	copy(s.alphabet[2][:], " \r")
}

// decoder turns Z-characters into ZSCII; Standard, section 3.
type decoder struct {
	m *Machine
	// emit gets the codes; it returns false to stop.
	emit func(z uint16) bool
	// bare leaves abbreviations out.
	bare bool

	alphabet int // of the next character
	locked   int // of the characters after it; versions 1 and 2
	abbrev   int // 1 to 3: the next character chooses an abbreviation of that bank
	escape   int // characters of a ZSCII code still to come
	code     uint16
	depth    int // of abbreviations
	stopped  bool
}

// decode reads the text at an address.
func (d *decoder) decode(addr int) {
	for addr >= 0 && addr+1 < d.m.end() && !d.stopped {
		w := d.word(addr)
		addr += 2
		d.put(0) // nothing, so that it counts
		d.char(int(w >> 10 & 31))
		d.char(int(w >> 5 & 31))
		d.char(int(w & 31))
		if w&0x8000 != 0 {
			break
		}
	}
}

// word reads two bytes of a text, which may lie anywhere.
func (d *decoder) word(addr int) uint16 {
	b := d.m.mem[addr : addr+2]
	return uint16(b[0])<<8 | uint16(b[1])
}

// end is where memory ends that a text may lie in.
func (m *Machine) end() int { return len(m.mem) - padding }

func (d *decoder) put(z uint16) {
	if !d.stopped && !d.emit(z) {
		d.stopped = true
	}
}

// char takes the next Z-character.
func (d *decoder) char(c int) {
	switch {
	case d.escape > 0:
		d.code = d.code<<5 | uint16(c)
		if d.escape--; d.escape == 0 {
			d.put(d.code)
		}
		return
	case d.abbrev > 0:
		d.abbreviation(32*(d.abbrev-1) + c)
		d.abbrev = 0
		return
	}
	alphabet := d.alphabet
	d.alphabet = d.locked
	switch {
	case c == 0:
		d.put(' ')
	case c < 6:
		d.control(c, alphabet)
	case alphabet == 2 && c == 6:
		d.escape, d.code = 2, 0
	default:
		d.put(uint16(d.m.story.alphabet[alphabet][c-6]))
	}
}

// control takes a Z-character from 1 to 5.
func (d *decoder) control(c, alphabet int) {
	v := d.m.story.version
	switch {
	case v == 1 && c == 1:
		d.put(carriage)
	case v >= 3 && c <= 3, c == 1:
		d.abbrev = c
	case v >= 3:
		d.alphabet = c - 3
	case c <= 3: // 2 shifts up, 3 down
		d.alphabet = (alphabet + c - 1) % 3
	default:
		d.locked = (alphabet + c - 3) % 3
		d.alphabet = d.locked
	}
}

// mostNested is how deep abbreviations may be nested. The Standard forbids it, but stories do it,
// and the reference prints them.
const mostNested = 64

// abbreviation prints a text of the abbreviation table.
func (d *decoder) abbreviation(n int) {
	entry := d.m.story.abbrevs + 2*n
	if d.bare || d.depth == mostNested || entry+1 >= d.m.end() {
		return
	}
	inner := decoder{m: d.m, emit: d.emit, depth: d.depth + 1}
	inner.decode(2 * int(d.word(entry)))
	d.stopped = d.stopped || inner.stopped
}

// printText prints the text at an address.
func (m *Machine) printText(addr int) {
	if addr >= m.story.Size() {
		m.fail(PrintRange)
		return
	}
	d := decoder{m: m, emit: func(z uint16) bool {
		switch c := m.story.fromZSCII(z); c {
		case 0:
		case carriage:
			m.newLine()
		default:
			m.printChar(c)
		}
		return m.charge(1)
	}}
	d.decode(addr)
}

// DecodeText returns the encoded text at an address, as Latin-1. A bare one is without abbreviations and new lines.
func (m *Machine) DecodeText(addr int, bare bool) string {
	const longest = 1 << 12
	var b []byte
	n := 0
	d := decoder{m: m, bare: bare, emit: func(z uint16) bool {
		if c := m.story.fromZSCII(z); c != 0 && !(bare && c == carriage) {
			b = append(b, c)
		}
		n++
		return n < longest
	}}
	d.decode(addr)
	return string(b)
}

// noName is the first word of an encoded name that says nothing.
const noName = 0x94A5

// printObject prints the name of an object. As in the reference, the name of object 0 is
// where an entry before the first one would have it.
func (m *Machine) printObject(n uint16) {
	addr, ok := m.properties(n)
	if n == 0 {
		addr = m.propertiesAt(m.objects.first - m.objects.size)
	} else if !ok {
		return
	}
	if m.loadb(addr) == 0 || m.loadw(addr+1) == noName {
		m.printString("object#" + strconv.Itoa(int(n)))
		return
	}
	m.printText(int(addr) + 1)
}

// printString prints a text of the interpreter's own.
func (m *Machine) printString(s string) {
	for i := range len(s) {
		m.printChar(s[i])
	}
}

func (m *Machine) printNumber(n int16) { m.printString(strconv.Itoa(int(n))) }

// printZSCII prints a character; code 0 is none.
func (m *Machine) printZSCII(z uint16) {
	if c := m.story.fromZSCII(z); c != 0 {
		m.printChar(c)
	}
}

func (m *Machine) printUnicode(c uint16) {
	if c > 0xFF {
		c = '?'
	}
	m.printChar(byte(c))
}
