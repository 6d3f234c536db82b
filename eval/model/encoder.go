package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// Encoder keeps the body of a conversation's last call, so that the next call
// encodes only what the conversation has gained. The zero Encoder has none. A
// conversation has one of its own: it is not safe for concurrent use.
type Encoder struct {
	messages []Message
	// ends are the lengths of body after each message.
	ends []int
	// head is the length of what stands before the first message.
	head int
	body []byte
	// lent: somebody may still read body, which must not be overwritten then.
	lent bool
}

// encode returns head, the messages as elements of a JSON array, and tail. The
// result is lent to the caller, who gives it back or keeps it.
func (e *Encoder) encode(head []byte, messages []Message, tail []byte) ([]byte, error) {
	if e.head != len(head) || !bytes.HasPrefix(e.body, head) {
		e.messages, e.ends, e.body, e.head = e.messages[:0], e.ends[:0], head, len(head)
		e.lent = true // to whoever has head
	}
	same := 0
	for same < min(len(e.messages), len(messages)) && e.messages[same] == messages[same] {
		same++
	}
	kept, rest := e.head, ""
	switch {
	case same < min(len(e.messages), len(messages)) && continues(e.messages[same], messages[same]):
		kept, rest = e.ends[same]-len(messageEnd), messages[same].Content[len(e.messages[same].Content):]
	case same > 0:
		kept = e.ends[same-1]
	}
	e.messages, e.ends, e.body = e.messages[:same], e.ends[:same], e.body[:kept]
	if e.lent {
		e.body = slices.Clone(e.body)
	}
	e.lent = true
	for _, m := range messages[same:] {
		if err := e.add(m, rest); err != nil {
			*e = Encoder{}
			return nil, err
		}
		rest = ""
	}
	e.write(tail)
	return e.body, nil
}

// messageEnd ends the JSON of a message.
const messageEnd = `"}`

// continues reports whether the JSON of b begins like that of a, up to the end of
// a's text.
func continues(a, b Message) bool {
	last, _ := utf8.DecodeLastRuneInString(a.Content)
	return a.Role == b.Role && strings.HasPrefix(b.Content, a.Content) && last != utf8.RuneError // which could be the start of one
}

// add adds a message, or only the rest of its text if the body has the message up
// to there.
func (e *Encoder) add(m Message, rest string) error {
	var text []byte
	var err error
	if rest != "" {
		text, err = json.Marshal(rest)
		text = append(text[1:], '}') // the text goes on
	} else {
		text, err = json.Marshal(m)
		if len(e.messages) > 0 {
			e.write([]byte{','})
		}
	}
	if err != nil {
		return err
	}
	e.write(text)
	e.messages, e.ends = append(e.messages, m), append(e.ends, len(e.body))
	return nil
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
