package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	jsonv2 "github.com/go-json-experiment/json"
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
	Message string       `json:"message"`
	Code    string       `json:"code"`
	Errors  []fieldError `json:"errors,omitempty"`
	Active  int          `json:"active_sessions,omitzero"` // if there are too many
	Max     int          `json:"max_sessions,omitzero"`
}

func (e *frameError) Error() string { return e.Message }

func invalid(errs ...fieldError) error {
	return &frameError{Code: validationError, Message: "Invalid message", Errors: errs}
}

// request is a frame of a client.
type request struct {
	kind   string // reset, step, state, close, mcp, fork or actions
	data   json.RawMessage
	action Action // of a step
}

// readFrame reads a frame. The error is a *frameError or errBroken.
func readFrame(frame []byte) (request, error) {
	if action, ok := plainStep(frame); ok {
		return request{kind: "step", action: Action{Text: action}}, nil
	}
	return readAnyFrame(frame)
}

// plainStep reads a step as clients usually write it, which is nearly every frame.
// Others, and those with anything to complain of, are left to readAnyFrame, which
// reads the same in them.
func plainStep(frame []byte) (action string, ok bool) {
	var q struct {
		Type string `json:"type"`
		Data struct {
			Message *string `json:"message"`
		} `json:"data"`
	}
	if jsonv2.Unmarshal(frame, &q, jsonv2.RejectUnknownMembers(true)) != nil || q.Type != "step" ||
		q.Data.Message == nil {
		return "", false
	}
	return *q.Data.Message, true
}

// readAnyFrame reads a frame of any form.
func readAnyFrame(frame []byte) (request, error) {
	if tooDeep(frame) {
		return request{}, &frameError{Code: invalidJSON, Message: fmt.Sprintf("Invalid JSON: nested deeper than %d",
			maxDepth)}
	}
	var values object
	if err := json.Unmarshal(frame, &values); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) || len(bytes.TrimSpace(frame)) == 0 {
			return request{}, &frameError{Code: invalidJSON, Message: "Invalid JSON: " + err.Error()}
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
	case "reset", "fork": // fork is an extension that no client of OpenEnv sends
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
	case "state", "close", "actions": // so is actions
		return q, onlyKeys(frame, values, "type")
	}
	return q, &frameError{Code: unknownType, Message: "Unknown message type: " + clipped(q.kind)}
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

// readAction reads an action object. Its metadata may say how it was sampled.
func readAction(whole json.RawMessage) (action Action, errs []fieldError) {
	var values object
	if json.Unmarshal(whole, &values) != nil {
		return action, []fieldError{wrong("dict_type", "action", "Input should be a valid dictionary", whole)}
	}
	f := &fields{values: values}
	known := 1
	if metadata, ok := values["metadata"]; ok {
		known++
		if kind(metadata) != '{' {
			f.errs = append(f.errs, wrong("dict_type", "metadata", "Input should be a valid dictionary", metadata))
		} else if sampled, err := readSampled(metadata); err != nil {
			bad := wrong("value_error", "metadata", err.Error(), orNull(nil))
			bad.URL = ""
			f.errs = append(f.errs, bad)
		} else {
			action.Sampled = sampled
		}
	}
	if _, ok := values["message"]; ok {
		action.Text = f.text("message", math.MaxInt)
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

// reply is a frame of the server.
type reply struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

// errorReply is the reply to what failed.
func errorReply(err error) reply { return reply{"error", errorFrame(err)} }

// observation is what a reset or a step answers.
type observation struct {
	Observation observed     `json:"observation"`
	Reward      *pythonFloat `json:"reward"` // nil at a reset
	Done        bool         `json:"done"`
}

// observed is the observation of the environment.
type observed struct {
	Metadata  struct{}    `json:"metadata"`
	Text      string      `json:"text"`
	TaskID    string      `json:"task_id"`
	Progress  pythonFloat `json:"progress"`
	Success   bool        `json:"success"`
	Valid     bool        `json:"valid"`
	Truncated bool        `json:"truncated"`
	Goal      *string     `json:"goal,omitzero"` // of a reset
	Actions   []string    `json:"actions,omitzero"`
	*Keys
}

// observationOf is the answer to a reset or a step.
func observationOf(r *Reply, reset bool) observation {
	o := observation{Done: r.Done, Observation: observed{Text: r.Observation, TaskID: r.TaskID,
		Progress: pythonFloat(r.Progress), Success: r.Success, Valid: r.Valid, Truncated: r.Truncated,
		Actions: r.Actions, Keys: r.Keys}}
	if reset {
		o.Observation.Goal = &r.Goal
	} else {
		o.Reward = (*pythonFloat)(&r.Reward)
	}
	return o
}

// errorFrame returns the error frame of an error of a session or of the table.
func errorFrame(err error) *frameError {
	var frame *frameError
	var ended *EndedError
	var choice *ChoiceError
	var full *CapacityError
	switch {
	case errors.As(err, &full):
		return &frameError{Code: capacityReached, Message: err.Error(), Active: full.Active, Max: full.Max}
	case errors.As(err, &choice):
		return &frameError{Code: validationError, Message: err.Error()}
	case errors.As(err, &frame):
		return frame
	case errors.As(err, &ended):
		return &frameError{Code: sessionError, Message: err.Error()}
	}
	return &frameError{Code: executionError, Message: err.Error()}
}

// stateReply is the state of a session.
type stateReply struct {
	EpisodeID *string     `json:"episode_id"`
	Steps     int         `json:"step_count"`
	TaskID    *string     `json:"task_id"`
	Progress  pythonFloat `json:"progress"`
	Done      bool        `json:"done"`
}

func stateOf(s State) stateReply {
	return stateReply{orNil(s.EpisodeID), s.Steps, orNil(s.TaskID), pythonFloat(s.Progress), s.Done}
}

// orNil is nil for an empty text.
func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
