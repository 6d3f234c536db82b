package child

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
	// grace is how long a program may take to end once its standard input has ended, and again
	// after SIGTERM.
	grace = time.Second
	// lastLines is how long the lines of a program that has ended are read: what it started
	// may hold its standard output.
	lastLines = 200 * time.Millisecond
)

// child is a process of the program.
type child struct {
	process   *process.Process
	in, out   *os.File
	lines     *bufio.Reader
	stderr    tail
	errorFile *os.File
	timeout   time.Duration

	writing sync.Mutex // held while a line is written
	mu      sync.Mutex
	waiting map[int64]waiter // by the number of the request
	last    int64            // number of a request
	games   int              // that are open
	failure error            // why it is of no use any more; nil while it is
	stopped chan struct{}    // closed when the process has ended after the failure
	ended   chan struct{}    // closed at the end of its lines
	heard   chan struct{}    // closed at the end of its standard error
}

// waiter waits for the answer to what it asks.
type waiter struct {
	ask     string
	answers chan<- delivery
}

// delivery is the answer to a request.
type delivery struct {
	response
	err error
}

// start starts the program, and has it describe itself unless ctx ends before.
func start(ctx context.Context, command string, timeout time.Duration) (*child, *outside.Profile, error) {
	var pipes [3][2]*os.File // of the standard streams
	for i := range pipes {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(pipes)
			return nil, nil, err
		}
		pipes[i] = [2]*os.File{r, w}
	}
	theirs := process.Streams{In: pipes[0][0], Out: pipes[1][1], Err: pipes[2][1]}
	p, err := process.Start(command, theirs)
	if err != nil {
		closeAll(pipes)
		return nil, nil, err
	}
	for _, f := range []*os.File{theirs.In, theirs.Out, theirs.Err} {
		_ = f.Close()
	}
	c := &child{process: p, in: pipes[0][1], out: pipes[1][0], errorFile: pipes[2][0], timeout: timeout,
		waiting: map[int64]waiter{}, stopped: make(chan struct{}), ended: make(chan struct{}),
		heard: make(chan struct{})}
	c.lines = bufio.NewReaderSize(c.out, 64<<10)
	go func() {
		defer close(c.heard)
		c.stderr.follow(c.errorFile)
	}()
	go c.follow()
	stop := context.AfterFunc(ctx, func() { c.fail(ctx.Err()) })
	about, err := c.describe()
	stop()
	if err != nil {
		c.fail(err)
		<-c.stopped
		return nil, nil, c.failure
	}
	go c.read()
	return c, about, nil
}

func closeAll(pipes [3][2]*os.File) {
	for _, p := range pipes {
		for _, f := range p {
			_ = f.Close() // of a nil file it is an error
		}
	}
}

// describe has the program describe itself, before all other requests.
func (c *child) describe() (*outside.Profile, error) {
	late := c.expire(askDescribe)
	defer late.Stop()
	if err := c.write(&request{Ask: askDescribe, Protocol: protocol}); err != nil {
		return nil, c.silent(err)
	}
	line, err := readLine(c.lines, longestAbout)
	if err != nil {
		close(c.ended)
		return nil, c.silent(err)
	}
	var d description
	if err := parse(line, &d); err != nil {
		return nil, misread(askDescribe, err)
	}
	switch {
	case d.Error != "":
		return nil, fmt.Errorf("it says: %s", outside.Quoted(d.Error))
	case d.ID != 0:
		return nil, fmt.Errorf("it answers the request %d, and there is only 0", d.ID)
	case d.Protocol != protocol:
		return nil, fmt.Errorf("it speaks protocol %d, and heldout %d", d.Protocol, protocol)
	}
	return &d.Profile, nil
}

// silent is why a program neither reads nor writes: how it has ended, if it has.
func (c *child) silent(err error) error {
	patience := time.NewTimer(lastLines)
	defer patience.Stop()
	select {
	case <-c.process.Exited:
		return c.gone()
	case <-patience.C:
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it has closed its standard output")
	}
	return err
}

// expire ends the program if it does not answer in time.
func (c *child) expire(ask string) *time.Timer {
	return time.AfterFunc(c.timeout, func() {
		c.fail(fmt.Errorf("it has not answered %q within %v", ask, c.timeout))
	})
}

// write writes a request.
func (c *child) write(r *request) error {
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
func (c *child) follow() {
	<-c.process.Exited
	patience := time.NewTimer(lastLines)
	defer patience.Stop()
	select {
	case <-c.ended:
	case <-patience.C:
	}
	c.fail(c.gone())
}

// gone says how the process has ended, once its standard error is read.
func (c *child) gone() error {
	patience := time.NewTimer(lastLines)
	defer patience.Stop()
	select {
	case <-c.heard:
	case <-patience.C: // what it started holds it
	}
	return fmt.Errorf("it has ended with %s", c.process.Ended())
}

// read hands answers to who waits for them.
func (c *child) read() {
	defer close(c.ended)
	for {
		line, err := readLine(c.lines, longestLine)
		if err != nil {
			c.fail(c.silent(err))
			return
		}
		var r delivery
		r.err = parse(line, &r.response)
		number, known := r.ID, r.err == nil
		if errors.As(r.err, new(*outside.Misread)) { // the other games can go on
			number, known = numberOf(line)
		}
		if !known {
			c.fail(r.err)
			return
		}
		c.mu.Lock()
		waiting, ok := c.waiting[number]
		delete(c.waiting, number)
		c.mu.Unlock()
		if !ok {
			c.fail(fmt.Errorf("it answers the request %d, which is answered or was not made", number))
			return
		}
		switch {
		case r.err != nil:
			r.err = misread(waiting.ask, r.err)
		case r.Error != "":
			r.err = fmt.Errorf("it says: %s", outside.Quoted(r.Error))
		}
		waiting.answers <- r
	}
}

// misread says in which answer a field is wrong.
func misread(ask string, err error) error {
	if errors.As(err, new(*outside.Misread)) {
		return fmt.Errorf("in its answer to %s, %w", ask, err)
	}
	return err
}

// fail ends the process, and all that wait for it.
func (c *child) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil {
		return
	}
	c.failure = fmt.Errorf("%w%s", err, &c.stderr)
	for _, waiting := range c.waiting {
		waiting.answers <- delivery{err: c.failure}
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

// request makes a request, whose answer comes in a channel.
func (c *child) request(r *request) (<-chan delivery, error) {
	answers := make(chan delivery, 1)
	c.mu.Lock()
	if c.failure != nil {
		c.mu.Unlock()
		return nil, c.failure
	}
	c.last++
	r.ID = c.last
	c.waiting[r.ID] = waiter{r.Ask, answers}
	c.mu.Unlock()
	if err := c.write(r); err != nil {
		c.fail(c.silent(err))
	}
	return answers, nil
}

// ask makes a request, and returns the answer.
func (c *child) ask(ctx context.Context, r request) (response, error) {
	late := c.expire(r.Ask)
	defer late.Stop()
	answers, err := c.request(&r)
	if err != nil {
		return response{}, err
	}
	select {
	case a := <-answers:
		return a.response, a.err
	case <-ctx.Done():
		return response{}, ctx.Err()
	}
}

// close ends the program in peace.
func (c *child) close() {
	_ = c.in.Close()
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case <-c.process.Exited:
	case <-patience.C:
	}
	c.fail(errors.New("it was closed"))
	<-c.stopped
}
