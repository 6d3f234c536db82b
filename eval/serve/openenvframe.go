package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// The protocol's name in metrics and logs.
const openEnv = "openenv"

// The codes of OpenEnv's errors.
const (
	invalidJSON     = "INVALID_JSON"
	unknownType     = "UNKNOWN_TYPE"
	validationError = "VALIDATION_ERROR"
	executionError  = "EXECUTION_ERROR"
	capacityReached = "CAPACITY_REACHED"
	sessionError    = "SESSION_ERROR"
)

// errBroken says that a frame ends the session: it is no object, or binary.
var errBroken = errors.New("the frame is no JSON object")

// frameError is an error frame.
type frameError struct {
	code, message string
	errors        []fieldError
	active, max   int // sessions, if there are too many
}

func (e *frameError) Error() string { return e.message }

func invalid(errs ...fieldError) error {
	return &frameError{code: validationError, message: "Invalid message", errors: errs}
}

// request is a frame of a client.
type request struct {
	kind   string // reset, step, state, close or mcp
	data   json.RawMessage
	action string // of a step
}

// readFrame reads a frame. The error is a *frameError or errBroken.
func readFrame(frame []byte) (request, error) {
	if action, ok := plainStep(frame); ok {
		return request{kind: "step", action: action}, nil
	}
	return readAnyFrame(frame)
}

// plainStep reads a step as clients usually write it, which is nearly every frame.
// Others, and those with anything to complain of, are left to readAnyFrame, which
// reads the same in them.
func plainStep(frame []byte) (action string, ok bool) {
	rest, ok := plainTokens(frame, "{", `"type"`, ":", `"step"`, ",", `"data"`, ":", "{", `"message"`, ":")
	if !ok {
		return "", false
	}
	text, rest, ok := plainString(rest)
	if !ok || len(text) > MaxAction {
		return "", false
	}
	rest, ok = plainTokens(rest, "}", "}")
	return string(text), ok && len(rest) == 0
}

// plainTokens cuts tokens of JSON, and the blanks around them, from the front.
func plainTokens(b []byte, tokens ...string) (rest []byte, ok bool) {
	for _, token := range tokens {
		if b, ok = bytes.CutPrefix(bytes.TrimLeft(b, blanks), []byte(token)); !ok {
			return nil, false
		}
	}
	return bytes.TrimLeft(b, blanks), true
}

// blanks are those of JSON.
const blanks = " \t\r\n"

// plainString reads a JSON string of printable ASCII without escapes.
func plainString(b []byte) (text, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, false
	}
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"':
			return b[1:i], b[i+1:], true
		case c < ' ' || c == '\\' || c >= utf8.RuneSelf:
			return nil, nil, false
		}
	}
	return nil, nil, false
}

// readAnyFrame reads a frame of any form.
func readAnyFrame(frame []byte) (request, error) {
	if tooDeep(frame) {
		return request{}, &frameError{code: invalidJSON, message: fmt.Sprintf("Invalid JSON: nested deeper than %d",
			maxDepth)}
	}
	var values object
	if err := json.Unmarshal(frame, &values); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) || len(bytes.TrimSpace(frame)) == 0 {
			return request{}, &frameError{code: invalidJSON, message: "Invalid JSON: " + err.Error()}
		}
		return request{}, errBroken
	}
	if values == nil {
		return request{}, errBroken // null
	}
	q := request{data: values["data"]}
	if kind(values["type"]) == '"' {
		_ = json.Unmarshal(values["type"], &q.kind) // it is valid
	} else {
		q.kind = pythonText(values["type"])
	}
	_, hasData := values["data"]
	switch q.kind {
	case "step":
		return q.readStep(frame, values, hasData)
	case "reset":
		if hasData && kind(q.data) != '{' {
			return q, invalid(append([]fieldError{wrong("dict_type", "data", "Input should be a valid dictionary",
				q.data)}, extra(frame, values, "type", "data")...)...)
		}
		return q, onlyKeys(frame, values, "type", "data")
	case "mcp":
		switch {
		case !hasData:
			return q, invalid(append([]fieldError{missing("data", frame)}, extra(frame, values, "type")...)...)
		case kind(q.data) != '{':
			return q, invalid(append([]fieldError{wrong("dict_type", "data", "Input should be a valid dictionary",
				q.data)}, extra(frame, values, "type", "data")...)...)
		}
		return q, onlyKeys(frame, values, "type", "data")
	case "state", "close":
		return q, onlyKeys(frame, values, "type")
	}
	return q, &frameError{code: unknownType, message: "Unknown message type: " + clipped(q.kind)}
}

// onlyKeys reports keys that are not known.
func onlyKeys(frame []byte, values object, known ...string) error {
	have := 0
	for _, key := range known {
		if _, ok := values[key]; ok {
			have++
		}
	}
	if have == len(values) {
		return nil
	}
	return invalid(extra(frame, values, known...)...)
}

// readStep reads the action of a step.
func (q request) readStep(frame []byte, values object, hasData bool) (request, error) {
	var errs []fieldError
	switch {
	case !hasData:
		errs = append(errs, missing("data", frame))
	case kind(q.data) != '{':
		errs = append(errs, wrong("dict_type", "data", "Input should be a valid dictionary", q.data))
	}
	if hasData && len(values) > 2 || !hasData && len(values) > 1 {
		errs = append(errs, extra(frame, values, "type", "data")...)
	}
	if len(errs) > 0 {
		return q, invalid(errs...)
	}
	var bad []fieldError
	if q.action, bad = readAction(q.data); len(bad) > 0 {
		return q, invalid(bad...)
	}
	return q, nil
}

// readAction reads an action object.
func readAction(whole json.RawMessage) (string, []fieldError) {
	var values object
	if json.Unmarshal(whole, &values) != nil {
		return "", []fieldError{wrong("dict_type", "action", "Input should be a valid dictionary", whole)}
	}
	f := &fields{values: values}
	known := 1
	if metadata, ok := values["metadata"]; ok {
		known++
		if kind(metadata) != '{' {
			f.errs = append(f.errs, wrong("dict_type", "metadata", "Input should be a valid dictionary", metadata))
		}
	}
	action := ""
	if _, ok := values["message"]; ok {
		action = f.text("message", MaxAction)
	} else {
		known--
		f.errs = append(f.errs, missing("message", whole))
	}
	if len(values) > known {
		f.errs = append(f.errs, extra(whole, values, "message", "metadata")...)
	}
	return action, f.errs
}

// pythonText writes a JSON value that is no string as the reference does.
func pythonText(raw json.RawMessage) string {
	switch string(raw) {
	case "null":
		return "None"
	case "true":
		return "True"
	case "false":
		return "False"
	}
	return string(raw)
}

// clipped is a text of a client, of a bounded length.
func clipped(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return string([]rune(s[:most])) + "…"
}

// appendError appends an error frame.
func appendError(b []byte, e *frameError, more ...string) []byte {
	b = append(b, `{"type":"error","data":{"message":`...)
	b = appendString(b, e.message)
	b = append(b, `,"code":`...)
	b = appendString(b, e.code)
	if len(e.errors) > 0 {
		list, err := compact(e.errors)
		if err == nil {
			b = append(append(b, `,"errors":`...), list...)
		}
	}
	for _, field := range more {
		b = append(append(b, ','), field...)
	}
	return append(b, "}}"...)
}

// appendObservation appends the observation of a reply.
func appendObservation(b []byte, r *Reply, reset bool) []byte {
	b = append(b, `{"metadata":{},"text":`...)
	b = appendString(b, r.Observation)
	b = append(b, `,"task_id":`...)
	b = appendString(b, r.TaskID)
	b = append(b, `,"progress":`...)
	b = appendFloat(b, r.Progress)
	b = append(b, `,"success":`...)
	b = strconv.AppendBool(b, r.Success)
	b = append(b, `,"valid":`...)
	b = strconv.AppendBool(b, r.Valid)
	b = append(b, `,"truncated":`...)
	b = strconv.AppendBool(b, r.Truncated)
	if reset {
		b = append(b, `,"goal":`...)
		b = appendString(b, r.Goal)
	}
	if r.Actions != nil {
		b = append(b, `,"actions":`...)
		b = appendStrings(b, r.Actions)
	}
	return append(b, '}')
}

// sizeOf estimates the length of a reply.
func sizeOf(r *Reply) int {
	n := 300 + len(r.Observation)*9/8 + len(r.Goal) + len(r.TaskID)
	for _, a := range r.Actions {
		n += len(a) + 4
	}
	return n
}

// appendReply appends what stands in a reply to a reset or a step, without the
// closing brace.
func appendReply(b []byte, r *Reply, reset bool) []byte {
	b = append(b, `{"observation":`...)
	b = appendObservation(b, r, reset)
	b = append(b, `,"reward":`...)
	if reset {
		b = append(b, "null"...)
	} else {
		b = appendFloat(b, r.Reward)
	}
	b = append(b, `,"done":`...)
	return strconv.AppendBool(b, r.Done)
}

// appendState appends the state of a session.
func appendState(b []byte, s State) []byte {
	b = append(b, `{"episode_id":`...)
	b = appendOptional(b, s.EpisodeID)
	b = append(b, `,"step_count":`...)
	b = strconv.AppendInt(b, int64(s.Steps), 10)
	b = append(b, `,"task_id":`...)
	b = appendOptional(b, s.TaskID)
	b = append(b, `,"progress":`...)
	b = appendFloat(b, s.Progress)
	b = append(b, `,"done":`...)
	b = strconv.AppendBool(b, s.Done)
	return append(b, '}')
}

// appendOptional appends a string, or null if it is empty.
func appendOptional(b []byte, s string) []byte {
	if s == "" {
		return append(b, "null"...)
	}
	return appendString(b, s)
}

// errorFrame returns the error frame of an error of a session.
func errorFrame(err error) *frameError {
	var frame *frameError
	var ended *EndedError
	var choice *ChoiceError
	switch {
	case errors.As(err, &choice):
		return &frameError{code: validationError, message: err.Error()}
	case errors.As(err, &frame):
		return frame
	case errors.As(err, &ended):
		return &frameError{code: sessionError, message: err.Error()}
	}
	return &frameError{code: executionError, message: err.Error()}
}
