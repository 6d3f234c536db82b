package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
)

var (
	errPieces   = errors.New("the pieces of the reply cannot be read")
	errNoPieces = errors.New("the reply holds no message, not even a piece")
	errCutOff   = errors.New("the reply breaks off")
	eventStart  = []byte("data:")
)

// joinPieces makes a reply that came in pieces, asked for or not, one of the form that whole
// replies have.
func (x *exchange) joinPieces() error {
	if !x.answered() || !x.inPieces() {
		return nil
	}
	whole := joined{}
	for line := range bytes.Lines(x.reply) {
		data, isEvent := bytes.CutPrefix(bytes.TrimSpace(line), eventStart)
		if data = bytes.TrimSpace(data); !isEvent || len(data) == 0 {
			continue
		}
		if string(data) == "[DONE]" {
			whole.done = true
			break
		}
		if err := whole.add(data); err != nil {
			return err
		}
	}
	switch {
	case !whole.done:
		return errCutOff
	case whole.rest == nil:
		return errNoPieces
	}
	reply, err := json.Marshal(whole.fields())
	x.release()
	x.reply = reply
	x.inUse.Add(int64(cap(reply)))
	return err
}

// inPieces reports whether a reply is a list of events: a server that was asked for JSON may
// send them without saying so.
func (x *exchange) inPieces() bool {
	kind, _, _ := strings.Cut(x.header.Get("Content-Type"), ";")
	return strings.TrimSpace(kind) == "text/event-stream" || bytes.HasPrefix(x.reply, eventStart)
}

// joined is the reply that pieces add up to.
type joined struct {
	message map[string]any
	text    string // of a completion
	finish  any
	rest    map[string]any // the other fields of the last pieces, usage among them
	done    bool
}

type piece struct {
	Choices []struct {
		Index   any            `json:"index"`
		Delta   map[string]any `json:"delta"`
		Message map[string]any `json:"message"`
		Text    string         `json:"text"`
		Finish  any            `json:"finish_reason"`
	} `json:"choices"`
}

// add adds a piece. A reason to finish ends the text.
func (j *joined) add(data []byte) error {
	var p piece
	var all map[string]any
	if json.Unmarshal(data, &all) != nil || json.Unmarshal(data, &p) != nil {
		return errPieces
	}
	delete(all, "choices")
	if j.rest == nil {
		j.rest = map[string]any{}
	}
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	maps.Copy(j.rest, all)
	j.done = j.done || all["error"] != nil
	for _, c := range p.Choices {
		if c.Index != nil && c.Index != 0. { // nobody asked for several
			continue
		}
		if j.message == nil && (c.Delta != nil || c.Message != nil) {
			j.message = map[string]any{}
		}
		extend(j.message, c.Delta)
		extend(j.message, c.Message)
		j.text += c.Text
		if c.Finish != nil && c.Finish != "" {
			j.finish, j.done = c.Finish, true
		}
	}
	return nil
}

// fields are those of the whole reply.
func (j *joined) fields() map[string]any {
	fields := maps.Clone(j.rest)
	choice := map[string]any{"index": 0, "text": j.text, "finish_reason": j.finish}
	if j.message != nil {
		choice["message"] = j.message
	}
	fields["choices"] = []any{choice}
	return fields
}

// growing are the fields whose text comes in pieces.
var growing = []string{"content", "reasoning_content", "reasoning", "refusal", "arguments", "text", "thinking"}

// extend adds the fields of a piece to those so far.
func extend(whole, piece map[string]any) {
	for name, value := range piece {
		switch value := value.(type) {
		case nil:
		case string:
			before, _ := whole[name].(string)
			if slices.Contains(growing, name) {
				value = before + value
			}
			whole[name] = value
		case map[string]any:
			part, _ := whole[name].(map[string]any)
			if part == nil {
				part = map[string]any{}
			}
			extend(part, value)
			whole[name] = part
		case []any:
			list, _ := whole[name].([]any)
			whole[name] = extendList(list, value)
		default:
			whole[name] = value
		}
	}
}

// extendList adds to the entries that have the same index, as the calls of tools have, and
// others at the end.
func extendList(whole, pieces []any) []any {
	for _, p := range pieces {
		part, _ := p.(map[string]any)
		at := slices.IndexFunc(whole, func(w any) bool {
			entry, _ := w.(map[string]any)
			return part["index"] != nil && entry["index"] == part["index"]
		})
		if at < 0 {
			whole = append(whole, p)
			continue
		}
		extend(whole[at].(map[string]any), part)
	}
	return whole
}
