package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"heldout/eval/model"
)

// The pipe protocol: one JSON object a line, answered line by line, in order.
const (
	pipeProtocol = "pipe"
	MaxLine      = 16 << 20 // the largest length of a line, in bytes
	// pipeIdle lets the sessions of a pipe live as long as the pipe.
	pipeIdle = 100 * 365 * 24 * time.Hour
)

// pipeRequest is a line: exactly one of its members.
type pipeRequest struct {
	Envs  *struct{}       `json:"envs"`
	Tasks *pipeTasks      `json:"tasks"`
	Open  *sessionsWanted `json:"open"`
	Steps []pipeEntry     `json:"steps"`
	Lists []int           `json:"actions"`
	Fork  []pipeForks     `json:"fork"`
	Close []int           `json:"close"`
	Sync  *int            `json:"sync"`
	// Left asks for what a recording lacks, Said for what the server said of recordings when it began.
	Left *unplayedTasks `json:"left"`
	Said *struct{}      `json:"said"`
}

// pipeTasks asks for the tasks of a split; an empty one is the default.
type pipeTasks struct {
	Env   string `json:"env"`
	Split string `json:"split"`
}

// wantLine says what a line is.
const wantLine = `want one of "envs": {}, "tasks": {"env": NAME, "split": NAME}, "open": {"env": NAME, "count": N}, ` +
	`"steps": [1 to 8192 of [SESSION, ACTION] and [SESSION, {…}]], "actions": [SESSION, …], ` +
	`"fork": [[SESSION, N], …], "left": {"env": NAME, "split": NAME, "seeds": N}, "said": {}, ` +
	`"close": [SESSION, …] and "sync": N`

// pipe answers lines one after the other.
type pipe struct {
	*Server
	in       *bufio.Scanner
	out      io.Writer
	sessions []*Session // those that were opened, by their number; nil once they are closed
}

// ServePipe answers the lines of in on out, until in ends or ctx is done. It closes
// what it opened. There is no limit for one client, and no end by idleness.
func (s *Server) ServePipe(ctx context.Context, in io.Reader, out io.Writer) error {
	defer model.Repeat(sweepEvery, s.table.Sweep)()
	p := &pipe{Server: s, in: bufio.NewScanner(in), out: out}
	p.in.Buffer(make([]byte, 0, 64<<10), MaxLine)
	ended := make(chan error, 1)
	go func() { ended <- p.answerLines() }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	s.table.CloseAll()
	return errors.Join(err, s.table.recorders.close())
}

// answerLines answers lines until the pipe ends.
func (p *pipe) answerLines() error {
	for p.in.Scan() {
		if len(bytes.TrimSpace(p.in.Bytes())) == 0 {
			continue
		}
		answer, err := marshal(p.answer(p.in.Bytes()))
		if err != nil {
			return err
		}
		if _, err := p.out.Write(append(answer, '\n')); err != nil {
			return fmt.Errorf("the reader of the pipe is gone: %w", err)
		}
	}
	err := p.in.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("a line of the pipe has more than %d bytes: send fewer steps in one", MaxLine)
	}
	return err
}

// answer answers a line.
func (p *pipe) answer(line []byte) any {
	var q pipeRequest
	err := jsonv2.Unmarshal(line, &q, jsonv2.RejectUnknownMembers(true), jsontext.AllowInvalidUTF8(true))
	if err != nil || !q.valid() {
		return pipeError(&ChoiceError{"line", wantLine})
	}
	result, err := p.carryOut(&q)
	if err != nil {
		return pipeError(err)
	}
	return result
}

// valid reports whether a request asks for one thing, and for no more than a line may.
func (q *pipeRequest) valid() bool {
	only := single(q.Envs != nil, q.Tasks != nil, q.Open != nil, q.Steps != nil, q.Lists != nil, q.Fork != nil,
		q.Close != nil, q.Sync != nil, q.Left != nil, q.Said != nil)
	return only && len(q.Steps) <= maxBatch && (q.Steps == nil || len(q.Steps) > 0)
}

// session returns the open session with a number; nil if there is none.
func (p *pipe) session(number int) *Session {
	if number < 0 || number >= len(p.sessions) {
		return nil
	}
	return p.sessions[number]
}

// carryOut returns what answers a request.
func (p *pipe) carryOut(q *pipeRequest) (any, error) {
	switch {
	case q.Left != nil:
		return p.unplayed(q.Left)
	case q.Said != nil:
		return map[string]any{"said": append([]string{}, p.options.Notices...)}, nil
	case q.Sync != nil: // for a client that does not know which answers it has read
		return map[string]int{"sync": *q.Sync}, nil
	case q.Open != nil:
		return p.open(*q.Open)
	case q.Steps != nil:
		return p.step(q.Steps), nil
	case q.Lists != nil:
		return map[string][]any{"actions": p.fanOut(q.Lists, func(session *Session, _ int) (any, error) {
			actions, err := session.Actions()
			return actions, err
		})}, nil
	case q.Fork != nil:
		return p.fork(q.Fork)
	case q.Close != nil:
		p.closeNumbers(q.Close)
		return struct{}{}, nil
	case q.Envs != nil:
		return p.envList(), nil
	}
	m, ok := p.Mount(q.Tasks.Env)
	if !ok {
		return nil, p.unknownMount(q.Tasks.Env)
	}
	return taskList(m, q.Tasks.Split)
}

// closeNumbers closes the sessions of these numbers that are open.
func (p *pipe) closeNumbers(numbers []int) {
	var closing []*Session
	for _, number := range numbers {
		if session := p.session(number); session != nil {
			closing = append(closing, session)
			p.sessions[number] = nil
		}
	}
	closeAll(closing, ByClient)
}

// errClosed answers for a session that there is not.
var errClosed = errors.New("the session is closed: open another")

// open opens sessions, and answers with the number of the first one.
func (p *pipe) open(q sessionsWanted) (any, error) {
	sessions, err := p.openAll(q, Owner{Protocol: pipeProtocol, Idle: pipeIdle})
	if err != nil {
		return nil, err
	}
	return p.take(sessions), nil
}

// take numbers sessions, and answers with the number of the first one.
func (p *pipe) take(sessions []*Session) any {
	first := len(p.sessions)
	p.sessions = append(p.sessions, sessions...)
	return map[string]int{"first": first}
}
