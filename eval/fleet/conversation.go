package fleet

import (
	"context"

	"heldout/eval/model"
)

// Conversation returns a model for the calls of one episode. They stay with one server as long as it is there.
func (f *Fleet) Conversation() model.Model { return &conversation{fleet: f} }

// Chat implements model.Model for a call that belongs to no episode.
func (f *Fleet) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	return f.Conversation().Chat(ctx, req)
}

// conversation is the part of the fleet that one episode sees. An episode makes one call at a time.
type conversation struct {
	fleet  *Fleet
	server *server // nil before the first call
}

// Chat implements model.Model. Beside the errors that it names there is *LostError.
func (c *conversation) Chat(ctx context.Context, req model.Request) (model.Reply, error) {
	call := call{fleet: c.fleet, req: &req}
	defer call.yield()
	call.queue(ctx, c.server)
	for {
		p, err := c.fleet.place(ctx, c.server, size(req))
		if err != nil {
			return model.Reply{}, err
		}
		if call.turn != nil && call.turn.server != p.server {
			call.yield() // it tells nothing more about the other server
		}
		c.server = p.server
		reply, err := p.server.client.Chat(ctx, req)
		c.fleet.done(p, reply, err)
		if err == nil {
			call.answered()
			reply.Attempts += call.spent
			reply.Late = req.Late
			if c.fleet.several {
				reply.Server = p.server.client.URL()
			}
			return reply, nil
		}
		if err := call.settle(ctx, p, err); err != nil {
			return model.Reply{}, err
		}
	}
}
