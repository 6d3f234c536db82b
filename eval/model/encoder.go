package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Encoder keeps the body of a conversation's last call, so that the next call
// encodes only what the conversation has gained. The zero Encoder has none. A
// conversation has one of its own: it is not safe for concurrent use.
type Encoder struct {
	parts []part
	// head is the length of what stands before the first message.
	head int
	body []byte
	// lent: somebody may still read body, which must not be overwritten then.
	lent bool
}

// part is a message in the body, up to that end. It has no call.
type part struct {
	role    Role
	content string
	end     int
}

// is reports whether the part is that message.
func (p part) is(m Message) bool {
	return p.role == m.Role && p.content == m.Content
}

// encode returns the body of a call with these messages, which have no calls of
// tools, and that seed. The result is lent to the caller, who gives it back or
// keeps it.
func (e *Encoder) encode(f *frame, messages []Message, seed int64) []byte {
	if e.head != len(f.head) || !bytes.HasPrefix(e.body, f.head) {
		e.parts, e.body, e.head = e.parts[:0], f.head, len(f.head)
		e.lent = true // to the frame
	}
	same, both := 0, min(len(e.parts), len(messages))
	for same < both && e.parts[same].is(messages[same]) {
		same++
	}
	kept, rest := e.head, ""
	switch {
	case same < both && e.parts[same].continues(messages[same]):
		kept, rest = e.parts[same].end-len(messageEnd), messages[same].Content[len(e.parts[same].content):]
	case same > 0:
		kept = e.parts[same-1].end
	}
	e.parts, e.body = e.parts[:same], e.body[:kept]
	if e.lent {
		e.body = slices.Clone(e.body)
	}
	e.lent = true
	for _, m := range messages[same:] {
		e.add(m, rest)
		rest = ""
	}
	e.write(f.middle)
	if f.seeded {
		var digits [20]byte
		e.write(strconv.AppendInt(digits[:0], seed, 10))
		e.write(f.tail)
	}
	return e.body
}

// messageEnd ends the JSON of a message.
const messageEnd = `"}`

// continues reports whether the JSON of a message begins like that of the part, up
// to the end of the part's text.
func (p part) continues(m Message) bool {
	last, _ := utf8.DecodeLastRuneInString(p.content)
	return p.role == m.Role && strings.HasPrefix(m.Content, p.content) && last != utf8.RuneError // which could be the start of one
}

// add adds a message, or only the rest of its text if the body has the message up
// to there.
func (e *Encoder) add(m Message, rest string) {
	var buffer [512]byte // most messages fit
	text := buffer[:0]
	if rest != "" {
		text = append(appendText(text, rest)[1:], '}') // the text goes on
	} else {
		if len(e.parts) > 0 {
			text = append(text, ',')
		}
		text = appendText(append(text, `{"role":`...), string(m.Role))
		text = appendText(append(text, `,"content":`...), m.Content)
		text = append(text, '}')
	}
	e.write(text)
	e.parts = append(e.parts, part{m.Role, m.Content, len(e.body)})
}

// appendText is json.Marshal of a text, with a shorter way for what most texts
// consist of.
func appendText(b []byte, text string) []byte {
	start := len(b)
	b = append(b, '"')
	from := 0
	for i := range len(text) {
		escape := byte(0)
		switch c := text[i]; {
		case c == '\n':
			escape = 'n'
		case c == '"', c == '\\':
			escape = c
		case c < ' ', c > '~', c == '<', c == '>', c == '&':
			whole, err := json.Marshal(text)
			if err != nil {
				panic(err) // every text has a JSON
			}
			return append(b[:start], whole...)
		default:
			continue
		}
		b = append(append(b, text[from:i]...), '\\', escape)
		from = i + 1
	}
	return append(append(b, text[from:]...), '"')
}

// bodyStep is by how many bytes a body grows: an episode has one for as long as it
// lasts, and twice the size of it is too much.
const bodyStep = 2 << 10

// write appends to the body.
func (e *Encoder) write(text []byte) {
	if free := cap(e.body) - len(e.body); free < len(text) {
		grown := make([]byte, len(e.body), len(e.body)+len(text)+bodyStep)
		copy(grown, e.body)
		e.body = grown
	}
	e.body = append(e.body, text...)
}

// giveBack says that nobody reads a body any more. A body that is not the last one
// is ignored.
func (e *Encoder) giveBack(body []byte) {
	if len(body) > 0 && len(e.body) > 0 && &body[0] == &e.body[0] {
		e.lent = false
	}
}
