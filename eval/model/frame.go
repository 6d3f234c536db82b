package model

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"sync/atomic"

	"heldout/scoring/record"
)

// frame is what the bodies of calls with one decoding have in common: everything
// but the messages and the seed.
type frame struct {
	kind     string
	habit    habit
	decoding record.Decoding

	// head stands before the messages, middle between them and the seed, and tail
	// after the seed. Without a seed of the call, there is no tail.
	head, middle, tail string
	seeded             bool
}

// frames keeps the frame of the last call. It is safe for concurrent use.
type frames struct{ last atomic.Pointer[frame] }

// of returns the frame of calls with that decoding. The calls must neither be
// completions nor have a tool.
func (f *frames) of(name, kind string, d record.Decoding, h habit) (*frame, error) {
	if last := f.last.Load(); last != nil && last.kind == kind && last.habit.equal(h) &&
		reflect.DeepEqual(last.decoding, d) {
		return last, nil
	}
	made, err := newFrame(name, kind, d, h)
	if err == nil {
		f.last.Store(made)
	}
	return made, err
}

// body is the body of a call with these messages, as an Encoder encodes them.
func (f *frame) body(messages []string, seed int64) *body {
	tail := f.middle
	if f.seeded {
		tail += strconv.FormatInt(seed, 10) + f.tail
	}
	return &body{f.head, messages, tail}
}

func newFrame(name, kind string, d record.Decoding, h habit) (*frame, error) {
	fields := chatFields(name, kind, &Request{Decoding: d}, h)
	_, decided := d.Extra[seedField]
	_, sent := fields[seedField]
	f := &frame{kind: kind, habit: h, decoding: d, seeded: sent && !decided}
	part, before := &f.head, "{"
	for _, name := range slices.Sorted(maps.Keys(fields)) { // as json.Marshal does
		*part += before + string(appendText(nil, name)) + ":"
		before = ","
		switch {
		case name == messagesField:
			f.head += "["
			f.middle, part = "]", &f.middle
		case name == seedField && f.seeded:
			part = &f.tail
		default:
			text, err := json.Marshal(fields[name])
			if err != nil {
				return nil, err
			}
			*part += string(text)
		}
	}
	*part += "}"
	return f, nil
}
