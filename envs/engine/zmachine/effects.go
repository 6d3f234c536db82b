package zmachine

// effect is what an instruction did besides computing and writing memory: it
// noted a change of an object, or did something on the screen.
type effect struct {
	kind effectKind
	a, b uint16
}

// effectKind is a kind of effect. The first ones are the kinds of changes; those
// from effectScreen on are instructions of executeScreen, by their opcode.
type effectKind uint8

const (
	effectChar   = effectKind(changeKinds)
	effectScreen = effectChar + 1
)

// noteChar notes that a character is printed. What goes into memory is noted
// there.
func (m *Machine) noteChar(c byte) {
	if m.streams() == 0 {
		m.memo.did = append(m.memo.did, effect{effectChar, uint16(c), 0})
	}
}

// noteScreen notes an instruction of executeScreen. While text goes into memory,
// most of them do something that no recording sees.
func (m *Machine) noteScreen(op opcode) {
	e := effect{effectScreen + effectKind(op), m.arg(0), m.arg(1)}
	switch {
	case m.streams() > 0:
		if op != opOutputStream && op != opTextStyle {
			m.abandon()
		}
		return
	case op == opOutputStream: // for a screen, to begin or end in memory is to show the pending word
		e = effect{effectScreen + effectKind(opEraseLine), 0, 0}
	}
	m.memo.did = append(m.memo.did, e)
}

// performAll does again what instructions did.
func (m *Machine) performAll(effects []effect) {
	tracing := m.tracing
	if tracing {
		m.memo.did = append(m.memo.did, effects...)
	}
	m.tracing = false // all is noted
	for _, e := range effects {
		switch {
		case e.kind == effectChar:
			m.printChar(byte(e.a))
		case e.kind < effectChar:
			m.note(changeKind(e.kind), e.a, e.b)
		default:
			m.args[0], m.args[1], m.count = e.a, e.b, 2
			m.executeScreen(opcode(e.kind - effectScreen))
		}
	}
	m.tracing = tracing
}

// longestWord is how many bytes, at most, effects put behind the word that is
// waiting to be shown, before it is.
func longestWord(effects []effect) int {
	longest, n := 0, 0
	for _, e := range effects {
		switch {
		case e.kind < effectChar:
		case e.kind == effectChar && (e.a == ' ' || e.a == carriage):
			n = 1
		default:
			n += 2 // a style takes two
		}
		longest = max(longest, n)
	}
	return longest
}
