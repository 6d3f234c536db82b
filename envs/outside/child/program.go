// Package child plays environments that are programs: child processes that exchange lines of JSON with heldout on
// their standard streams. heldout help first-environment describes the lines.
package child

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"heldout/envs/outside"
	"heldout/envs/outside/lines"
)

// mostFailures is how often in a row a program may end before it has begun a game.
const mostFailures = 5

// Program is a program in one or several processes.
type Program struct {
	ctx     context.Context // of starts: an episode may wait less for one that others need, too
	command string
	options outside.Options
	worlds  atomic.Int64

	about    atomic.Pointer[outside.Profile] // nil before the first start
	mu       sync.Mutex
	children []*child // by place; nil before the first start
	starting []sync.Mutex
	failures int   // in a row
	failure  error // the last of them
	closed   bool
}

// New returns the program that a shell command starts, which it does when it is needed. A start ends with ctx.
func New(ctx context.Context, command string, o outside.Options) *Program {
	return &Program{ctx: ctx, command: command, options: o, children: make([]*child, o.Processes),
		starting: make([]sync.Mutex, o.Processes)}
}

// Describe implements outside.Provider.
func (d *Program) Describe(context.Context) (*outside.Profile, error) {
	if _, err := d.child(0); err != nil {
		return nil, err
	}
	return d.about.Load(), nil
}

// child returns the child of a place, which it starts if there is none, or none any more.
func (d *Program) child(place int) (*child, error) {
	d.starting[place].Lock()
	defer d.starting[place].Unlock()
	d.mu.Lock()
	c, failures, failure, closed := d.children[place], d.failures, d.failure, d.closed
	d.mu.Unlock()
	switch {
	case d.ctx.Err() != nil:
		return nil, d.ctx.Err()
	case closed:
		return nil, errors.New("the environment is closed")
	case c != nil && c.alive():
		return c, nil
	case failures >= mostFailures:
		return nil, d.wrong(fmt.Errorf("it has ended %d times in a row before it began a task; the last time: %w",
			failures, failure))
	}
	if c != nil {
		d.failed(c.Failure())
	}
	c, about, err := start(d.ctx, d.command, d.options.Timeout)
	if err != nil {
		d.failed(err)
		return nil, d.wrong(err)
	}
	return c, d.take(place, c, about)
}

// failed counts a child that has ended; a game that begins afterwards forgets it.
func (d *Program) failed(err error) {
	d.mu.Lock()
	d.failures, d.failure = d.failures+1, err
	d.mu.Unlock()
}

// take takes a child that has started, unless it is another program than before.
func (d *Program) take(place int, c *child, about *outside.Profile) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.about.CompareAndSwap(nil, about)
	if !reflect.DeepEqual(d.about.Load(), about) {
		go c.Close()
		return d.wrong(errors.New("it describes itself otherwise than when the run began"))
	}
	d.children[place] = c
	return nil
}

// child is a process of the program.
type child struct {
	*lines.Program[response]
	games atomic.Int64 // that are open
}

// start starts the program, and has it describe itself unless ctx ends before.
func start(ctx context.Context, command string, timeout time.Duration) (*child, *outside.Profile, error) {
	var d description
	greeting := &request{Head: lines.Head{Ask: askDescribe, Protocol: protocol}}
	p, err := lines.Start[response](ctx, command, timeout, greeting, func(line []byte) error {
		err := lines.Parse(line, &d)
		switch {
		case err != nil:
			return err
		case d.Error != "":
			return &lines.SaidError{Text: d.Error}
		case d.ID != 0:
			return fmt.Errorf("it answers the request %d, and there is only 0", d.ID)
		case d.Protocol == 0:
			return fmt.Errorf("its answer to describe lacks protocol, which is %d", protocol)
		case d.Protocol != protocol:
			return fmt.Errorf("it speaks protocol %d, and heldout %d", d.Protocol, protocol)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return &child{Program: p}, &d.Profile, nil
}

// alive reports whether a child can be asked.
func (c *child) alive() bool { return c.Failure() == nil }

// ask makes a request, and returns the answer.
func (c *child) ask(ctx context.Context, r request) (response, error) {
	late := c.Expire(r.Ask)
	defer late.Stop()
	answers, err := c.Request(&r)
	if err != nil {
		return response{}, err
	}
	select {
	case a := <-answers:
		return a.Answer, a.Err
	case <-ctx.Done():
		return response{}, ctx.Err()
	}
}

// wrong says which program an error is about.
func (d *Program) wrong(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	name := outside.Quoted(d.command)
	if about := d.about.Load(); about != nil {
		name = "exec:" + outside.Quoted(about.Name)
	}
	return fmt.Errorf("the environment %s: %w", name, err)
}

// place returns the place of a new game: where the fewest are.
func (d *Program) place() (best int) {
	fewest := int64(-1)
	for i := range d.options.Processes {
		games := int64(0)
		if c := d.children[i]; c != nil {
			games = c.games.Load()
		}
		if fewest < 0 || games < fewest {
			best, fewest = i, games
		}
	}
	return best
}

// Begin implements outside.Provider.
func (d *Program) Begin(ctx context.Context, task string, seed int64) (outside.Instance, outside.Beginning, error) {
	d.mu.Lock()
	place := d.place()
	d.mu.Unlock()
	c, err := d.child(place)
	if err != nil {
		return nil, outside.Beginning{}, err
	}
	g := d.open(c)
	a, err := c.ask(ctx, request{Head: lines.Head{Ask: askStart}, World: g.world, Task: task, Seed: &seed})
	if err == nil && a.Observation == nil {
		err = errors.New("the answer to start lacks observation")
	}
	if err == nil {
		err = a.only(askStart)
	}
	if err != nil {
		return nil, outside.Beginning{}, d.wrong(errors.Join(err, g.Close()))
	}
	d.mu.Lock()
	d.failures = 0
	d.mu.Unlock()
	return g, outside.Beginning{Goal: a.Goal, Observation: *a.Observation, Progress: a.Progress}, nil
}

// open returns a new game of a child, which counts from now on.
func (d *Program) open(c *child) *world {
	c.games.Add(1)
	return &world{provider: d, child: c, world: d.worlds.Add(1)}
}

// Close implements outside.Provider.
func (d *Program) Close() error {
	d.mu.Lock()
	d.closed = true
	var closing sync.WaitGroup
	for _, c := range d.children {
		if c != nil {
			closing.Go(c.Close)
		}
	}
	d.mu.Unlock()
	closing.Wait()
	return nil
}

// protocol is the version of the lines.
const protocol = 1

// request is a line to the program.
type request struct {
	lines.Head
	World  int64   `json:"world,omitzero"`
	Task   string  `json:"task,omitzero"`
	Seed   *int64  `json:"seed,omitzero"`
	Action *string `json:"action,omitzero"`
	Fork   int64   `json:"fork,omitzero"`
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
	lines.Envelope
	Protocol int `json:"protocol"`
	outside.Profile
}

// response is a line of the program.
type response struct {
	lines.Envelope
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
}
