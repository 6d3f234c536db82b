package fleet

import (
	"context"
	"slices"
	"time"

	"heldout/eval/model"
)

type placed struct {
	server *server
	tokens int // of the call, estimated
	// began is when it was placed.
	began time.Time
}

// place finds the server for a call and counts the call there: the episode's server if it is in use and the episode
// does not leave it, otherwise the one with the fewest tokens in flight. It waits while no server is in use.
func (f *Fleet) place(ctx context.Context, mine *server, prompt int) (placed, error) {
	for {
		f.mu.Lock()
		if f.lost != nil {
			defer f.mu.Unlock()
			return placed{}, f.lost
		}
		p := placed{tokens: prompt + int(f.completion), began: f.o.Now()}
		if p.server = f.choose(mine, p.tokens); p.server != nil {
			p.server.calls++
			p.server.tokens += p.tokens
			f.mu.Unlock()
			return p, nil
		}
		changed := f.changed
		f.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return placed{}, ctx.Err()
		}
	}
}

// choose returns the server for a call of an episode that is at home on a server,
// nil if none is in use. The caller holds the lock.
func (f *Fleet) choose(home *server, tokens int) *server {
	idlest := leastLoaded(f.present())
	if home == nil || home.isOut() || home.overloaded(idlest, tokens) {
		return idlest
	}
	return home
}

// overloaded reports whether a server has far more to do than another one, as when that one has just joined. An
// episode then leaves it, although its prefix is not cached elsewhere. The call has so many tokens.
func (s *server) overloaded(peer *server, tokens int) bool {
	return s.tokens > 2*peer.tokens+4*tokens
}

// leastLoaded returns the server with the fewest tokens in flight, the first of several; nil without servers.
func leastLoaded(servers []*server) *server {
	if len(servers) == 0 {
		return nil
	}
	return slices.MinFunc(servers, func(a, b *server) int { return a.tokens - b.tokens })
}

func size(req model.Request) int {
	const bytesPerToken = 4
	n := 0
	for _, m := range req.Messages {
		n += len(m.Content)
	}
	return n / bytesPerToken
}

// done takes a call off its server.
func (f *Fleet) done(p placed, reply model.Reply, err error) {
	if err == nil {
		f.trust(p.server, p.began)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err == nil {
		p.server.learn(reply.Latency)
		f.completion += (float64(reply.CompletionTokens) - f.completion) / 64
	}
	p.server.calls--
	p.server.tokens -= p.tokens
}

// learn notes how long a reply took. The mean reaches back about 16 replies.
func (s *server) learn(took time.Duration) {
	if s.latency == 0 {
		s.latency = took.Seconds()
	}
	s.latency += (took.Seconds() - s.latency) / 16
}

// replyTime is the time that a reply of a server takes, at most a minute, and a tenth of the time between two questions
// before the first reply. The caller holds the lock.
func (f *Fleet) replyTime(s *server) time.Duration {
	if s.latency == 0 {
		return f.o.Pace / 10
	}
	return min(time.Minute, time.Duration(s.latency*float64(time.Second)))
}
