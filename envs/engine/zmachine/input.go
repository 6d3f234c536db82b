package zmachine

import (
	_ "embed"
	"strings"
)

// maxAction is how many bytes of an action are read; spec §3.3.
const maxAction = 198

// margin is the number of columns that a line of input wants.
const margin = 10

// Keys without characters; Standard, section 3.8.4. Mouse and menu have other codes in an action than in a story.
const (
	firstKey    = 129
	lastKey     = 154
	singleClick = 155
	doubleClick = 156
	menuClick   = 157
	anyKey      = 255
)

// blanking are releases of Infocom, with their serial numbers, in which the reference reads
// question marks as blanks.
//
//go:embed blanking.txt
var blanking string

// input is what was typed and has not been read.
type input struct {
	ready    bool   // the action is waiting
	prompted bool   // the screen is ready for a line
	action   string // with a carriage return at its end
	line     string // typed ahead of the next read of a line
	keys     string // and of the next read of a key
}

// unescape replaces a backslash and the byte behind it by the key for which they stand, if there is one.
var unescape = func() *strings.Replacer {
	pairs := []string{`\\`, `\`, `\_`, "\r", "\\\n", "\r", `\?`, "\b", `\[`, "\x1B"}
	for i, c := range "^.<>1234567890" { // cursor and function keys
		pairs = append(pairs, `\`+string(c), string([]byte{firstKey + byte(i)}))
	}
	for c := range 256 {
		pairs = append(pairs, string([]byte{'\\', byte(c)}), "")
	}
	return strings.NewReplacer(append(pairs, `\`, "", "\n", "\r")...)
}()

// translateAction prepares an action for reading; spec §5. It is read byte by
// byte, so that a letter beyond ASCII is two or more characters.
func translateAction(action string) string {
	action, _, _ = strings.Cut(action[:min(len(action), maxAction)], "\x00")
	return unescape.Replace(action) + "\r"
}

// takeLine removes a line from what was typed, and says which key ended it. A click that would
// end it is nothing, for there is no mouse.
func (m *Machine) takeLine() (line []byte, key byte) {
	in := &m.input
	in.keys = ""
	if in.line == "" {
		in.line = in.action
	}
	for key == 0 {
		c := in.line[0]
		in.line = in.line[1:]
		switch ends := c == carriage || m.terminates(c); {
		case !ends:
			line = append(line, c)
		case c != singleClick && c != doubleClick:
			key = c
		}
	}
	if in.line == "\r" {
		in.line = ""
	}
	return line, key
}

// noKeys takes out what no key types.
var noKeys = strings.NewReplacer("\x7F", "", string([]byte{singleClick}), "", string([]byte{doubleClick}), "")

// takeKey removes a key from what was typed.
func (m *Machine) takeKey() byte {
	in := &m.input
	in.line = ""
	if in.keys == "" {
		in.keys = noKeys.Replace(strings.TrimSuffix(in.action, "\r"))
		if in.keys == "" {
			in.keys = "\r"
		}
	}
	key := in.keys[0]
	in.keys = in.keys[1:]
	return key
}

// terminates reports whether a key ends a line by the story's own table.
func (m *Machine) terminates(c byte) bool {
	table := uint16(m.story.word(headerTerminators))
	if m.story.version < 5 || table == 0 || c < firstKey || c > menuClick {
		return false
	}
	for m.charge(1) {
		k := m.loadb(table)
		if k == 0 {
			return false
		}
		if k == uint16(m.story.toZSCII(c)) || k == anyKey {
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
// text that was in it already, up to a 0, stays in front.
func (m *Machine) storeLine(buffer uint16, line []byte, lowered bool) {
	addr := buffer + 1
	if m.story.version >= 5 {
		addr++
		var offered []byte
		for i := range m.loadb(buffer + 1) {
			z := m.loadb(addr + i)
			if z == 0 {
				break
			}
			offered = append(offered, m.story.fromZSCII(z))
		}
		line = append(offered, line...)
	}
	for _, c := range line {
		if lowered {
			c = lower(c)
		}
		if c == '?' && m.story.blanks {
			c = ' '
		}
		m.storeb(addr, m.story.toZSCII(c))
		addr++
	}
	if m.story.version >= 5 {
		m.storeb(buffer+1, byte(len(line)))
	} else {
		m.storeb(addr, 0)
	}
}
