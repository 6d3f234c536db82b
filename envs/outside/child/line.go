package child

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"heldout/envs/outside"
)

// protocol is the version of the lines.
const protocol = 1

// The largest length of a line, in bytes: of one that describes the environment, and of others.
const (
	longestAbout = 16 << 20
	longestLine  = 1 << 20
)

// request is a line to the program.
type request struct {
	ID       int64   `json:"id"`
	Ask      string  `json:"ask"`
	Protocol int     `json:"protocol,omitzero"`
	World    int64   `json:"world,omitzero"`
	Task     string  `json:"task,omitzero"`
	Seed     *int64  `json:"seed,omitzero"`
	Action   *string `json:"action,omitzero"`
	Fork     int64   `json:"fork,omitzero"`
}

// What a request asks for.
const (
	askDescribe = "describe"
	askStart    = "start"
	askStep     = "step"
	askActions  = "actions"
	askExpert   = "expert"
	askFork     = "fork"
	askStateKey = "state_key"
	askClose    = "close"
)

// description is the answer to askDescribe.
type description struct {
	ID       int64 `json:"id"`
	Protocol int   `json:"protocol"`
	outside.Profile
	Error string `json:"error,omitzero"`
}

// response is a line of the program.
type response struct {
	ID          int64    `json:"id"`
	Goal        string   `json:"goal"`
	Observation *string  `json:"observation"`
	Progress    *float64 `json:"progress"`
	Reward      *float64 `json:"reward"`
	Done        bool     `json:"done"`
	Success     *bool    `json:"success"`
	Valid       *bool    `json:"valid"`
	Actions     []string `json:"actions"`
	Action      *string  `json:"action"`
	StateKey    string   `json:"state_key"`
	Error       string   `json:"error"`
}

// parse reads a line of the program. The error is a misread field, or about the whole line.
func parse(line []byte, into any) error {
	err := outside.Unmarshal(line, into, jsonv2.RejectUnknownMembers(true))
	if m := (*outside.Misread)(nil); errors.As(err, &m) && m.Field == "" {
		return fmt.Errorf("it writes the line %.100q, which is no answer: %s", bytes.TrimSpace(line), m)
	}
	return err
}

// numberOf is the number of the request that a line answers, whose other members may be of any form.
func numberOf(line []byte) (id int64, ok bool) {
	d := jsontext.NewDecoder(bytes.NewReader(line))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return 0, false
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		found := err == nil && name.String() == "id"
		value, err := d.ReadValue()
		if found || err != nil {
			return id, err == nil && jsonv2.Unmarshal(value, &id) == nil
		}
	}
	return 0, false
}

// readLine reads a line of so many bytes at most.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return nil, fmt.Errorf("it writes a line of more than %d bytes", limit)
		}
		if err == nil && line == nil {
			return part, nil
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}
