package serve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"heldout/scoring/table"
)

// The limits of what a client sends.
const (
	MaxAction   = 4 << 10 // the longest action, in bytes
	maxName     = 255     // the longest name of a task or an episode, in bytes
	quotedBytes = 100     // how much of a client's text an answer repeats
)

// A fieldError is a wrong field, in the form in which pydantic reports it. Clients of the reference show it.
type fieldError struct {
	Type  string          `json:"type"`
	Loc   []string        `json:"loc"`
	Msg   string          `json:"msg"`
	Input json.RawMessage `json:"input"`
	Ctx   map[string]any  `json:"ctx,omitempty"`
	URL   string          `json:"url,omitempty"`
}

// pydantic is where the types of errors are explained.
const pydantic = "https://errors.pydantic.dev/2.14/v/"

func wrong(kind, field, msg string, input json.RawMessage) fieldError {
	return fieldError{Type: kind, Loc: []string{field}, Msg: msg, Input: input, URL: pydantic + kind}
}

// noDict is the error of a field that is not an object.
func noDict(field string, input json.RawMessage) fieldError {
	return wrong("dict_type", field, "Input should be a valid dictionary", input)
}

func missing(field string, raw json.RawMessage) fieldError {
	return wrong("missing", field, "Field required", raw)
}

// extra returns an error for each key that is not among the known ones.
func extra(raw json.RawMessage, values jsonObject, names ...string) (errs []fieldError) {
	unknown := len(values)
	for _, key := range names {
		if _, ok := values[key]; ok {
			unknown--
		}
	}
	if unknown == 0 { // as nearly always
		return nil
	}
	for _, key := range keysOf(raw) {
		if !slices.Contains(names, key) {
			errs = append(errs, wrong("extra_forbidden", key, "Extra inputs are not permitted", values[key]))
		}
	}
	return errs
}

// fields reads the fields of an object, and collects what is wrong with them.
type fields struct {
	values jsonObject
	errs   []fieldError
}

// text reads a string of at most most bytes; empty without the field.
func (f *fields) text(name string, limit int) string {
	raw, ok := f.values[name]
	if !ok {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) != nil || kind(raw) != '"' {
		f.errs = append(f.errs, wrong("string_type", name, "Input should be a valid string", raw))
		return ""
	}
	if len(s) > limit {
		e := wrong("string_too_long", name, "String should have at most "+strconv.Itoa(limit)+" bytes",
			quoted(table.Shortened(s, quotedBytes)))
		e.Ctx = map[string]any{"max_length": limit}
		f.errs = append(f.errs, e)
	}
	return s
}

// count reads a whole number of at least 0, which may be written as a string; nil without
// the field, or if it is null.
func (f *fields) count(name string) *int64 {
	raw, ok := f.values[name]
	if !ok || kind(raw) == 'n' {
		return nil
	}
	n, err := strconv.ParseInt(strings.Trim(string(raw), " \t\r\n\""), 10, 64)
	switch {
	case err != nil:
		f.errs = append(f.errs, wrong("int_type", name, "Input should be a valid integer", raw))
		return nil
	case n < 0:
		e := wrong("greater_than_equal", name, "Input should be greater than or equal to 0", raw)
		e.Ctx = map[string]any{"ge": 0}
		f.errs = append(f.errs, e)
		return nil
	}
	return &n
}

// name reads an optional name, which may also be null.
func (f *fields) name(name string) string {
	if kind(f.values[name]) == 'n' {
		return ""
	}
	return f.text(name, maxName)
}

// flag reads an optional boolean, which may also be null, or written as a string.
func (f *fields) flag(name string) bool {
	raw, ok := f.values[name]
	if !ok || kind(raw) == 'n' {
		return false
	}
	on, err := strconv.ParseBool(strings.Trim(string(raw), "\""))
	if err != nil {
		f.errs = append(f.errs, wrong("bool_type", name, "Input should be a valid boolean", raw))
	}
	return on
}

// resetFields are the arguments of a reset.
var resetFields = []string{"seed", "episode_id", "task_id", "split", "index", "level", "step_limit", "actions",
	"keys", "max_steps", "rollout"}

// readReset reads the arguments of a reset and finds its task. Other protocols use it too.
func (m *Mount) readReset(raw json.RawMessage) (EpisodeStart, []fieldError, error) {
	var values jsonObject
	if len(raw) > 0 && (json.Unmarshal(raw, &values) != nil || kind(raw) != '{') {
		return EpisodeStart{}, []fieldError{noDict("data", raw)}, nil
	}
	f := &fields{values: values}
	c := TaskChoice{Seed: f.count("seed")}
	e := EpisodeStart{Mount: m, ID: f.name("episode_id"), Rollout: f.count("rollout")}
	c.TaskID, c.Split, c.Index, c.Level = f.name("task_id"), f.name("split"), f.count("index"), f.name("level")
	for _, name := range []string{"max_steps", "step_limit"} { // the earlier name, and the present one
		if steps := f.count(name); steps != nil {
			e.MaxSteps = int(min(*steps, 1<<30))
		}
	}
	if e.Rollout != nil && *e.Rollout >= maxRollouts {
		f.errs = append(f.errs, wrong("less_than", "rollout", fmt.Sprintf("Input should be less than %d", maxRollouts),
			values["rollout"]))
	}
	e.Actions, e.Keys = f.flag("actions"), f.flag("keys")
	if f.errs = append(f.errs, extra(raw, values, resetFields...)...); len(f.errs) > 0 {
		return e, f.errs, nil
	}
	var err error
	e.Set, e.Task, err = m.Find(c)
	if wrongChoice, ok := err.(*ChoiceError); ok {
		bad := wrong("value_error", wrongChoice.Field, wrongChoice.Text, values[wrongChoice.Field])
		bad.URL = ""
		return e, []fieldError{bad}, nil
	}
	return e, nil, err
}

func listed(errs []fieldError) string {
	return strings.Join(table.Each(errs, func(e fieldError) string {
		return strings.Join(e.Loc, ".") + ": " + e.Msg
	}), "; ")
}
