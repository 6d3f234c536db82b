package zmachine

import "encoding/binary"

// The screen that a story is told it has; spec §4 and §6.
const (
	rows    = 232
	columns = 128
)

// initialFlags2 are the story's own, without what is not to be had.
func (m *Machine) initialFlags2() uint16 {
	flags := uint16(m.story.word(headerFlags2))
	switch {
	case m.story.version >= 5:
		flags &^= 1<<4 | 1<<5 | 1<<7 | 1<<8 // undo, mouse, sound, menus
	case m.story.version == 3:
		flags &^= 1 << 4
	}
	return flags
}

// applyHeader writes what the interpreter has to tell the story; spec §6.
func (m *Machine) applyHeader() {
	h := m.mem[:headerSize]
	v := m.story.version
	h[headerFlags1] = m.story.image[headerFlags1]
	switch {
	case v == 3:
		h[headerFlags1] |= 0x20 // split screen
	case v >= 4:
		h[headerFlags1] |= 0x80 // timed input
	}
	binary.BigEndian.PutUint16(h[headerFlags2:], m.flags2)
	if v >= 4 {
		h[headerInterpreter], h[headerInterpreter+1] = 1, 'F'
		h[headerRows], h[headerColumns] = rows, columns
	}
	if v >= 5 {
		binary.BigEndian.PutUint16(h[headerWidth:], columns)
		binary.BigEndian.PutUint16(h[headerHeight:], rows)
		h[headerFontWidth], h[headerFontHeight] = 1, 1
		h[headerBackground], h[headerForeground] = 0, 0
	}
	h[headerRevision], h[headerRevision+1] = 1, 0
}

// setTranscript notes whether there is a transcript, which goes nowhere.
func (m *Machine) setTranscript(on uint16) {
	m.flags2 = m.flags2&^1 | on
	m.mem[headerFlags2+1] = m.mem[headerFlags2+1]&^1 | byte(on)
}
