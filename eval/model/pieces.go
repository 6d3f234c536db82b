package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

var (
	errPieces   = errors.New("the pieces of the reply cannot be read")
	errNoPieces = errors.New("the reply holds no message, not even a piece")
	errCutOff   = errors.New("the reply breaks off")
)

// joinPieces makes a reply that came in pieces, asked for or not, one of the form that whole replies have.
func (x *exchange) joinPieces() error {
	if !x.answered() || !x.inPieces() {
		return nil
	}
	assembled := joined{}
	for data, err := range events(x.reply) {
		switch {
		case err != nil:
			return err
		case string(data) == endOfEvents:
			assembled.done = true
		default:
			if err := assembled.add(data); err != nil {
				return err
			}
		}
	}
	switch {
	case !assembled.done:
		return errCutOff
	case assembled.rest == nil:
		return errNoPieces
	}
	reply, err := json.Marshal(assembled.fields())
	x.release()
	x.reply = reply
	x.caller.inUse.Add(int64(cap(reply)))
	return err
}

const (
	eventStart  = "data:"
	endOfEvents = "[DONE]"
	// mostLines is how many lines the data of an event have at most.
	mostLines = 256
)

var (
	byteOrderMark = []byte("\ufeff")
	anyLineEnd    = strings.NewReplacer("\r\n", "\n", "\r", "\n")
)

// events are the data of a stream's events. Servers leave out the blank line between two, and spread
// JSON over several lines, so an event ends where its JSON does.
func events(stream []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var data []byte
		lines := 0
		for line := range strings.SplitSeq(anyLineEnd.Replace(string(bytes.TrimPrefix(stream, byteOrderMark))), "\n") {
			line = strings.TrimSpace(line)
			part, isData := strings.CutPrefix(line, eventStart)
			switch part = strings.TrimSpace(part); {
			case line == "" && lines > 0 || lines > mostLines:
				yield(nil, errPieces)
				return
			case !isData || part == "":
				continue
			case part == endOfEvents && lines == 0:
				yield([]byte(part), nil)
				return
			}
			data, lines = append(append(data, part...), '\n'), lines+1
			if event := finite(data).Bytes(); json.Valid(event) {
				if !yield(event, nil) {
					return
				}
				data, lines = nil, 0
			}
		}
		if lines > 0 {
			yield(nil, errCutOff)
		}
	}
}

// inPieces reports whether a reply is a list of events: a server that was asked for JSON may
// send them without saying so, and JSON that it calls a list of events.
func (x *exchange) inPieces() bool {
	text := bytes.TrimSpace(bytes.TrimPrefix(x.reply, byteOrderMark))
	for _, start := range []string{eventStart, "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(text, []byte(start)) {
			return true
		}
	}
	kind, _, _ := strings.Cut(x.header.Get("Content-Type"), ";")
	return strings.TrimSpace(kind) == "text/event-stream" && !bytes.HasPrefix(text, []byte("{"))
}

// joined is the reply that pieces add up to.
type joined struct {
	message map[string]any
	text    string // of a completion
	finish  any
	rest    map[string]any // the other fields of the last pieces, usage among them
	chosen  bool           // a piece had a choice
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

// add adds a piece. A reason to finish ends the text, and so do the tokens that it took.
func (j *joined) add(data []byte) error {
	var p piece
	var fields map[string]any
	if json.Unmarshal(data, &fields) != nil || json.Unmarshal(data, &p) != nil {
		return errPieces
	}
	delete(fields, "choices")
	if j.rest == nil {
		j.rest = map[string]any{}
	}
	maps.DeleteFunc(fields, func(_ string, value any) bool { return value == nil })
	maps.Copy(j.rest, fields)
	counted := p.Choices != nil && len(p.Choices) == 0 && fields["usage"] != nil
	j.done = j.done || !hollow(fields["error"]) || counted && j.chosen
	for _, c := range p.Choices {
		if index := fmt.Sprint(c.Index); c.Index != nil && index != "0" && index != "" { // nobody asked for several
			continue
		}
		j.chosen = true
		if j.message == nil && (c.Delta != nil || c.Message != nil) {
			j.message = map[string]any{}
		}
		if len(c.Delta) > 0 {
			extend(j.message, c.Delta)
		} else {
			j.replace(c.Message)
		}
		j.text += c.Text
		if c.Finish != nil && c.Finish != "" {
			j.finish, j.done = c.Finish, true
		}
	}
	return nil
}

// replace adds a message that may be all so far.
func (j *joined) replace(message map[string]any) {
	for name, value := range message {
		old, _ := j.message[name].(string)
		if text, ok := value.(string); ok && strings.HasPrefix(text, old) {
			delete(j.message, name)
		}
	}
	extend(j.message, message)
}

// fields are the fields of the whole reply.
func (j *joined) fields() map[string]any {
	fields := maps.Clone(j.rest)
	choices := []any{}
	if j.chosen {
		choice := map[string]any{"index": 0, "text": j.text, "finish_reason": j.finish}
		if j.message != nil {
			choice["message"] = j.message
		}
		choices = append(choices, choice)
	}
	fields["choices"] = choices
	return fields
}

// growing are the fields whose text comes in pieces.
var growing = []string{"content", "reasoning_content", "reasoning", "refusal", "arguments", "text", "thinking"}

// extend adds the fields of a piece to those so far.
func extend(sum, piece map[string]any) {
	for name, value := range piece {
		switch value := value.(type) {
		case nil:
		case string:
			if list, ok := sum[name].([]any); ok { // Mistral's models think in lists and speak in texts
				sum[name] = append(list, value)
				continue
			}
			old, _ := sum[name].(string)
			if slices.Contains(growing, name) {
				value = old + value
			}
			sum[name] = value
		case map[string]any:
			part, _ := sum[name].(map[string]any)
			if part == nil {
				part = map[string]any{}
			}
			extend(part, value)
			sum[name] = part
		case []any:
			list, ok := sum[name].([]any)
			if !ok && sum[name] != nil {
				list = []any{sum[name]}
			}
			sum[name] = extendList(list, value)
		default:
			sum[name] = value
		}
	}
}

// extendList adds to the entries that have the same index, as the calls of tools have, and others at the end.
func extendList(sum, pieces []any) []any {
	for _, p := range pieces {
		part, _ := p.(map[string]any)
		place := slices.IndexFunc(sum, func(w any) bool {
			entry, _ := w.(map[string]any)
			return part["index"] != nil && fmt.Sprint(entry["index"]) == fmt.Sprint(part["index"])
		})
		if place < 0 {
			sum = append(sum, p)
			continue
		}
		extend(sum[place].(map[string]any), part)
	}
	return sum
}
