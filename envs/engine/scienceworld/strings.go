package scienceworld

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
)

// The reference keeps texts in hash sets, whose order follows from Java's hash of a string (core §2.4 to §2.6).

// hashOf is Java's hash of a string.
func hashOf(s string) uint32 {
	h := uint32(0)
	for _, r := range s {
		if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
			h, r = 31*h+uint32(high), low
		}
		h = 31*h + uint32(r)
	}
	return h
}

// mix spreads a hash in mutable sets and maps.
func mix(h uint32) uint32 { return bits.ReverseBytes32(h*0x9e3775cd) * 0x9e3775cd }

// improve spreads a hash in immutable sets and maps.
func improve(h uint32) uint32 {
	h += ^(h << 9)
	h ^= h >> 14
	h += h << 4
	return h ^ h>>10
}

// textSet is a mutable hash set of strings: open addressing.
type textSet struct {
	slots []string
	used  []bool
	n     int
}

func newTextSet() *textSet { return &textSet{slots: make([]string, 32), used: make([]bool, 32)} }

// find returns the slot where a text is or belongs.
func (s *textSet) find(text string) int {
	size := len(s.slots)
	width := bits.TrailingZeros(uint(size))
	i := int(bits.RotateLeft32(mix(hashOf(text)), -width) >> (32 - width))
	for s.used[i] && s.slots[i] != text {
		i = (i + 1) % size
	}
	return i
}

func (s *textSet) add(text string) {
	i, size := s.find(text), len(s.slots)
	if s.used[i] {
		return
	}
	s.slots[i], s.used[i] = text, true
	if s.n++; s.n >= size*450/1000 {
		old := s.texts()
		*s = textSet{slots: make([]string, 2*size), used: make([]bool, 2*size)}
		for _, t := range old {
			s.add(t)
		}
	}
}

// texts lists the members as the reference enumerates them.
func (s *textSet) texts() (out []string) {
	for i, t := range s.slots {
		if s.used[i] {
			out = append(out, t)
		}
	}
	return out
}

// trieMembers is the size from which on an immutable set is a hash trie.
const trieMembers = 5

// inSetOrder puts texts in the enumeration order of an immutable set that was
// filled in the given order. Duplicates remain once.
func inSetOrder(texts []string) []string {
	out := make([]string, 0, len(texts))
	for _, t := range texts {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	if len(out) >= trieMembers {
		slices.SortStableFunc(out, func(a, b string) int {
			return cmp.Compare(trieKey(improve(hashOf(a))), trieKey(improve(hashOf(b))))
		})
	}
	return out
}

// trieKey puts the groups of five bits in reverse order, so that keys compare as the trie enumerates.
func trieKey(t uint32) uint32 {
	return t&31<<27 | t>>5&31<<22 | t>>10&31<<17 | t>>15&31<<12 | t>>20&31<<7 | t>>25&31<<2 | t>>30
}

// javaTrim removes what Java's trim removes: all characters up to and including U+0020.
func javaTrim(s string) string {
	if s == "" || s[0] > ' ' && s[len(s)-1] > ' ' {
		return s
	}
	return strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
}

// squeeze makes one space of every run of them.
func squeeze(s string) string {
	for strings.Contains(s, "  ") {
		s = strings.ReplaceAll(s, "  ", " ")
	}
	return s
}

// squeezeBlanks makes one space of every run of white space and trims.
func squeezeBlanks(s string) string { return strings.Join(strings.Fields(s), " ") }
