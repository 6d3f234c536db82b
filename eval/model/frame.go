package model

import (
	"encoding/json"
	"strconv"
	"strings"

	"heldout/scoring/record"
)

// frame is what the bodies of many requests have in common: the JSON of all fields but
// messages and seed.
type frame struct {
	framed
	// head stands before the messages, middle before the seed, tail after it.
	head, middle, tail string
	// seeded: the seed is sent, and nothing in its place.
	seeded bool
}

// framed is what a frame follows from.
type framed struct {
	decoding record.Decoding
	kind     string
	habit    habit
}

// What stands in a frame for messages and seed: texts in a form that is never encoded.
const (
	messagesHole = `"\u006d"`
	seedHole     = `"\u0073"`
)

func newFrame(name string, req *Request, from framed) (*frame, error) {
	whole, err := json.Marshal(chatFields(name, from.kind, req, json.RawMessage(messagesHole),
		json.RawMessage(seedHole), from.habit))
	if err != nil {
		return nil, err
	}
	f := &frame{framed: from}
	head, rest, _ := strings.Cut(string(whole), messagesHole)
	f.head = head + "["
	f.middle, f.tail, f.seeded = strings.Cut("]"+rest, seedHole)
	return f, nil
}

// body is that of a request of this frame.
func (f *frame) body(req *Request) *body {
	b := &body{head: f.head, pieces: req.Encoder.encode(req.Messages), tail: f.middle}
	if f.seeded {
		b.tail = f.middle + strconv.FormatInt(req.Seed, 10) + f.tail
	}
	return b
}
