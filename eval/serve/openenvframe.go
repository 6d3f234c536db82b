package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"heldout/scoring/table"
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

// errBroken says that a frame ends the session: it is not an object, or is binary.
var errBroken = errors.New("the frame is not a JSON object")

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
	action ClientAction // of a step
}

// readFrame reads a frame. The error is a *frameError or errBroken.
func readFrame(frame []byte) (request, error) {
	if tooDeep(frame) {
		return request{}, &frameError{Code: invalidJSON, Message: fmt.Sprintf("Invalid JSON: nested deeper than %d",
			maxDepth)}
	}
	var values jsonObject
	if err := json.Unmarshal(frame, &values); err != nil {
		if errors.As(err, new(*json.SyntaxError)) || len(bytes.TrimSpace(frame)) == 0 {
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
	var errs []fieldError
	_, hasData := values["data"]
	switch q.kind {
	case "reset", "fork", "mcp", "step": // fork is an extension that no client of OpenEnv sends
		switch {
		case !hasData && (q.kind == "mcp" || q.kind == "step"):
			errs = append(errs, missing("data", frame))
		case hasData && kind(q.data) != '{':
			errs = append(errs, noDict("data", q.data))
		}
		errs = append(errs, extra(frame, values, "type", "data")...)
	case "state", "close", "actions": // so is actions
		errs = extra(frame, values, "type")
	default:
		return q, &frameError{Code: unknownType,
			Message: "Unknown message type: " + table.Shortened(q.kind, quotedBytes)}
	}
	if len(errs) == 0 && q.kind == "step" {
		q.action, errs = readAction(q.data)
	}
	if len(errs) > 0 {
		return q, invalid(errs...)
	}
	return q, nil
}

// readAction reads an action object. Its metadata may say how it was sampled.
func readAction(raw json.RawMessage) (action ClientAction, errs []fieldError) {
	var values jsonObject
	if json.Unmarshal(raw, &values) != nil {
		return action, []fieldError{noDict("action", raw)}
	}
	f := &fields{values: values}
	if metadata, ok := values["metadata"]; ok {
		if kind(metadata) != '{' {
			f.errs = append(f.errs, noDict("metadata", metadata))
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
		f.errs = append(f.errs, missing("message", raw))
	}
	return action, append(f.errs, extra(raw, values, "message", "metadata")...)
}

// pythonText writes a JSON value that is not a string as the reference does.
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

// reply is a frame of the server.
type reply struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

func errorReply(err error) reply { return reply{"error", errorFrame(err)} }

type observation struct {
	Observation observed     `json:"observation"`
	Reward      *pythonFloat `json:"reward"` // nil at a reset
	Done        bool         `json:"done"`
}

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

func observationOf(r *Reply, reset bool) *observation {
	o := &observation{Done: r.Done, Observation: observed{Text: r.Observation, TaskID: r.TaskID,
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
	if full, ok := errors.AsType[*CapacityError](err); ok {
		return &frameError{Code: capacityReached, Message: err.Error(), Active: full.Active, Max: full.Max}
	}
	if frame, ok := errors.AsType[*frameError](err); ok {
		return frame
	}
	code := executionError
	switch {
	case errors.As(err, new(*ChoiceError)):
		code = validationError
	case errors.As(err, new(*EndedError)):
		code = sessionError
	}
	return &frameError{Code: code, Message: err.Error()}
}

type stateReply struct {
	EpisodeID *string     `json:"episode_id"`
	Steps     int         `json:"step_count"`
	TaskID    *string     `json:"task_id"`
	Progress  pythonFloat `json:"progress"`
	Done      bool        `json:"done"`
}

func stateOf(s SessionState) stateReply {
	return stateReply{orNil(s.EpisodeID), s.Steps, orNil(s.TaskID), pythonFloat(s.Progress), s.Done}
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
