package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"heldout/eval/model"
)

// Conversation returns a model for the calls of one episode, which makes at most so
// many. They stay with one server as long as it is there.
func (f *Fleet) Conversation(calls int) model.Model { return &conversation{fleet: f, left: calls} }

// Chat implements model.Model for a call that belongs to no episode.
func (f *Fleet) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	return f.Conversation(1).Chat(ctx, req)
}

// conversation is the part of the fleet that one episode sees. An episode makes
// one call at a time.
type conversation struct {
	fleet  *Fleet
	server *server // nil before the first call
	left   int     // the largest number of calls to come
}

// Chat implements model.Model. Beside the errors that it names there is
// *LostError.
func (c *conversation) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	spent := 0 // attempts on servers that turned out to be gone
	// A server that answers, but breaks calls off, gets time.
	wait := backoff.ExponentialBackOff{InitialInterval: c.fleet.o.Pace, MaxInterval: time.Minute, Multiplier: 2, RandomizationFactor: 0.5}
	for {
		p, err := c.fleet.place(ctx, c.server, c.left, size(req))
		if err != nil {
			return model.Reply{}, err
		}
		s := p.server
		c.server = s
		reply, err := s.client.Chat(ctx, req)
		c.fleet.done(p, reply, err)
		var unavailable *model.UnavailableError
		if err == nil {
			c.left--
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
