// Package lines runs programs that answer lines of JSON on their standard streams: environments and agents of
// others.
package lines

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"heldout/envs/outside"
	"heldout/envs/outside/process"
)

const (
	// grace is how long a program may take to end once its standard input has ended, and again after SIGTERM.
	grace = time.Second
	// lastLines is how long the lines of a program that has ended are read on a busy machine: what it started
	// may hold its standard output for ever.
	lastLines = time.Second
)

// Head begins a request: its number, which Ask gives, and what it asks for.
type Head struct {
	ID       int64  `json:"id"`
	Ask      string `json:"ask"`
	Protocol int    `json:"protocol,omitzero"`
}

func (h *Head) head() *Head { return h }

// Query is a line to a program: a struct with a Head.
type Query interface{ head() *Head }

// Envelope is a part of every answer: the number of the request, and why there is no other answer.
type Envelope struct {
	ID    int64  `json:"id"`
	Error string `json:"error,omitzero"`
}

func (s Envelope) envelope() Envelope { return s }

// Response is a line of a program: a struct with an Envelope.
type Response interface{ envelope() Envelope }

// SaidError is what a program says in place of an answer.
type SaidError struct{ Text string }

// Error quotes the text.
func (e *SaidError) Error() string { return "it says: " + outside.Quoted(e.Text) }

// Program is a program that runs. It is safe for concurrent use.
type Program[A Response] struct {
	process   *process.Process
	in, out   *os.File
	lines     *bufio.Reader
	stderr    tail
	errorFile *os.File
	timeout   time.Duration

	writing sync.Mutex // held while a line is written
	mu      sync.Mutex
	waiting map[int64]waiter[A] // by the number of the request
	last    int64               // number of a request
	failure error               // why it can no longer be asked; nil while it can

	stopped chan struct{} // closed when the process has ended after the failure
	ended   chan struct{} // closed at the end of its lines
	heard   chan struct{} // closed at the end of its standard error
}

// waiter waits for the answer to what it asks.
type waiter[A Response] struct {
	ask     string
	answers chan<- Delivery[A]
}

// Delivery is the answer to a request, or why there is none.
type Delivery[A Response] struct {
	Answer A
	Err    error
}

// Start starts a shell command and writes the greeting, whose answer is read first, unless ctx ends before. An
// answer may take as long as the timeout.
func Start[A Response](ctx context.Context, command string, timeout time.Duration, greeting Query,
	read func(line []byte) error) (*Program[A], error) {
	var pipes [3][2]*os.File // of the standard streams
	for i := range pipes {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(pipes)
			return nil, err
		}
		pipes[i] = [2]*os.File{r, w}
	}
	theirs := process.Streams{In: pipes[0][0], Out: pipes[1][1], Err: pipes[2][1]}
	p, err := process.Start(command, theirs)
	if err != nil {
		closeAll(pipes)
		return nil, err
	}
	for _, f := range []*os.File{theirs.In, theirs.Out, theirs.Err} {
		_ = f.Close()
	}
	c := &Program[A]{process: p, in: pipes[0][1], out: pipes[1][0], errorFile: pipes[2][0], timeout: timeout,
		waiting: map[int64]waiter[A]{}, stopped: make(chan struct{}), ended: make(chan struct{}),
		heard: make(chan struct{})}
	c.lines = bufio.NewReaderSize(c.out, 64<<10)
	go func() {
		defer close(c.heard)
		c.stderr.follow(c.errorFile)
	}()
	go c.follow()
	stop := context.AfterFunc(ctx, func() { c.fail(ctx.Err()) })
	err = c.greet(greeting, read)
	stop()
	if err != nil {
		c.fail(err)
		<-c.stopped
		return nil, c.failure
	}
	go c.read()
	return c, nil
}

func closeAll(pipes [3][2]*os.File) {
	for _, p := range pipes {
		for _, f := range p {
			_ = f.Close() // of a nil file it is an error
		}
	}
}

// greet writes the greeting and has its answer read, before all other requests.
func (c *Program[A]) greet(greeting Query, read func(line []byte) error) error {
	late := c.Expire(greeting.head().Ask)
	defer late.Stop()
	unread := c.write(greeting)
	if unread != nil && !await(c.process.Exited, 2*lastLines) {
		return unread
	}
	line, err := readLine(c.lines, longestFirst) // which says more than that nobody reads
	if err != nil {
		close(c.ended)
		return c.silent(err)
	}
	if err := Misread(greeting.head().Ask, read(line)); err != nil || unread == nil {
		return err
	}
	return c.gone()
}

// silent is why a program neither reads nor writes: how it has ended, if it has.
func (c *Program[A]) silent(err error) error {
	if await(c.process.Exited, 2*lastLines) { // a busy machine takes a while to end a program
		return c.gone()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it has closed its standard output")
	}
	return err
}

// Expire ends the program if it does not answer in time.
func (c *Program[A]) Expire(ask string) *time.Timer {
	return time.AfterFunc(c.timeout, func() {
		c.fail(fmt.Errorf("it has not answered %q within %v", ask, c.timeout))
	})
}

// write writes a request.
func (c *Program[A]) write(r Query) error {
	line, err := jsonv2.Marshal(r)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err = c.in.Write(append(line, '\n'))
	return err
}

// follow notes the end of the process.
func (c *Program[A]) follow() {
	<-c.process.Exited
	await(c.ended, lastLines)
	c.fail(c.gone())
}

// await waits until a channel is closed, and reports whether it was in time.
func await(closed <-chan struct{}, patience time.Duration) bool {
	select {
	case <-closed:
		return true
	case <-time.After(patience):
		return false
	}
}

// gone says how the process has ended, once its standard error is read.
func (c *Program[A]) gone() error {
	await(c.heard, lastLines) // what it started may hold it for longer
	return fmt.Errorf("it has ended with %s", c.process.Ended())
}

// read hands answers to their waiters.
func (c *Program[A]) read() {
	defer close(c.ended)
	for {
		line, err := readLine(c.lines, longestLine)
		if err != nil {
			c.fail(c.silent(err))
			return
		}
		var r Delivery[A]
		r.Err = Parse(line, &r.Answer)
		envelope := r.Answer.envelope()
		number, valid := envelope.ID, r.Err == nil
		if errors.As(r.Err, new(*outside.Misread)) { // the other requests can go on
			number, valid = numberOf(line)
		}
		if !valid {
			c.fail(r.Err)
			return
		}
		c.mu.Lock()
		waiting, ok := c.waiting[number]
		delete(c.waiting, number)
		c.mu.Unlock()
		if !ok && number == 0 { // the greeting's, or none
			c.fail(errors.New("it writes an answer without the id of a request"))
			return
		}
		if !ok {
			c.fail(fmt.Errorf("it answers the request %d, which is answered or was not made", number))
			return
		}
		switch {
		case r.Err != nil:
			r.Err = Misread(waiting.ask, r.Err)
		case envelope.Error != "":
			r.Err = &SaidError{envelope.Error}
		}
		waiting.answers <- r
	}
}

// Misread says in which answer a field is wrong.
func Misread(ask string, err error) error {
	if errors.As(err, new(*outside.Misread)) {
		return fmt.Errorf("in its answer to %s, %w", ask, err)
	}
	return err
}

// fail ends the process, and all that wait for it.
func (c *Program[A]) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil {
		return
	}
	c.failure = fmt.Errorf("%w%s", err, &c.stderr)
	for _, waiting := range c.waiting {
		waiting.answers <- Delivery[A]{Err: c.failure}
	}
	c.waiting = nil
	_ = c.in.Close() // nobody needs them any more
	_ = c.out.Close()
	go func() {
		defer close(c.stopped)
		c.process.Stop(grace)
		_ = c.errorFile.Close()
	}()
}

// Request makes a request, whose answer comes in a channel.
func (c *Program[A]) Request(r Query) (<-chan Delivery[A], error) {
	answers := make(chan Delivery[A], 1)
	c.mu.Lock()
	if c.failure != nil {
		c.mu.Unlock()
		return nil, c.failure
	}
	c.last++
	r.head().ID = c.last
	c.waiting[c.last] = waiter[A]{r.head().Ask, answers}
	c.mu.Unlock()
	if err := c.write(r); err != nil {
		c.fail(c.silent(err))
	}
	return answers, nil
}

// Failure is why the program can no longer be asked; nil while it can.
func (c *Program[A]) Failure() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure
}

// Close ends the program in peace.
func (c *Program[A]) Close() {
	_ = c.in.Close()
	await(c.process.Exited, grace)
	c.fail(errors.New("it was closed"))
	<-c.stopped
}
