// Package zmachine plays Z-machine stories: the versions 1 to 5, 7 and 8 of the
// Z-Machine Standards Document 1.1, as far as a text game uses them.
//
// A Machine has no screen. Whatever a story shows, in any window, is collected in the order in which it is shown,
// on a screen of 128 columns whose lines are not wrapped. It has no files, network or clock either: saved games
// stay in memory, timed input never times out, and random numbers come from a seed. The same story, seed and
// commands give the same bytes.
//
// A story may be hostile. Every access to memory and stack is checked, and a
// budget of instructions ends a step that would not end by itself.
package zmachine

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Where the header of a story holds what; see the Standard, section 11.
const (
	headerFlags1      = 0x01
	headerRelease     = 0x02
	headerStart       = 0x06
	headerDictionary  = 0x08
	headerObjects     = 0x0A
	headerGlobals     = 0x0C
	headerStatic      = 0x0E
	headerFlags2      = 0x10
	headerSerial      = 0x12
	headerAbbrevs     = 0x18
	headerLength      = 0x1A
	headerChecksum    = 0x1C
	headerInterpreter = 0x1E
	headerRows        = 0x20
	headerColumns     = 0x21
	headerWidth       = 0x22
	headerHeight      = 0x24
	headerFontWidth   = 0x26
	headerFontHeight  = 0x27
	headerRoutines    = 0x28
	headerStrings     = 0x2A
	headerBackground  = 0x2C
	headerForeground  = 0x2D
	headerTerminators = 0x2E
	headerRevision    = 0x32
	headerAlphabet    = 0x34
	headerExtension   = 0x36
	headerSize        = 0x40
)

const (
	maxStory    = 512 << 10 // bytes in the largest story, of version 8
	addressable = 1 << 16   // bytes that a data address reaches
	// padding is behind the story and what can be addressed, so that what starts inside can be read to its end: an
	// instruction without its text, local variables, separators of a dictionary.
	padding = 512
)

// Story is a story file. It does not change and may be shared.
type Story struct {
	image      []byte // behind its end there are zeros, up to its capacity
	version    int
	dynamic    int // bytes of memory that a story may write
	start      int // first instruction
	dictionary int
	objects    int
	globals    int
	abbrevs    int
	routines   int // added to packed addresses of routines, version 7
	strings    int // added to packed addresses of strings, version 7
	scale      int // bytes in a unit of a packed address
	alphabet   [3][26]byte
	codes      [256]zchars // of all ZSCII characters
	unicode    []uint16    // what ZSCII 155 and up stand for; nil for the default
	blanks     bool        // question marks are read as blanks
	sum        uint16      // of the bytes from 0x40 up to the length in the header
	encodings  [encodings]encoding
	code       code
}

// formats are the kinds of files that are taken for stories of the Z-machine, by their first bytes.
var formats = map[string]string{"Glul": "a Glulx story", "FORM": "a Blorb archive", "\x1f\x8b": "a gzip file",
	"PK\x03\x04": "a zip file"}

// Load reads a story file.
func Load(image []byte) (*Story, error) {
	if len(image) < headerSize {
		return nil, fmt.Errorf("a story of %d bytes is shorter than its header of %d", len(image), headerSize)
	}
	if len(image) > maxStory {
		return nil, fmt.Errorf("a story of %d bytes is longer than the largest possible, %d", len(image), maxStory)
	}
	if format := cmp.Or(formats[string(image[:4])], formats[string(image[:2])]); format != "" {
		return nil, fmt.Errorf("%s, which cannot be played: want a story for the Z-machine", format)
	}
	s := &Story{image: append(make([]byte, 0, len(image)+padding), image...), version: int(image[0])}
	switch s.version {
	case 1, 2, 3:
		s.scale = 2
	case 4, 5, 7:
		s.scale = 4
	case 8:
		s.scale = 8
	default:
		return nil, fmt.Errorf("not a story that can be played: version %d, want 1 to 5, 7 or 8", s.version)
	}
	s.dynamic = s.word(headerStatic)
	if s.dynamic < headerSize || s.dynamic > len(image) {
		return nil, fmt.Errorf("not a story: its static memory starts at %#x, outside %#x to %#x", s.dynamic,
			headerSize, len(image))
	}
	s.start = s.word(headerStart)
	if s.start >= len(image) {
		return nil, fmt.Errorf("not a story: its first instruction is at %#x of %#x bytes", s.start, len(image))
	}
	s.dictionary = s.word(headerDictionary)
	s.objects = s.word(headerObjects)
	s.globals = s.word(headerGlobals)
	s.abbrevs = s.word(headerAbbrevs)
	if s.version == 7 {
		s.routines, s.strings = 8*s.word(headerRoutines), 8*s.word(headerStrings)
	}
	if s.globals >= s.dynamic {
		return nil, errors.New("not a story: its global variables cannot be written")
	}
	if want := s.length(); len(image) < want {
		return nil, fmt.Errorf("a story of %d bytes, of which %d are missing: fetch it again", want, want-len(image))
	}
	s.loadAlphabet()
	s.loadCodes()
	s.loadUnicode()
	s.sum = s.checksum()
	s.blanks = slices.Contains(strings.Fields(blanking), fmt.Sprintf("%d/%s", s.Release(), s.Serial()))
	s.encodings = encodingsFor(s.version)
	s.code = make(code, len(image))
	return s, nil
}

// word reads the image; beyond its end there are zeros.
func (s *Story) word(addr int) int {
	if addr < 0 || addr+1 >= len(s.image) {
		return 0
	}
	return int(binary.BigEndian.Uint16(s.image[addr:]))
}

// length is how many bytes the story has by its header; 0 in some early ones.
func (s *Story) length() int {
	if s.version == 7 {
		return 8 * s.word(headerLength)
	}
	return s.scale * s.word(headerLength)
}

// checksum adds up the file as the verify instruction does.
func (s *Story) checksum() uint16 {
	var sum uint16
	for _, b := range s.image[headerSize:max(s.length(), headerSize)] {
		sum += uint16(b)
	}
	return sum
}

// Release is the number of the story's edition.
func (s *Story) Release() int { return s.word(headerRelease) }

// Serial is the six characters by which the story says when it was made, usually year, month and day.
func (s *Story) Serial() string { return string(s.image[headerSerial : headerSerial+6]) }

// StaticMemory is the address up to which memory can be written.
func (s *Story) StaticMemory() int { return s.dynamic }

// Hash is the SHA-256 of the story file.
func (s *Story) Hash() [sha256.Size]byte { return sha256.Sum256(s.image) }

// Size is the length of the story in bytes.
func (s *Story) Size() int { return len(s.image) }

// Byte returns a byte of the story as it is in the file; 0 outside it.
func (s *Story) Byte(addr int) byte {
	if addr < 0 || addr >= len(s.image) {
		return 0
	}
	return s.image[addr]
}

// Word returns the two bytes at an address of the story as it is in the file.
func (s *Story) Word(addr int) int { return int(s.Byte(addr))<<8 | int(s.Byte(addr+1)) }
