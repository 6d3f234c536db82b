package fleet

import (
	"context"
	"errors"
	"time"

	"heldout/eval/model"
)

// Conversation returns a model for the calls of one episode, which makes at most so
// many. They stay with one server as long as it is there.
func (f *Fleet) Conversation(calls int) model.Model { return &conversation{fleet: f, calls: calls} }

// Chat implements model.Model for a call that belongs to no episode.
func (f *Fleet) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	return f.Conversation(1).Chat(ctx, req)
}

// conversation is the part of the fleet that one episode sees. An episode makes
// one call at a time.
type conversation struct {
	fleet  *Fleet
	server *server // nil before the first call
	calls  int     // the largest number of calls to come
}

// Chat implements model.Model. Beside the errors that it names there is
// *LostError.
func (c *conversation) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	spent := 0 // attempts that reached a server
	// A server that works, but not for this call, gets time.
	wait := model.Retry{FirstWait: c.fleet.o.Pace, MaxWait: time.Minute}.Waits()
	for {
		p, err := c.fleet.place(ctx, c.server, c.calls, size(req))
		if err != nil {
			return model.Reply{}, err
		}
		c.server = p.server
		began := c.fleet.o.Now()
		reply, err := c.server.client.Chat(ctx, req)
		c.fleet.done(p, reply, err)
		if err == nil {
			c.calls--
			reply.Attempts += spent
			if c.fleet.several {
				reply.Server = c.server.client.URL()
			}
			return reply, nil
		}
		works, attempts := c.fleet.judge(ctx, c.server, req, began, err)
		if ctx.Err() != nil {
			return model.Reply{}, ctx.Err()
		}
		if spent += attempts; spent >= c.fleet.o.Attempts || attempts == forGood {
			return model.Reply{}, withAttempts(err, spent)
		}
		if works {
			model.Pause(ctx, wait.NextBackOff())
		}
	}
}

// withAttempts notes in the error of a call how many attempts reached a server.
func withAttempts(err error, spent int) error {
	var unavailable *model.UnavailableError
	if errors.As(err, &unavailable) && spent > 0 {
		unavailable.Attempts = spent
	}
	return err
}
