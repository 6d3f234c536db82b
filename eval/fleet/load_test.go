package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// simulated is a server in the time of a bubble. It answers so many calls at a time,
// each after the latency, unless it is away.
type simulated struct {
	latency time.Duration
	slots   chan struct{}

	mu sync.Mutex
	// broken is closed when the server goes away; nil while it is away.
	broken chan struct{}
}

var errAway = &net.OpError{Op: "dial", Err: errors.New("connection refused")}

// RoundTrip implements http.RoundTripper.
func (s *simulated) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	broken := s.broken
	s.mu.Unlock()
	if broken == nil {
		return nil, errAway
	}
	body := `{"data":[{"id":"m"}]}`
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-broken:
			return nil, errAway
		}
		select {
		case <-time.After(s.latency):
		case <-broken:
			return nil, errAway
		}
		body =
			`{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":24}}`
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)),
		Request: r}, nil
}

// leave makes the server go away, come makes it come back.
func (s *simulated) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.broken)
	s.broken = nil
}

func (s *simulated) come() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = make(chan struct{})
}

// load is a run on simulated servers of 16 slots each.
type load struct {
	latencies                 []time.Duration
	episodes, steps, inFlight int
	// kill sets servers away in turn: every 20 seconds one, for 5 seconds.
	kill bool
}

const slotsEach = 16

// outcome is how a load went.
type outcome struct {
	// share is the rate of calls by the sum of what the servers can do.
	share float64
	// moves are how often an episode changed its server.
	moves int64
}

// play plays a load.
func (l load) play(t *testing.T) (o outcome) {
	synctest.Test(t, func(t *testing.T) {
		servers, sum := map[string]*simulated{}, 0.0
		options := Options{Now: time.Now, Attempts: 3, Open: func(address string) (*model.Client, error) {
			return model.Open(model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "m"}, BaseURL: address,
				Now: time.Now, Transport: servers[address]})
		}}
		for i, latency := range l.latencies {
			address := fmt.Sprintf("http://h%d/v1", i)
			servers[address] = &simulated{latency: latency, slots: make(chan struct{}, slotsEach),
				broken: make(chan struct{})}
			options.Servers = append(options.Servers, address)
			sum += slotsEach / latency.Seconds()
		}
		f := sharedtest.Must(Open(options))(t)
		over := make(chan struct{})
		var killing, workers sync.WaitGroup
		if l.kill {
			killing.Go(func() {
				for i := 0; ; i++ {
					select {
					case <-over:
						return
					case <-time.After(20 * time.Second):
					}
					s := servers[options.Servers[i%len(servers)]]
					s.leave()
					time.Sleep(5 * time.Second) // it is away so long
					s.come()
				}
			})
		}
		var begun, moves atomic.Int64
		start := time.Now()
		for range l.inFlight {
			workers.Go(func() {
				for begun.Add(1) <= int64(l.episodes) {
					if err := l.episode(f, &moves); err != nil {
						t.Error(err)
					}
				}
			})
		}
		workers.Wait()
		o.moves, o.share = moves.Load(), float64(l.episodes*l.steps)/time.Since(start).Seconds()/sum
		close(over)
		killing.Wait()
		f.Close()
	})
	return o
}

// episode plays an episode, whose prompt becomes longer. It counts when another server answers.
func (l load) episode(f *Fleet, moves *atomic.Int64) error {
	c, last := f.Conversation(), ""
	for i := range l.steps {
		reply, err := c.Chat(context.Background(), request(strings.Repeat("hello ", 1000+30*i)))
		if err != nil {
			return err
		}
		if last != "" && reply.Server != last {
			moves.Add(1)
		}
		last = reply.Server
	}
	return nil
}

// The servers have enough to do until the end of a run, and episodes move only where they must: with equal servers, the
// last 24 episodes begin when all others end.
func TestLoad(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		load
		least float64
		moves int64
	}{
		"all as fast": {load{[]time.Duration{400 * ms, 400 * ms, 400 * ms, 400 * ms}, 288, 30, 96, false}, 0.92, 20},
		"killed":      {load{[]time.Duration{200 * ms, 400 * ms, 800 * ms, 1600 * ms}, 300, 30, 96, true}, 0.6, 500},
	} {
		t.Run(name, func(t *testing.T) {
			if !c.kill {
				sharedtest.Heavy(t)
			}
			if o := c.play(t); o.share < c.least || o.moves > c.moves {
				t.Errorf("%+v, want a share of at least %v, and at most %d moves", o, c.least, c.moves)
			}
		})
	}
}
