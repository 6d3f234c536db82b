package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"heldout/eval/model"
)

// call is a call of an episode, and what has become of it so far.
type call struct {
	fleet *Fleet
	req   *model.Request
	// failures counts the attempts that failed, and spent those that reached a server.
	failures, spent int
	// refused counts attempts that a server refused because it was busy with other calls.
	refused int
	// doubt is the doubt about the server, once the call has failed, and turn the doubt in which it has the
	// turn; nil for none. owed is what the call had spent when the doubt began.
	doubt, turn *doubt
	owed        int
}

// mostLate is how many replies to a call may come too late. With limits that double, that takes 7 times --timeout.
const mostLate = 3

// settle decides what a failure says about the server, and waits until the call can be made again. The error
// ends the call.
func (c *call) settle(ctx context.Context, p placed, err error) error {
	refused, isRefusal := errors.AsType[*model.RequestError](err)
	failed, isFailure := errors.AsType[*model.UnavailableError](err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case isRefusal && refused.Fatal() && c.fleet.setAsideOneOf(p, trial(c.req), refused.Error()):
		// The same request may be good for the other servers: this one may have a wrong
		// key or, since it was started again, another model.
		c.spent += refused.Attempts
		return c.ended(err)
	case !isFailure:
		return err
	case failed.Wait > model.LongWait && c.fleet.rest(p, trial(c.req), failed):
		return nil
	}
	c.fail(p, failed)
	last := c.ended(failed) != nil
	if !last {
		model.Pause(ctx, failed.Wait+c.pause(p))
	}
	c.await(ctx, p, failed, last)
	return cmp.Or(ctx.Err(), c.ended(failed))
}

// fail notes a failed attempt.
func (c *call) fail(p placed, failed *model.UnavailableError) {
	c.failures++
	if !failed.Unsent {
		c.spent += failed.Attempts
	}
	if c.full(p.server, failed) {
		c.refused = min(c.refused+failed.Attempts, mostRefused*c.fleet.o.Attempts)
	}
	if failed.Limit > 0 {
		c.req.Late++
	}
	c.req.Fresh = true
	if failed.Limit > 0 {
		c.fleet.tellLate(p, failed.Limit, c.ended(failed) == nil)
	}
	c.failInTurn(p, failed, failed, failed.Status != 0 || failed.Limit > 0)
}

// mostRefused is how many refusals by a busy server cost a call no attempt, by the number of attempts. A call that is
// always later than the one that finds out whether there is room (see answered) is refused 15 times of 16: one in 4,000
// has 128 refusals, and one in 10 million has 256.
const mostRefused = 32

// full reports whether a server refuses the call because it is at work on others, and notes it. Most servers say so.
// Some gateways close connections or answer 500, so a server is also taken for full if more of its calls wait after a
// failure than chance or their prompts explain. If one or two wait, either may be so: a call that has failed a few
// times has the others wait behind it, so that it finds room if there is ever any. While a server is at work on its
// first calls, nothing is known of it.
func (c *call) full(s *server, failed *model.UnavailableError) bool {
	c.fleet.mu.Lock()
	defer c.fleet.mu.Unlock()
	if s.calls == 0 || failed.Limit > 0 && !failed.Busy {
		return false
	}
	d := s.doubt
	full := failed.Busy || d != nil && (d.full || d.failing >= min(3, (s.calls+3)/4))
	if d != nil {
		d.full, d.queued, d.last = full, d.queued || full || c.failures > mostFailures, c.fleet.o.Now()
	}
	return full || s.latency == 0
}

// ended returns the error of a call that has been tried often enough; nil if it has not.
func (c *call) ended(err error) error {
	if c.spent-c.refused < c.fleet.o.Attempts && c.req.Late < mostLate {
		return nil
	}
	if failed, ok := errors.AsType[*model.UnavailableError](err); ok {
		failed.Attempts, failed.Late = max(1, c.spent), c.req.Late
	}
	return err
}

// pause is the wait before the next attempt. One failure is chance, so there is none, and none where a busy server is
// asked in turn. Otherwise it doubles from about a quarter of the time of a reply on.
func (c *call) pause(p placed) time.Duration {
	n := c.failures - c.refused
	if n <= 1 {
		return 0
	}
	c.fleet.mu.Lock()
	defer c.fleet.mu.Unlock()
	if d := p.server.doubt; d != nil && d.queued {
		return 0
	}
	wait := min(time.Minute, c.fleet.replyTime(p.server)<<min(n-2, 8)/4)
	return wait/2 + rand.N(wait+1)
}

// doubt is what a server is in from a failed call on until it answers one that began later, or is set aside. The
// calls that fail meanwhile take turns at being made again: first one of them, and another one with each call that the
// server still answers. So a server that fails now and then costs hardly any time, and one that is out is asked
// little. It is out if all that was asked in turn has failed, and nothing was answered meanwhile.
type doubt struct {
	server *server
	since  time.Time
	done   chan struct{}      // closed at its end
	turn   chan time.Duration // holds the wait before a turn while one is free
	// pending counts what is being asked in turn, failed what failed, and unheard how much of that since the server
	// last answered any call. The fleet's lock protects them.
	pending, failed, unheard int
	// waiting is how many calls wait for a turn, and failing how many of them have failed. full: the server refuses
	// calls while it has others, so that there is room for one call after each reply. queued: that is so, or may be,
	// so new calls wait behind those that failed. last is when the last one failed.
	waiting, failing int
	full, queued     bool
	last             time.Time
	// there: the server has answered since. It is not asked again whether it is there: of a balancer's two servers,
	// one of which fails, each question would get the good one and each call the other one.
	present bool
}

// mostFailures is the number of failures in turn after which a server is set aside. Even of a server that fails one
// call in four, so many fail in a row only once in 256 times. The last one is a trial: the reason may be the call.
const mostFailures = 4

// doubted returns the doubt that a server is in after a failed call; nil if it is out of use.
func (f *Fleet) doubted(s *server) *doubt {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s.isOut() {
		return nil
	}
	if s.doubt == nil {
		s.doubt = &doubt{server: s, since: f.o.Now(), done: make(chan struct{}), turn: make(chan time.Duration, 1)}
		s.doubt.free(0)
	}
	return s.doubt
}

// heard reports whether the server has answered since it is in doubt. The caller holds the lock.
func (d *doubt) heard() bool { return d.present || d.server.answered.After(d.since) }

// free lets one call take a turn after a wait.
func (d *doubt) free(wait time.Duration) {
	select {
	case d.turn <- wait:
	default:
	}
}

// await returns once the server is in no doubt or is set aside, or if it is the call's turn to be made
// again. Last: it is not, so another one has to take its turn.
func (c *call) await(ctx context.Context, p placed, failed *model.UnavailableError, last bool) {
	d := c.fleet.doubted(p.server)
	if d != nil && d != c.doubt {
		c.doubt, c.owed = d, c.spent
	}
	for d != nil && c.takeTurn(ctx) {
		err := c.ask(ctx, p, last || failed.Limit > 0)
		if err == nil || ctx.Err() != nil {
			return
		}
		c.failInTurn(p, failed, err, false)
	}
	if c.fleet.mu.Lock(); c.doubt != nil && p.server.isOut() {
		c.spent = min(c.spent, c.owed) // what was asked in turn tells of the server, and not of the call
	}
	c.fleet.mu.Unlock()
	c.doubt = nil
}

// queues reports whether new calls wait: behind others that do and, if perhaps one or two calls too many are in flight,
// behind those that have the turn. The caller holds the lock.
func (d *doubt) queues() bool { return d.queued && (d.waiting > 0 || !d.full && d.pending > 0) }

// queue has a call that has not failed yet wait behind those that its server has refused because it is, or may be,
// full. Else the episode whose reply came last would always be first. The server is nil before an episode's first call.
func (c *call) queue(ctx context.Context, s *server) {
	c.fleet.mu.Lock()
	if s == nil { // as place will
		s = leastLoaded(c.fleet.present())
	}
	if s != nil && s.doubt != nil && s.doubt.queues() {
		c.doubt = s.doubt
	}
	c.fleet.mu.Unlock()
	if c.doubt != nil {
		c.takeTurn(ctx)
	}
}

// takeTurn waits for a turn; false if the doubt is over before, or ctx is done.
func (c *call) takeTurn(ctx context.Context) bool {
	d, f := c.doubt, c.fleet
	failing := min(1, c.failures)
	wait := func(n int) { f.mu.Lock(); d.waiting += n; d.failing += n * failing; f.mu.Unlock() }
	wait(1)
	defer wait(-1)
	var now <-chan time.Time // at which it is the call's turn; nil before it is known
	for {
		select {
		case <-d.done:
			return false
		case <-ctx.Done():
			return false
		case <-now:
			return true
		case wait := <-d.turn: // the first one, or one that comes earlier because of a reply
			if f.mu.Lock(); c.turn == nil {
				c.turn = d
				d.pending++
			}
			f.mu.Unlock()
			now = time.After(wait)
		}
	}
}

// ask asks the server whether it is there, unless it has answered another call since it is in doubt, and for a reply to
// another prompt if that is wanted or the last chance.
func (c *call) ask(ctx context.Context, p placed, another bool) error {
	s, f := p.server, c.fleet
	f.mu.Lock()
	heard := c.turn.heard()
	another = another || c.turn.pending == 1 && c.turn.unheard >= mostFailures-1
	f.mu.Unlock()
	if !heard {
		if err := s.client.Ping(ctx); err != nil {
			return err
		}
		f.mu.Lock()
		c.turn.present = true
		f.mu.Unlock()
	}
	if !another {
		return nil
	}
	began := f.o.Now()
	err := try(ctx, s, trial(c.req))
	if err == nil {
		f.trust(s, began)
	}
	return err
}

// failInTurn ends the call's turn, if it has one, with a failure. If all fails that was asked in turn, often enough or
// because of time-outs, the server is set aside. There: the failure shows that somebody is at its address.
func (c *call) failInTurn(p placed, failed *model.UnavailableError, answer error, present bool) {
	d, f := c.turn, c.fleet
	if d == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	c.turn = nil
	d.pending--
	d.failed++
	first := p.server.latency == 0
	busy := (failed.Busy || (d.full || first) && failed.Limit == 0) && p.server.calls > 0 // with calls that it took
	if !busy {
		d.unheard++
	}
	if late, ok := errors.AsType[*model.UnavailableError](answer); ok && late.Limit > 0 {
		d.unheard = mostFailures
	}
	switch {
	case d.pending > 0: // what is being asked decides
	case busy && first:
		d.free(f.o.Pace)
	case busy, d.queued && p.server.calls > 0 && d.unheard < mostFailures:
		d.free(f.replyTime(d.server))
	case p.server.doubt == d && d.unheard >= mostFailures:
		out := &aside{cause: failed.Message, began: p.began}
		if present || d.heard() {
			out.trial = trial(c.req)
		}
		f.setAside(p.server, out, 0)
	default: // trouble may pass
		d.free(min(f.o.Pace/4, f.replyTime(d.server)<<min(d.failed, 8)))
	}
}

// yield gives the call's turn back, if it has one.
func (c *call) yield() { c.leaveTurn(func(*doubt) bool { return true }) }

// answered ends the call's turn, if it has one. Its place has another call already, and one more finds out whether a
// full server has room for it: else ever fewer would be in flight, as some fail. One reply in 16 is left alone, by
// chance, so that no call is always later than the one that finds out.
func (c *call) answered() {
	c.leaveTurn(func(d *doubt) bool { return d.full && rand.N(16) > 0 })
}

// leaveTurn ends the call's turn, if it has one. Free: another one may have it.
func (c *call) leaveTurn(free func(*doubt) bool) {
	c.fleet.mu.Lock()
	defer c.fleet.mu.Unlock()
	if d := c.turn; d != nil {
		c.turn = nil
		d.pending--
		if free(d) {
			d.free(0)
		}
	}
}

// trust notes that a server has answered a call that began at a time. After a later one than that whose failure
// put it in doubt or set it aside, it works.
func (f *Fleet) trust(s *server, began time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.answered = f.o.Now()
	if began.After(s.accepted) {
		s.accepted = began
	}
	switch {
	case s.doubt != nil && (began.Before(s.doubt.since) || s.doubt.queued && s.doubt.waiting > 0 && !f.room(s)):
		s.doubt.unheard = 0
		s.doubt.free(0)
	case s.doubt != nil:
		s.settle()
	case s.aside != nil && !s.removed && began.After(s.aside.began):
		f.takeBack(s)
	}
}

// roomAfter is for how many times of a reply a server that was full must have refused no call to be taken for one with
// room for more.
const roomAfter = 10

// room reports whether a server that was full has refused no call for a while. The caller holds the lock.
func (f *Fleet) room(s *server) bool {
	return f.o.Now().Sub(s.doubt.last) > roomAfter*f.replyTime(s)
}

// settle ends the doubt that the server is in, if it is. The caller holds the lock.
func (s *server) settle() {
	if s.doubt != nil {
		close(s.doubt.done)
		s.doubt = nil
	}
}

// trial returns another call with the settings of a request.
func trial(req *model.Request) *model.Request {
	return &model.Request{
		Messages: []model.Message{{Role: model.User, Content: "Hello"}},
		Decoding: req.Decoding, Seed: req.Seed, Completion: req.Completion, Once: true, Fresh: true,
	}
}

// try makes a trial call. A server that refuses only this prompt passes.
func try(ctx context.Context, s *server, trial *model.Request) error {
	_, err := s.client.Chat(ctx, *trial)
	refused, isRefusal := errors.AsType[*model.RequestError](err)
	if isRefusal && !refused.Fatal() || errors.As(err, new(*model.ContextError)) {
		return nil
	}
	return err
}

// setAsideOneOf sets a server aside that refuses calls, unless all others do as well: then the calls are wrong, not
// the server. The trial is what it must answer to be used again.
func (f *Fleet) setAsideOneOf(p placed, trial *model.Request, cause string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.servers {
		if s != p.server && (s.aside == nil || !s.aside.refuses) {
			f.setAside(p.server, &aside{cause: cause, began: p.began, trial: trial, refuses: true}, 0)
			return true
		}
	}
	return false
}

// rest sets a server aside that asks for a long wait, unless it has answered a call that began after the one
// that it refused: then that call waits alone.
func (f *Fleet) rest(p placed, trial *model.Request, refused *model.UnavailableError) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p.server.accepted.After(p.began) {
		return false
	}
	f.setAside(p.server, &aside{cause: refused.Message, began: p.began, trial: trial}, refused.Wait)
	return true
}

// tellLate says once that a reply took too long.
func (f *Fleet) tellLate(p placed, limit time.Duration, retried bool) {
	f.mu.Lock()
	warned := f.toldLate
	f.toldLate = true
	calls := p.server.calls
	f.mu.Unlock()
	if warned {
		return
	}
	consequence, helps := "is not asked for again", "a larger --timeout"
	if retried {
		consequence = fmt.Sprintf("is asked for again, within %v", 2*limit)
	}
	if calls > 0 {
		helps += " or a smaller --concurrency"
	}
	f.tell("a reply took longer than --timeout %v and %s: %s helps", limit, consequence, helps)
}
