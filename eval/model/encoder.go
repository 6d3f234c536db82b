package model

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
	"unique"
)

// Encoder keeps the JSON of a conversation's messages, so that the next call
// encodes only what the conversation has gained. The zero Encoder has none. A
// conversation has one of its own: it is not safe for concurrent use.
type Encoder struct {
	parts []part
	// pieces are the JSON of the parts, with commas between them. Calls may still
	// read the slice, so its elements never change.
	pieces []string
	// first is the first piece. It tends to be long, and the same for all episodes of
	// a task, which then have it in memory once.
	first unique.Handle[string]
}

// part is a message without a call. Its JSON ends with so many pieces.
type part struct {
	role    Role
	content string
	end     int
}

func (p part) is(m Message) bool {
	return p.role == m.Role && p.content == m.Content
}

// continues reports whether the JSON of a message begins like that of the part, up
// to the end of the part's text.
func (p part) continues(m Message) bool {
	last, _ := utf8.DecodeLastRuneInString(p.content)
	// which could be the start of one
	return p.role == m.Role && strings.HasPrefix(m.Content, p.content) && last != utf8.RuneError
}

// encode returns the elements of a JSON array of messages, which have no calls of
// tools.
func (e *Encoder) encode(messages []Message) []string {
	same, both := 0, min(len(e.parts), len(messages))
	for same < both && e.parts[same].is(messages[same]) {
		same++
	}
	var longer *part
	if same < both && e.parts[same].continues(messages[same]) {
		longer = &part{content: e.parts[same].content, end: e.parts[same].end}
	}
	e.cut(same, longer)
	for _, m := range messages[same:] {
		e.add(m, longer)
		longer = nil
	}
	return e.pieces
}

// messageEnd ends the JSON of a message.
const messageEnd = `"}`

// cut keeps that many parts, and of the next one the JSON up to the end of its
// text, if the text goes on.
func (e *Encoder) cut(parts int, goesOn *part) {
	if parts == len(e.parts) {
		return
	}
	kept := 0
	if parts > 0 {
		kept = e.parts[parts-1].end
	}
	e.parts = e.parts[:parts]
	if goesOn == nil {
		e.pieces = slices.Clip(e.pieces[:kept])
		return
	}
	e.pieces = slices.Clone(e.pieces[:goesOn.end])
	last := &e.pieces[goesOn.end-1]
	*last = (*last)[:len(*last)-len(messageEnd)]
}

// add adds a message, or only what it has more than the part before it.
func (e *Encoder) add(m Message, before *part) {
	var buffer [512]byte // most messages fit
	text := buffer[:0]
	if before != nil {
		text = append(appendText(text, m.Content[len(before.content):])[1:], '}')
	} else {
		if len(e.parts) > 0 {
			text = append(text, ',')
		}
		text = appendText(append(text, `{"role":`...), string(m.Role))
		text = append(text, `,"content":`...)
		start := len(text)
		text = appendText(text, m.Content)
		if plain := len(text)-start == len(m.Content)+2; plain && len(m.Content) > shortText {
			// The JSON is the text in quotes, which is in memory already.
			e.pieces = append(e.pieces, string(text[:start+1]), m.Content)
			text = text[start+1+len(m.Content):]
		}
		text = append(text, '}')
	}
	piece := string(text)
	if len(e.pieces) == 0 {
		e.first = unique.Make(piece)
		piece = e.first.Value()
	}
	e.pieces = append(e.pieces, piece)
	e.parts = append(e.parts, part{m.Role, m.Content, len(e.pieces)})
}

// shortText is the longest text whose JSON is always kept.
const shortText = 64

func appendText(b []byte, text string) []byte {
	whole, err := json.Marshal(text)
	if err != nil {
		panic(err) // every text has a JSON
	}
	return append(b, whole...)
}
