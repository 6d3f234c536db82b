package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// The pipe protocol: one JSON object a line, answered line by line, in order.
const (
	pipeProtocol = "pipe"
	// MaxLine is the largest length of a line, in bytes.
	MaxLine = 16 << 20
	// pipeIdle lets the sessions of a pipe live as long as the pipe.
	pipeIdle = 100 * 365 * 24 * time.Hour
)

// pipeRequest is a line: an id that the answer repeats, and exactly one request.
type pipeRequest struct {
	ID    json.RawMessage   `json:"id"`
	Envs  json.RawMessage   `json:"envs"`
	Tasks *pipeTasks        `json:"tasks"`
	Open  json.RawMessage   `json:"open"`
	Steps []json.RawMessage `json:"steps"`
	Close []string          `json:"close"`
}

// pipeTasks asks for the tasks of a split; an empty one is the default.
type pipeTasks struct {
	Env   string `json:"env"`
	Split string `json:"split"`
}

// wantLine says what a line is.
const wantLine = `want one of "envs": {}, "tasks": {"env": NAME, "split": NAME}, "open": {"env": NAME, "count": N}, ` +
	`"steps": [1 to 8192 entries] and "close": [ID, …], and an "id" if you like`

// ServePipe answers the lines of in on out, until in ends or ctx is done. It closes
// what it opened. Its sessions are those of the batch routes, without a limit for one
// client and without an end by idleness.
func (s *Server) ServePipe(ctx context.Context, in io.Reader, out io.Writer) error {
	sweeping, stopSweep := context.WithCancel(context.Background())
	defer stopSweep()
	go s.sweep(sweeping)
	ended := make(chan error, 1)
	go func() { ended <- s.answerLines(in, out) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	s.table.CloseAll()
	return errors.Join(err, s.close())
}

// answerLines answers each line.
func (s *Server) answerLines(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), MaxLine)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if _, err := out.Write(append(s.answerLine(lines.Bytes()), '\n')); err != nil {
			return fmt.Errorf("the reader of the pipe is gone: %w", err)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a line of the pipe has more than %d bytes: send fewer steps in one", MaxLine)
	}
	return lines.Err()
}

// answerLine returns the answer to a line: the members of the result, or "error".
func (s *Server) answerLine(line []byte) []byte {
	var q pipeRequest
	if tooDeep(line) || strictly(line, &q) != nil {
		return pipeReply(nil, nil, &ChoiceError{"line", wantLine})
	}
	result, err := s.carryOutLine(&q)
	return pipeReply(q.ID, result, err)
}

// carryOutLine returns the JSON object that answers a request.
func (s *Server) carryOutLine(q *pipeRequest) ([]byte, error) {
	asked := 0
	for _, is := range []bool{q.Envs != nil, q.Tasks != nil, q.Open != nil, q.Steps != nil, q.Close != nil} {
		if is {
			asked++
		}
	}
	if asked != 1 || len(q.Steps) > maxBatch || q.Steps != nil && len(q.Steps) == 0 {
		return nil, &ChoiceError{"line", wantLine}
	}
	switch {
	case q.Steps != nil:
		return s.stepMany(q.Steps), nil
	case q.Close != nil:
		return marshal(map[string]int{"closed": s.closeMany(q.Close)})
	case q.Envs != nil:
		return marshal(s.envList())
	}
	var result any
	var err error
	if q.Open != nil {
		result, err = s.openMany(q.Open, Owner{Protocol: pipeProtocol, Idle: pipeIdle})
	} else if m, ok := s.Mount(q.Tasks.Env); ok {
		result, err = taskList(m, q.Tasks.Split)
	} else {
		err = &ChoiceError{"env", fmt.Sprintf("there is no environment %q; \"envs\": {} lists them",
			clipped(q.Tasks.Env))}
	}
	if err != nil {
		return nil, err
	}
	return marshal(result)
}

// closeMany closes those of the sessions that are open, and counts them.
func (s *Server) closeMany(ids []string) (n int) {
	for _, id := range ids {
		if session, ok := s.batchSession(id); ok {
			session.Close(ByClient)
			n++
		}
	}
	return n
}

// pipeReply is a line of the answer: result, a JSON object, with the id of the
// request before its members.
func pipeReply(id json.RawMessage, result []byte, err error) []byte {
	if err != nil {
		result = slices.Concat([]byte(`{"error":`), quoted(err.Error()), []byte("}"))
	}
	if id == nil {
		return result
	}
	reply := append(make([]byte, 0, len(result)+len(id)+8), `{"id":`...)
	return append(append(append(reply, id...), ','), result[1:]...)
}
