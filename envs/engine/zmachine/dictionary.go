package zmachine

import (
	"math"
	"slices"
)

// wordSize returns how many Z-characters of a word are kept, and in how many bytes; Standard, section 13.3.
func (s *Story) wordSize() (chars, bytes int) {
	if s.version <= 3 {
		return 6, 4
	}
	return 9, 6
}

// encoded is the form of a dictionary word, of which the last bytes are not used up to version 3.
type encoded [6]byte

// encode turns ZSCII into the form of a dictionary word, and returns how many bytes
// that has; Standard, section 3.7.
func (s *Story) encode(word []byte) (out encoded, size int) {
	chars, size := s.wordSize()
	var z [16]byte // three more than a word keeps
	n := 0
	for _, c := range word {
		if n >= chars {
			break
		}
		code := &s.codes[c]
		n += copy(z[n:], code.chars[:code.n])
	}
	for i := n; i < chars; i++ {
		z[i] = 5
	}
	for i := 0; i < chars; i += 3 {
		w := uint16(z[i])<<10 | uint16(z[i+1])<<5 | uint16(z[i+2])
		if i+3 == chars {
			w |= 0x8000
		}
		out[i/3*2], out[i/3*2+1] = byte(w>>8), byte(w)
	}
	return out, size
}

// zchars are the Z-characters of a character.
type zchars struct {
	n     uint8
	chars [4]byte
}

// loadCodes encodes all characters.
func (s *Story) loadCodes() {
	for c := range s.codes {
		code := &s.codes[c]
		code.n = uint8(s.encodeChar(code.chars[:], byte(c)))
	}
}

// encodeChar writes the Z-characters of a character, at most four.
func (s *Story) encodeChar(z []byte, c byte) int {
	if c == ' ' {
		z[0] = 0
		return 1
	}
	if i := slices.Index(s.alphabet[0][:], c); i >= 0 {
		z[0] = byte(i + 6)
		return 1
	}
	shift := byte(3)
	if s.version <= 2 {
		shift = 1
	}
	if i := slices.Index(s.alphabet[1][:], c); i >= 0 {
		z[0], z[1] = shift+1, byte(i+6)
		return 2
	}
	if i := slices.Index(s.alphabet[2][1:], c); i >= 0 {
		z[0], z[1] = shift+2, byte(i+7)
		return 2
	}
	z[0], z[1], z[2], z[3] = shift+2, 6, c>>5, c&31
	return 4
}

// dictionary is the head of a dictionary; Standard, section 13.2.
type dictionary struct {
	separators []byte
	entry      int // bytes in an entry
	first      uint16
	count      int
	sorted     bool
}

func (m *Machine) dictionary(addr uint16) dictionary {
	n := m.loadb(addr)
	d := dictionary{separators: m.mem[int(addr)+1:][:n]}
	addr += 1 + n
	d.entry = int(m.loadb(addr))
	count := int16(m.loadw(addr + 1))
	d.first, d.sorted = addr+3, count >= 0
	d.count = int(count)
	if count < 0 {
		d.count = -int(count)
	}
	return d
}

// lookup finds an encoded word, and returns 0 if it is not there.
func (m *Machine) lookup(d *dictionary, word []byte) uint16 {
	if !d.sorted {
		for i := 0; i < d.count && m.charge(1); i++ {
			if addr := d.first + uint16(i*d.entry); m.compare(word, addr) == 0 {
				return addr
			}
		}
		return 0
	}
	low, high := 0, d.count
	for low < high {
		middle := (low + high - 1) / 2 // as the reference does, which shows in dictionaries with errors
		addr := d.first + uint16(middle*d.entry)
		switch c := m.compare(word, addr); {
		case c == 0:
			return addr
		case c < 0:
			high = middle
		default:
			low = middle + 1
		}
	}
	return 0
}

func (m *Machine) compare(word []byte, addr uint16) int {
	for i, b := range word {
		if d := int(b) - int(m.loadb(addr+uint16(i))); d != 0 {
			return d
		}
	}
	return 0
}

// tokenise splits a text buffer into words and looks them up; Standard, section 13.6. If keep is set, words that
// are not found leave their place in the parse buffer as it is.
func (m *Machine) tokenise(buffer, parse, table uint16, keep bool) {
	if table == 0 {
		table = uint16(m.story.dictionary)
	}
	t := tokens{m: m, dictionary: m.dictionary(table), parse: parse, keep: keep}
	m.storeb(parse+1, 0)
	cursor, end := uint16(1), uint16(math.MaxUint16)
	if m.story.version >= 5 {
		cursor, end = 2, 2+m.loadb(buffer+1)
	}
	for start := cursor; m.charge(1); cursor++ {
		c := byte(0) // which ends a text in all versions
		if cursor < end {
			c = m.mem[buffer+cursor]
		}
		separator := slices.Contains(t.dictionary.separators, c)
		if c == 0 || c == ' ' || separator {
			t.add(buffer, start, cursor)
			start = cursor + 1
		}
		if c == 0 {
			return
		}
		if separator {
			t.add(buffer, cursor, cursor+1)
		}
	}
}

// tokens fills a parse buffer.
type tokens struct {
	m          *Machine
	dictionary dictionary
	parse      uint16
	keep       bool
}

// add puts in the word from start to end, unless it is empty.
func (t *tokens) add(buffer, start, end uint16) {
	m := t.m
	n := m.loadb(t.parse + 1)
	if start >= end || n >= m.loadb(t.parse) || m.fault != nil {
		return
	}
	m.storeb(t.parse+1, byte(n+1))
	word := make([]byte, 0, 16)
	for i := start; i < end && len(word) < cap(word); i++ {
		word = append(word, m.mem[buffer+i])
	}
	code, size := m.story.encode(word)
	addr := m.lookup(&t.dictionary, code[:size])
	if addr == 0 && t.keep {
		return
	}
	entry := t.parse + 2 + 4*n
	m.storew(entry, addr)
	m.storeb(entry+2, byte(end-start))
	m.storeb(entry+3, byte(start))
}

// encodeText executes encode_text.
func (m *Machine) encodeText(text, length, offset, dest uint16) {
	word := make([]byte, 0, 16)
	for i := uint16(0); i < length && len(word) < cap(word); i++ {
		word = append(word, m.mem[text+offset+i])
	}
	code, size := m.story.encode(word)
	for i, b := range code[:size] {
		m.storeb(dest+uint16(i), b)
	}
}

// Word is an entry of the story's dictionary.
type Word struct {
	// Address is where it is in memory.
	Address int
	// Text is the word, as far as the dictionary keeps it.
	Text string
	// Data is what the story keeps with the word; it must not be changed.
	Data []byte
}

// Dictionary returns the story's words in the order in which they are stored.
func (m *Machine) Dictionary() []Word {
	d := m.dictionary(uint16(m.story.dictionary))
	_, size := m.story.wordSize()
	var words []Word
	for i := range d.count {
		addr := int(d.first) + i*d.entry
		if d.entry < size || addr+d.entry > len(m.story.image) {
			break
		}
		words = append(words, Word{addr, m.DecodeText(addr, false), m.mem[addr+size : addr+d.entry]})
	}
	return words
}
