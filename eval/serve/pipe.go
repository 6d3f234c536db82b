package serve

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"
)

// The pipe protocol: one JSON object a line, answered line by line, in order.
const (
	pipeProtocol = "pipe"
	// MaxLine is the largest length of a line, in bytes.
	MaxLine = 16 << 20
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
}

// pipeTasks asks for the tasks of a split; an empty one is the default.
type pipeTasks struct {
	Env   string `json:"env"`
	Split string `json:"split"`
}

// wantLine says what a line is.
const wantLine = `want one of "envs": {}, "tasks": {"env": NAME, "split": NAME}, "open": {"env": NAME, "count": N}, ` +
	`"steps": [1 to 8192 of [SESSION, ACTION] and [SESSION, {…}]], "actions": [SESSION, …], ` +
	`"fork": [[SESSION, N], …], "close": [SESSION, …] and "sync": N`

// pipe answers lines one after the other. Whoever carries out the last step of a line
// writes the answer and reads the next line: so a step that comes alone changes no
// goroutine, which would take longer than the step.
type pipe struct {
	*Server
	in  *bufio.Scanner
	out io.Writer
	// sessions are those that were opened, by their number; nil once they are closed.
	sessions []pipeSession
	turn     atomic.Pointer[stepLine] // the steps of the last line that had any
	ended    chan error
}

type pipeSession struct {
	*Session
	turn  *stepLine // the last one with steps of this session
	group int       // which group of that turn they are
}

// ServePipe answers the lines of in on out, until in ends or ctx is done. It closes
// what it opened. There is no limit for one client, and no end by idleness.
func (s *Server) ServePipe(ctx context.Context, in io.Reader, out io.Writer) error {
	sweeping, stopSweep := context.WithCancel(context.Background())
	defer stopSweep()
	go s.sweep(sweeping)
	p := &pipe{Server: s, in: bufio.NewScanner(in), out: out, ended: make(chan error, 1)}
	p.in.Buffer(make([]byte, 0, 64<<10), MaxLine)
	go p.answerLines()
	var err error
	select {
	case err = <-p.ended:
	case <-ctx.Done():
	}
	s.table.CloseAll()
	return errors.Join(err, s.close())
}

// answerLines answers lines until the pipe ends, or until another goroutine does so.
func (p *pipe) answerLines() {
	for p.in.Scan() {
		if len(bytes.TrimSpace(p.in.Bytes())) > 0 && !p.answer(p.in.Bytes()) {
			return
		}
	}
	err := p.in.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("a line of the pipe has more than %d bytes: send fewer steps in one", MaxLine)
	}
	p.ended <- err
}

// answer answers a line. It reports whether the caller goes on with the next one.
func (p *pipe) answer(line []byte) (goesOn bool) {
	var q pipeRequest
	err := jsonv2.Unmarshal(line, &q, jsonv2.RejectUnknownMembers(true), jsontext.AllowInvalidUTF8(true))
	if err != nil || !q.valid() {
		return p.write(pipeError(&ChoiceError{"line", wantLine}))
	}
	if q.Steps != nil {
		return p.step(q.Steps)
	}
	result, err := p.carryOut(&q)
	if err != nil {
		result = pipeError(err)
	}
	return p.write(result)
}

// valid reports whether a request asks for one thing, and for no more than a line may.
func (q *pipeRequest) valid() bool {
	only := single(q.Envs != nil, q.Tasks != nil, q.Open != nil, q.Steps != nil, q.Lists != nil, q.Fork != nil,
		q.Close != nil, q.Sync != nil)
	return only && len(q.Steps) <= maxBatch && (q.Steps == nil || len(q.Steps) > 0)
}

// session returns the open session with a number; nil if there is none.
func (p *pipe) session(number int) *pipeSession {
	if number < 0 || number >= len(p.sessions) || p.sessions[number].Session == nil {
		return nil
	}
	return &p.sessions[number]
}

// carryOut returns the JSON object that answers a request other than steps.
func (p *pipe) carryOut(q *pipeRequest) ([]byte, error) {
	switch {
	case q.Sync != nil: // for a client that does not know which answers it has read
		return marshal(map[string]int{"sync": *q.Sync})
	case q.Open != nil:
		return p.open(*q.Open)
	case q.Lists != nil:
		return p.list(q.Lists), nil
	case q.Fork != nil:
		return p.fork(q.Fork)
	case q.Close != nil:
		var closing []*Session
		for _, number := range q.Close {
			if session := p.session(number); session != nil {
				closing = append(closing, session.Session)
				*session = pipeSession{}
			}
		}
		closeAll(closing, ByClient)
		return []byte("{}"), nil
	case q.Envs != nil:
		return marshal(p.envList())
	}
	m, ok := p.Mount(q.Tasks.Env)
	if !ok {
		return nil, &ChoiceError{"env", fmt.Sprintf("there is no environment %q; \"envs\": {} lists them",
			clipped(q.Tasks.Env))}
	}
	return marshalled(taskList(m, q.Tasks.Split))
}

// list lists the valid actions of sessions, side by side.
func (p *pipe) list(numbers []int) []byte {
	answers := make([][]byte, len(numbers))
	var listing errgroup.Group
	listing.SetLimit(batchWorkers)
	for i, number := range numbers {
		session := p.session(number)
		if session == nil {
			answers[i] = pipeError(errClosed)
			continue
		}
		listing.Go(func() (err error) {
			if answers[i], err = marshalled(runUntilEnd(session.Session, session.Actions)); err != nil {
				answers[i] = pipeError(err)
			}
			return nil
		})
	}
	_ = listing.Wait() // always nil
	return slices.Concat([]byte(`{"actions":[`), bytes.Join(answers, []byte(",")), []byte("]}"))
}

// errClosed answers for a session that there is not.
var errClosed = errors.New("the session is closed")

// open opens sessions, and answers with the number of the first one.
func (p *pipe) open(q sessionsWanted) ([]byte, error) {
	sessions, err := p.openAll(q, Owner{Protocol: pipeProtocol, Idle: pipeIdle})
	if err != nil {
		return nil, err
	}
	return marshal(map[string]int{"first": p.take(sessions)})
}

// take numbers sessions, and returns the number of the first one.
func (p *pipe) take(sessions []*Session) (first int) {
	first = len(p.sessions)
	for _, session := range sessions {
		p.sessions = append(p.sessions, pipeSession{Session: session})
		context.AfterFunc(session.ctx, func() {
			if session.endErr.Load().Reason == TooSlow {
				time.AfterFunc(lastReply, func() { p.giveUp(session) })
			}
		})
	}
	return first
}

// write writes an answer. It reports whether there is a reader.
func (p *pipe) write(answer []byte) bool {
	_, err := p.out.Write(append(answer, '\n'))
	if err != nil {
		p.ended <- fmt.Errorf("the reader of the pipe is gone: %w", err)
	}
	return err == nil
}
