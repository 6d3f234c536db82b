// Package load puts a load on a server of environments and measures it.
package load

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/sync/errgroup"

	"heldout/envs/stream"
)

// Protocol is a way to talk to the server.
type Protocol string

// The protocols.
const (
	OpenEnv  Protocol = "openenv"  // WebSocket, one session a connection
	AgentGym Protocol = "agentgym" // HTTP
	V1       Protocol = "v1"       // heldout's batch route
)

// Kind is what clients do.
type Kind string

// The kinds.
const (
	Steps  Kind = "steps"  // play walks of valid actions; a reset where one ends
	Resets Kind = "resets" // reset again and again
	Drops  Kind = "drops"  // connect, reset, and vanish without a word
)

// Options describe a load.
type Options struct {
	// URL is the address of one mount, such as http://127.0.0.1:8000/openenv/pddl; for
	// V1 that of the server.
	URL string
	// Protocol is how the clients talk.
	Protocol Protocol
	// Kind is what they do.
	Kind Kind
	// Env names the mount in requests of V1.
	Env string
	// Clients is the number of sessions that play at once.
	Clients int
	// Batch is how many sessions share a request of V1.
	Batch int
	// Rate is the number of steps per second that all clients send together; 0 sends
	// each step when the reply before it has come.
	Rate float64
	// For is how long the load lasts.
	For time.Duration
	// Seed derives the walks.
	Seed int64
	// Tasks is the number of tasks that are played, from the first one on.
	Tasks int
	// Token is the server's token; empty for none.
	Token string
	// Now tells the time.
	Now func() time.Time
}

// Result is what a load measured.
type Result struct {
	// Steps, Resets and Errors count replies.
	Steps, Resets, Errors int64
	// Took is how long the load lasted.
	Took time.Duration
	// Latency holds the time of each request since it was due, in microseconds.
	Latency *hdrhistogram.Histogram
	// ServerCPU is the CPU time that the server used meanwhile; negative if it does not
	// tell.
	ServerCPU time.Duration
	// First is the first error of a request, nil for none.
	First error
}

// maxErrors ends a client: a server that is broken is no server to measure.
const maxErrors = 100

// request is one reset or step of a lane.
type request struct {
	reset  bool
	task   int
	action string // as JSON
}

// conn carries the requests of one or more lanes, each a session of its own.
type conn interface {
	// do sends a request for every lane and waits for the replies. done tells which
	// episodes are over.
	do(ctx context.Context, requests []request, done []bool) error
	// close ends the sessions; drop leaves them to the server.
	close(drop bool)
}

// Run puts the load on the server until the time is over or ctx is done.
func Run(ctx context.Context, o Options) (Result, error) {
	d, err := newDialer(o)
	if err != nil {
		return Result{}, err
	}
	walks, err := d.walks(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("the walks cannot be played: %w", err)
	}
	lanes := 1
	if o.Protocol == V1 {
		lanes = min(o.Batch, o.Clients)
	}
	l := &load{o: o, d: d, walks: walks, pace: pace{now: o.Now, due: make(chan time.Time)},
		result: Result{Latency: newHistogram()}}
	if o.Rate > 0 {
		requests := (o.Clients + lanes - 1) / lanes // that all clients send for a step each
		l.pace.every = time.Duration(float64(o.Clients) / float64(requests) / o.Rate * float64(time.Second))
	}
	before := d.serverCPU(ctx)
	limited, cancel := context.WithTimeout(ctx, o.For)
	defer cancel()
	start := o.Now()
	keeper, kept := errgroup.WithContext(limited)
	var clients sync.WaitGroup
	for first := 0; first < o.Clients; first += lanes {
		l.pace.clients.Add(1)
		clients.Go(func() { l.client(kept, first, min(lanes, o.Clients-first)) })
	}
	keeper.Go(func() error { return l.pace.keep(kept) })
	clients.Wait()
	cancel()
	if err := keeper.Wait(); err != nil {
		return Result{}, fmt.Errorf("the rate cannot be kept: %w", err)
	}
	l.result.Took = o.Now().Sub(start)
	l.result.ServerCPU = -1
	if after := d.serverCPU(ctx); before >= 0 && after >= before {
		l.result.ServerCPU = after - before
	}
	return l.result, nil
}

// newHistogram returns a histogram of 1 microsecond to 10 minutes.
func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, (10 * time.Minute).Microseconds(), 3)
}

type load struct {
	o     Options
	d     *dialer
	walks [][]string // of valid actions, by task
	pace  pace

	mu     sync.Mutex
	result Result
}

// client plays until ctx is done, on lanes numbered from first.
func (l *load) client(ctx context.Context, first, lanes int) {
	part := Result{Latency: newHistogram()}
	defer func() { l.add(part) }()
	players := make([]lane, lanes)
	for i := range players {
		players[i] = lane{random: stream.New(l.o.Seed, "load", fmt.Sprint(first+i)), walks: l.walks, kind: l.o.Kind}
	}
	requests, done := make([]request, lanes), make([]bool, lanes)
	var c conn
	defer func() {
		if c != nil {
			c.close(false)
		}
	}()
	connected := sync.OnceFunc(l.pace.clients.Done)
	defer connected()
	for !l.over(ctx) && part.Errors < maxErrors {
		if c == nil {
			var err error
			if c, err = l.d.dial(ctx, lanes); err != nil {
				l.fail(ctx, &part, err)
				c = nil
				continue
			}
		}
		connected()
		for i := range players {
			requests[i] = players[i].next(done[i])
		}
		due, ok := l.pace.next(ctx)
		if !ok {
			return // the load is over
		}
		if err := c.do(ctx, requests, done); err != nil {
			l.fail(ctx, &part, err)
			c.close(!l.over(ctx)) // sessions of v1 outlive a connection
			c = nil
			for i := range players {
				players[i].restart()
				done[i] = false
			}
			continue
		}
		part.count(requests, l.o.Now().Sub(due))
		if l.o.Kind == Drops {
			c.close(true)
			c = nil
		}
	}
}

// over tells whether the load is over. Connections know their deadline before the
// context's own timer fires.
func (l *load) over(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !l.o.Now().Before(deadline)
}

// fail counts an error, unless the load is over.
func (l *load) fail(ctx context.Context, r *Result, err error) {
	if l.over(ctx) {
		return
	}
	r.Errors++
	r.First = cmp.Or(r.First, err)
}

func (r *Result) count(requests []request, took time.Duration) {
	for _, q := range requests {
		if q.reset {
			r.Resets++
		} else {
			r.Steps++
		}
	}
	// The histogram's range holds every time: requests have limits below it.
	_ = r.Latency.RecordValue(max(1, took.Microseconds()))
}

func (l *load) add(part Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &l.result
	r.Steps, r.Resets, r.Errors = r.Steps+part.Steps, r.Resets+part.Resets, r.Errors+part.Errors
	r.First = cmp.Or(r.First, part.First)
	r.Latency.Merge(part.Latency)
}
