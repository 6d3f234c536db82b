package zmachine

import "strings"

// maxAction is how many bytes of an action are read; spec §3.3.
const maxAction = 198

// margin is the number of columns that a line of input wants.
const margin = 10

// Keys without characters; Standard, section 3.8.4.
const (
	firstKey = 129
	lastKey  = 154
	anyKey   = 255
)

// input is what was typed and has not been read.
type input struct {
	ready    bool   // the action is waiting
	prompted bool   // the screen is ready for a line
	action   string // with a carriage return at its end
	line     string // typed ahead of the next read of a line
	keys     string // and of the next read of a key
}

// translateAction prepares an action for reading; spec §5. It is read byte by
// byte, so that a letter beyond ASCII is two or more characters.
func translateAction(action string) string {
	action = action[:min(len(action), maxAction)]
	if i := strings.IndexByte(action, 0); i >= 0 {
		action = action[:i]
	}
	action = strings.ReplaceAll(action, `\_`, "\r") // the reference's way to type a line break
	action = strings.ReplaceAll(action, "\\", "")
	return strings.ReplaceAll(action, "\n", "\r") + "\r"
}

// takeLine removes a line from what was typed, and says which key ended it.
func (m *Machine) takeLine() (line string, key byte) {
	in := &m.input
	in.keys = ""
	if in.line == "" {
		in.line = in.action
	}
	for i := range len(in.line) {
		if c := in.line[i]; c == carriage || m.terminates(c) {
			line, key, in.line = in.line[:i], c, in.line[i+1:]
			break
		}
	}
	if in.line == "\r" {
		in.line = ""
	}
	return line, key
}

// takeKey removes a key from what was typed.
func (m *Machine) takeKey() byte {
	in := &m.input
	in.line = ""
	if in.keys == "" {
		if in.keys = in.action; len(in.keys) > 1 {
			in.keys = strings.TrimSuffix(in.keys, "\r")
		}
	}
	key := in.keys[0]
	in.keys = in.keys[1:]
	return key
}

// terminates reports whether a key ends a line by the story's own table.
func (m *Machine) terminates(c byte) bool {
	table := uint16(m.story.word(headerTerminators))
	if m.story.version < 5 || table == 0 || c < firstKey || c > lastKey {
		return false
	}
	for m.charge(1) {
		k := m.loadb(table)
		if k == 0 {
			return false
		}
		if k == uint16(c) || k == anyKey {
			return true
		}
		table++
	}
	return false
}

// Prompt shows what the story shows before it reads a line, if that is what it waits
// for. The next Step then does not; nothing else is different.
func (m *Machine) Prompt() {
	if m.fault == nil && m.mem[m.pc] == opcodeRead {
		m.budget = m.options.Budget
		m.prompt()
	}
}

// prompt gets the screen ready for a line of input.
func (m *Machine) prompt() {
	if m.input.prompted {
		return
	}
	m.input.prompted = true
	m.flush()
	m.showStatus()
	if m.screen.window == 0 && m.screen.remaining() < margin {
		m.screenNewLine()
	}
}

// readLine executes read, and returns the key that ended the line.
func (m *Machine) readLine() uint16 {
	m.input.ready = false
	buffer, parse := m.arg(0), m.arg(1)
	m.prompt()
	m.input.prompted = false
	line, key := m.takeLine()
	if key == carriage {
		m.screenNewLine()
	}
	m.storeLine(buffer, line, key == carriage)
	if key == carriage && parse != 0 {
		m.tokenise(buffer, parse, 0, false)
	}
	return uint16(m.story.toZSCII(key))
}

// storeLine puts a line into a text buffer, whatever size that says it has. The
// text that was in it already stays in front.
func (m *Machine) storeLine(buffer uint16, line string, lowered bool) {
	addr := buffer + 1
	if m.story.version >= 5 {
		addr = buffer + 2 + m.loadb(buffer+1)
	}
	for i := range len(line) {
		c := line[i]
		if lowered {
			c = lower(c)
		}
		if c == '?' && m.options.BlankQuestionMarks {
			c = ' '
		}
		m.storeb(addr, m.story.toZSCII(c))
		addr++
	}
	if m.story.version >= 5 {
		m.storeb(buffer+1, byte(addr-buffer-2))
	} else {
		m.storeb(addr, 0)
	}
}

// readChar executes read_char, and returns the key.
func (m *Machine) readChar() uint16 {
	m.input.ready = false
	m.flush()
	return uint16(m.story.toZSCII(m.takeKey()))
}
