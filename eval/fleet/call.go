package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"heldout/eval/model"
)

// Conversation returns a model for the calls of one episode, which stay with one
// server as long as it is there.
func (f *Fleet) Conversation() model.Model { return &conversation{fleet: f} }

// Chat implements model.Model for a call that belongs to no episode.
func (f *Fleet) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	return f.Conversation().Chat(ctx, req)
}

// conversation is the part of the fleet that one episode sees. An episode makes
// one call at a time.
type conversation struct {
	fleet  *Fleet
	server *server // nil before the first call
}

// Chat implements model.Model. Beside the errors that it names there is
// *LostError.
func (c *conversation) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	spent := 0 // attempts on servers that turned out to be gone
	// A server that answers, but breaks calls off, gets time.
	wait := backoff.ExponentialBackOff{InitialInterval: c.fleet.o.Pace, MaxInterval: time.Minute, Multiplier: 2, RandomizationFactor: 0.5}
	for {
		s, load, err := c.fleet.place(ctx, c.server, req)
		if err != nil {
			return model.Reply{}, err
		}
		c.server = s
		reply, err := s.client.Chat(ctx, req)
		c.fleet.done(s, load, reply, err)
		var unavailable *model.UnavailableError
		if err == nil {
			reply.Attempts += spent
			if c.fleet.Size() > 1 {
				reply.Server = s.client.URL()
			}
			return reply, nil
		}
		if !errors.As(err, &unavailable) || !unavailable.Gone {
			return reply, err
		}
		answers := c.fleet.suspect(ctx, s, unavailable.Message)
		if answers || !unavailable.Unsent {
			spent += unavailable.Attempts
		}
		if spent >= c.fleet.o.Attempts {
			unavailable.Attempts = spent
			return model.Reply{}, unavailable
		}
		if answers {
			pause(ctx, wait.NextBackOff())
		}
		if ctx.Err() != nil {
			return model.Reply{}, ctx.Err()
		}
	}
}

// pause waits, at most until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// place finds the server for a call and adds the call's tokens to it: the
// episode's server if it is in use and does not yield, otherwise the one with the fewest tokens in
// flight. It waits while no server is in use.
func (f *Fleet) place(ctx context.Context, mine *server, req model.Request) (*server, int, error) {
	for {
		f.mu.Lock()
		if f.lost != nil {
			defer f.mu.Unlock()
			return nil, 0, f.lost
		}
		s := mine
		load := size(req) + int(f.completion)
		best := least(f.present())
		if s == nil || s.left || s.cause != "" || s.yields(best, load) {
			s = best
		}
		if s != nil {
			s.tokens += load
			f.mu.Unlock()
			return s, load, nil
		}
		changed := f.changed
		f.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		}
	}
}

// yields reports whether an episode leaves the server for another one, although
// its prefix is not cached there: where the server has far more to do, or the other
// one has nothing to do and is much faster. That happens when servers join, and at
// the end of a run. The call has that load.
func (s *server) yields(to *server, load int) bool {
	if to == nil || to == s {
		return false
	}
	return s.tokens > 2*to.tokens+4*load || to.tokens == 0 && to.latency > 0 && s.latency > 2*to.latency
}

// least returns the server with the fewest tokens in flight, the first of several;
// nil without servers.
func least(servers []*server) (best *server) {
	for _, s := range servers {
		if best == nil || s.tokens < best.tokens {
			best = s
		}
	}
	return best
}

// size estimates the tokens of a prompt.
func size(req model.Request) int {
	const bytesPerToken = 4
	n := 0
	for _, m := range req.Messages {
		n += len(m.Content)
	}
	return n / bytesPerToken
}

// done takes a call's tokens off its server.
func (f *Fleet) done(s *server, load int, reply model.Reply, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.tokens -= load
	if err == nil {
		if s.latency == 0 {
			s.latency = reply.Latency
		}
		s.latency += (reply.Latency - s.latency) / 16
		f.completion += (float64(reply.CompletionTokens) - f.completion) / 64
	}
}
