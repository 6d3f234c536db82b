package zmachine

import "fmt"

// pendingSize is the size of the buffer for the word being printed, of which
// the last place must stay free; spec §4.3.
const pendingSize = 275

// Codes in the buffer that announce a style or font; a value follows.
const (
	codeStyle = 1
	codeFont  = 2
)

// Attributes of a window.
const (
	wrapping  = 1
	buffering = 8
)

// statusWindow is the window that the status line of version 3 is written to.
const statusWindow = 7

// maxStatusLines is how many lines a status line has at most.
const maxStatusLines = 2

// maxMemoryStreams is how deep output to memory may be nested; Standard, 7.1.2.1.
const maxMemoryStreams = 16

// screen is what is known of a screen that is not there: where the cursors of the windows are, and where text goes.
type screen struct {
	window   int
	attrs    [8]uint8
	row, col [8]int16
	split    int16 // rows of window 1

	pending [pendingSize]byte // the word being printed
	n       int
	prev    byte

	hidden  bool // stream 1 is off
	memory  [maxMemoryStreams]uint16
	streams int // in memory
}

func (s *screen) reset() {
	s.window, s.split = 0, 0
	for w := range s.attrs {
		s.attrs[w], s.row[w], s.col[w] = buffering, 1, 1
	}
	s.attrs[0] = 15
}

// remaining is the number of columns from the cursor to the end of the line.
func (s *screen) remaining() int { return columns - int(s.col[s.window]) + 1 }

// inStatus reports whether text goes into a status line. Upper windows of more lines are menus and quotations.
func (s *screen) inStatus() bool {
	return s.window == statusWindow || s.window != 0 && s.split <= maxStatusLines
}

func (s *screen) buffers() bool { return s.attrs[s.window]&buffering != 0 }

// Capture returns the buffer of what was shown. A 0 ends the text; what is
// behind it is left from earlier texts. Changing the bytes is allowed.
func (m *Machine) Capture() []byte {
	m.capture[m.captured] = 0
	return m.capture
}

// ClearCapture forgets the captured text, but leaves the bytes in the buffer.
func (m *Machine) ClearCapture() { m.captured = 0 }

// emit shows a character: it goes into the capture buffer, or nowhere when that is full; spec §4.2.
func (m *Machine) emit(c byte) {
	switch {
	case m.options.HideStatus && m.screen.inStatus():
	case c == carriage:
		m.put('\n')
	case c >= 0x20 && c <= 0x7E, c >= latin1:
		m.put(c)
	case c == gap:
		m.emit(' ')
		m.emit(' ')
	case c == tab:
		m.emit(' ')
		m.emit(' ')
		m.emit(' ')
	}
}

// put puts a character into the capture buffer, unless that is full.
func (m *Machine) put(c byte) {
	if m.captured < len(m.capture)-1 {
		m.capture[m.captured] = c
		m.captured++
	}
}

// printChar prints a character of Latin-1.
func (m *Machine) printChar(c byte) {
	s := &m.screen
	if s.streams == 0 && !s.buffers() {
		m.printDirect(c)
		return
	}
	if c > ' ' && s.prev > codeFont && s.prev != '-' && s.n < pendingSize-1 { // nearly all
		s.prev, s.pending[s.n] = c, c
		s.n++
		return
	}
	switch {
	case s.prev == codeStyle, s.prev == codeFont: // as the value of the code, whatever it is
		s.prev = ' '
		m.append(c)
		return
	case c == 0:
		return
	case c == carriage:
		m.newLine()
		return
	}
	if c == ' ' || c == tab || c == gap || m.screen.prev == '-' && c != '-' {
		m.flush()
	}
	m.screen.prev = c
	m.append(c)
}

// append puts a character behind the pending word.
func (m *Machine) append(c byte) {
	s := &m.screen
	if s.n == pendingSize {
		return // a second fault changes nothing
	}
	s.pending[s.n] = c
	if s.n++; s.n == pendingSize {
		m.fail(TextOverflow)
	}
}

// appendStyle notes a change of style or font in the pending word.
func (m *Machine) appendStyle(code byte, value uint16) {
	s := &m.screen
	if s.streams > 0 || s.hidden || !s.buffers() {
		return
	}
	if s.prev == '-' {
		m.flush()
	}
	s.prev = ' '
	m.append(code)
	if m.fault == nil {
		m.append(byte(value))
	}
}

// printDirect shows a character at the cursor, which moves on. A new line shows only as part of a text.
func (m *Machine) printDirect(c byte) {
	s := &m.screen
	if s.remaining() < 1 {
		if s.attrs[s.window]&wrapping == 0 {
			s.col[s.window] = columns
			return
		}
		m.screenNewLine()
	}
	if s.hidden || c == carriage {
		return
	}
	m.show([]byte{c})
	s.col[s.window]++
}

// flush shows the pending word, or puts it into memory. The cursor stays where it is.
func (m *Machine) flush() {
	s := &m.screen
	word := s.pending[:s.n]
	if s.n == 0 {
		return
	}
	s.n, s.prev = 0, ' '
	switch {
	case s.streams > 0:
		for _, c := range word {
			m.storeStream(m.story.toZSCII(c))
		}
	case !s.hidden:
		m.show(word)
	}
	clear(word)
}

// show emits a word, without the codes for styles and fonts.
func (m *Machine) show(word []byte) {
	if m.options.HideStatus && m.screen.inStatus() {
		return
	}
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c >= ' ' && c <= '~': // nearly all
			m.put(c)
		case c == codeStyle, c == codeFont:
			i++
		case c == tab && i == 0 && m.screen.col[m.screen.window] != 1:
			m.emit(' ')
		default:
			m.emit(c)
		}
	}
}

// newLine ends a line.
func (m *Machine) newLine() {
	m.flush()
	switch {
	case m.screen.streams > 0:
		m.storeStream(carriage)
	case !m.screen.hidden:
		m.screenNewLine()
	}
}

// screenNewLine ends a line on the screen; spec §4.4.
func (m *Machine) screenNewLine() {
	s := &m.screen
	m.emit(carriage)
	w := s.window
	s.col[w] = 1
	switch {
	case w == 0:
		s.row[0] = min(s.row[0]+1, max(rows-s.split, 1))
	case s.row[w] >= s.split:
		s.row[w] = 1
	default:
		s.row[w]++
	}
}

func (m *Machine) setWindow(w uint16) {
	if w > 1 {
		m.fail(IllegalWindow)
		return
	}
	m.selectWindow(int(w))
}

func (m *Machine) selectWindow(w int) {
	m.flush()
	m.screen.window = w
	if w != 0 {
		m.screen.row[w], m.screen.col[w] = 1, 1
	}
}

func (m *Machine) splitWindow(height int) {
	m.flush()
	s := &m.screen
	height = min(height, rows)
	s.row[0] = max(s.row[0]+s.split-int16(height), 1)
	s.split = int16(height)
	if m.story.version <= 3 || s.row[1] > s.split {
		s.row[1], s.col[1] = 1, 1
	}
}

func (m *Machine) eraseWindow(w int16) {
	m.flush()
	s := &m.screen
	switch {
	case w == -1:
		s.split, s.window = 0, 0
		s.row[0], s.col[0] = 1, 1
	case w == -2:
		s.row[0], s.col[0], s.row[1], s.col[1] = 1, 1, 1, 1
	case w == 0, w == 1:
		s.row[w], s.col[w] = 1, 1
	default:
		m.fail(IllegalWindow)
		return
	}
	if m.story.version <= 4 && w != 1 { // the lower window fills from below
		s.row[0] = max(rows-s.split, 1)
	}
}

// setCursor moves the cursor of the upper window; spec §4.5.
func (m *Machine) setCursor(row, col int16) {
	m.flush()
	s := &m.screen
	if s.window == 0 || row < 0 {
		return
	}
	if row != 0 {
		s.row[1] = row
	}
	switch {
	case col < 0, col > columns:
		s.col[1] = 1
	case col != 0:
		s.col[1] = col
	}
}

func (m *Machine) getCursor(addr uint16) {
	m.flush()
	w := m.screen.window
	m.storew(addr, uint16(m.screen.row[w]))
	m.storew(addr+2, uint16(m.screen.col[w]))
}

// bufferMode says whether window 0 shows whole words.
func (m *Machine) bufferMode(on bool) {
	m.flush()
	m.screen.attrs[0] &^= buffering
	if on {
		m.screen.attrs[0] |= buffering
	}
}

// setFont answers with the font before, or 0 for one that there is not.
func (m *Machine) setFont(font uint16) uint16 {
	switch font {
	case 0:
		return 1
	case 1:
		m.appendStyle(codeFont, font)
		return 1
	default:
		return 0
	}
}

// outputStream selects a stream or, by its negative number, deselects it.
func (m *Machine) outputStream(stream int16, table uint16) {
	m.flush()
	s := &m.screen
	switch stream {
	case 1:
		s.hidden = false
	case -1:
		s.hidden = true
	case 2:
		m.setTranscript(1)
	case -2:
		m.setTranscript(0)
	case 3:
		if s.streams == maxMemoryStreams {
			m.fail(StreamNesting)
			return
		}
		s.memory[s.streams] = table
		s.streams++
		m.storew(table, 0)
	case -3:
		s.streams = max(s.streams-1, 0)
		s.memory[s.streams] = 0
	}
}

// storeStream puts a character into the innermost stream in memory: a count, and the text behind it.
func (m *Machine) storeStream(z byte) {
	table := m.screen.memory[m.screen.streams-1]
	n := m.loadw(table)
	m.storeb(table+2+n, z)
	m.storew(table, n+1)
}

// inputStream: there is never a file to read commands from.
func (m *Machine) inputStream(stream uint16) {
	m.flush()
	if stream == 1 {
		m.printString("Cannot open file")
		m.newLine()
	}
}

// Where the parts of a status line begin, in columns from its end; spec §4.6.
const (
	statusScore = 30
	statusTime  = 20
	statusMoves = 14
)

// showStatus writes the status line of versions 1 to 3.
func (m *Machine) showStatus() {
	if m.story.version > 3 {
		return
	}
	m.selectWindow(statusWindow)
	first, second := m.Word(m.story.globals+2), m.Word(m.story.globals+4)
	m.printChar(' ')
	m.printObject(m.Word(m.story.globals))
	if m.story.version == 3 && m.mem[headerFlags1]&2 != 0 {
		m.pad(statusTime)
		half := "am"
		if first >= 12 {
			half = "pm"
		}
		m.printString(fmt.Sprintf("Time: %2d:%02d %s", (first+11)%12+1, second, half))
	} else {
		m.pad(statusScore)
		m.printString("Score: ")
		m.printNumber(int16(first))
		m.pad(statusMoves)
		m.printString("Moves: ")
		m.printNumber(int16(second))
	}
	m.pad(0)
	m.selectWindow(0)
}

// pad shows spaces up to a place counted in columns from the end of the line.
func (m *Machine) pad(place int) {
	m.flush()
	for m.screen.remaining() > place {
		m.printDirect(' ')
	}
}
