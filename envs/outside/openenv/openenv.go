// Package openenv plays environments that servers of OpenEnv have: what they are over HTTP,
// episodes over a WebSocket. Their actions and observations are JSON objects of any shape, of
// which settings name the fields that hold text, success and progress.
package openenv

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"heldout/envs"
	"heldout/envs/outside"
)

// longestBody is the largest length of an answer over HTTP, in bytes.
const longestBody = 16 << 20

// Remote is a server.
type Remote struct {
	server  *outside.Endpoint // nil if the address cannot be used, as wrong says
	options options
	out     envs.Outside
	wrong   error // of address or settings

	*description // nil before the first

	mu       sync.Mutex
	doubtful bool          // a connection was lost: another server may be there
	open     int           // games
	limit    int           // games at once, as the server said; 0 before it did
	freed    chan struct{} // closed when a game ends
}

// New returns the server at an address, such as http://127.0.0.1:8000.
func New(base string, s envs.Settings, out envs.Outside) *Remote {
	d := &Remote{out: out, freed: make(chan struct{})}
	o, err := configured(s)
	d.options = o
	d.server, d.wrong = outside.NewEndpoint(base, "a token goes to the file of --"+tokenName, out, o.Timeout,
		longestBody)
	if d.wrong == nil && o.token != "" {
		d.server.SetToken(o.token)
	}
	d.wrong = errors.Join(d.wrong, err)
	return d
}

// Describe implements outside.Provider.
func (d *Remote) Describe(ctx context.Context) (*outside.Profile, error) {
	if d.wrong != nil {
		return nil, d.wrong
	}
	var err error
	if d.description, err = d.describe(ctx); err != nil {
		return nil, d.located(err)
	}
	return &d.description.about, nil
}

// route is the address of a route.
func (d *Remote) route(name string) string { return d.server.Base.JoinPath(name).String() }

// located says which server an error is about. What the server says may have the token.
func (d *Remote) located(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if token := d.options.token; token != "" && strings.Contains(err.Error(), token) {
		err = errors.New(strings.ReplaceAll(err.Error(), token, "[redacted]"))
	}
	return fmt.Errorf("the environment at %s: %w", d.server.Base, err)
}

// The first pause before another try at a server without room, and the longest.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = 2 * time.Second
)

// Begin implements outside.Provider. While the server has no room, it waits: as long as games of
// this run are open, and then as long as an answer may take.
func (d *Remote) Begin(ctx context.Context, task string, _ int64) (outside.Instance, outside.Beginning, error) {
	var waited time.Duration
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		if err := d.enter(ctx); err != nil {
			return nil, outside.Beginning{}, err
		}
		g, b, err := d.begin(ctx, task)
		if err == nil {
			return g, b, nil
		}
		waiting := d.leave(err)
		if r := (*complaint)(nil); !errors.As(err, &r) || r.Code != capacityReached || waited >= d.options.Timeout {
			return nil, outside.Beginning{}, d.located(err)
		}
		if waited += pause; waiting > 0 {
			waited = 0
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, outside.Beginning{}, ctx.Err()
		}
	}
}

// enter counts a game, once the server has room for it.
func (d *Remote) enter(ctx context.Context) error {
	for {
		d.mu.Lock()
		freed := d.freed
		room := d.limit == 0 || d.open < d.limit
		if room {
			d.open++
		}
		d.mu.Unlock()
		if room {
			return nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// leave counts a game less, which ended with an error or none, and returns how many are open.
func (d *Remote) leave(err error) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open--
	close(d.freed)
	d.freed = make(chan struct{})
	r := (*complaint)(nil)
	switch {
	case errors.As(err, &r) && r.Max > 0:
		d.limit = r.Max
	case err != nil && r == nil:
		d.doubtful = true
	}
	return d.open
}

// begin opens a session and resets it.
func (d *Remote) begin(ctx context.Context, task string) (*world, outside.Beginning, error) {
	if err := d.recognize(ctx); err != nil {
		return nil, outside.Beginning{}, err
	}
	s, err := d.dial(ctx)
	if err != nil {
		return nil, outside.Beginning{}, err
	}
	g := &world{provider: d, session: s}
	a, err := g.ask(ctx, "reset", d.resets[task])
	if err != nil {
		s.close()
		return nil, outside.Beginning{}, err
	}
	return g, outside.Beginning{Observation: a.Observation, Progress: a.Progress}, nil
}

// recognize reports another environment than at the beginning, after a connection was lost.
func (d *Remote) recognize(ctx context.Context) error {
	d.mu.Lock()
	doubtful := d.doubtful
	d.mu.Unlock()
	if !doubtful {
		return nil
	}
	now, err := d.describe(ctx)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !reflect.DeepEqual(now, d.description) {
		return errors.New("it describes itself otherwise than when the run began")
	}
	d.doubtful = false
	return nil
}

// Close implements outside.Provider. Games close what is open.
func (d *Remote) Close() error { return d.server.Close() }
