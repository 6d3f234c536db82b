package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"heldout/eval/model"
)

// setAside takes a server out of use, if it is not yet, and has it asked from time to
// time. It is not asked before the wait is over, which the server asks for; 0 for none. The caller holds the lock.
func (f *Fleet) setAside(s *server, out *aside, wait time.Duration) {
	if s.aside != nil || s.removed {
		return
	}
	s.aside, out.since = out, f.o.Now()
	if wait > 0 {
		out.rest(wait, out.since)
	}
	s.settle()
	if len(f.present()) > 0 {
		f.tell("%s is set aside, its episodes continue elsewhere: %s", s.client.URL(), out)
	} else {
		since, talks := out.since, out.trial != nil
		if talks { // that no reply comes is known late
			since = f.lastReply(out)
		}
		f.hold(fmt.Sprintf("%s: %s", s.client.URL(), out), since, talks)
	}
	f.recallLater(s, max(wait, f.o.Pace))
}

// rest notes that the server asks for no calls for so long.
func (a *aside) rest(wait time.Duration, now time.Time) {
	a.rests, a.requested = now.Add(wait), wait
}

// String is the cause, with the wait that the server asks for.
func (a *aside) String() string {
	if a.requested == 0 {
		return a.cause
	}
	return fmt.Sprintf("%s (it asks to wait %v)", a.cause, a.requested.Round(time.Second))
}

// hold makes all calls wait, because no server is in use. It tells the cause and since when that is so, and
// begins to count the time until the fleet gives up. Talks: a server answers, but
// not as a model server does. The caller holds the lock.
func (f *Fleet) hold(cause string, since time.Time, talks bool) {
	if !f.gone.IsZero() {
		return
	}
	f.gone, f.talks = since, talks
	line := fmt.Sprintf("%s; the episodes wait: %s", f.outage(), cause)
	if f.o.GiveUpAfter > 0 {
		line += fmt.Sprintf(" (--set give-up-after=%v)", f.o.GiveUpAfter)
		f.tooLong = time.AfterFunc(f.o.GiveUpAfter, f.giveUp)
	}
	if f.tell("%s", line); f.restsTooLong() {
		f.lose()
	}
	f.turn()
}

// restsTooLong reports whether all servers ask for a longer wait than the fleet has patience. The caller holds
// the lock.
func (f *Fleet) restsTooLong() bool {
	return f.o.GiveUpAfter > 0 && !slices.ContainsFunc(f.servers, func(s *server) bool {
		return s.aside == nil || s.aside.rests.Sub(f.o.Now()) <= f.o.GiveUpAfter
	})
}

// lastReply returns when a server gave the last reply or, before the first one, when the call began for which a
// server is set aside. The caller holds the lock.
func (f *Fleet) lastReply(out *aside) time.Time {
	last := slices.MaxFunc(f.servers, func(a, b *server) int { return a.answered.Compare(b.answered) }).answered
	if last.IsZero() {
		return out.began
	}
	return last
}

// outage says since when no server is in use. The caller holds the lock.
func (f *Fleet) outage() string {
	text := "no model server answers"
	if f.talks {
		text = "no usable reply"
	}
	return text + " since " + f.gone.Format(time.TimeOnly)
}

// Outage says since when no server is in use; empty if one is.
func (f *Fleet) Outage() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.gone.IsZero() {
		return ""
	}
	return f.outage()
}

// OnTurn has a function called in a goroutine of its own whenever the last server goes or the first one is back.
func (f *Fleet) OnTurn(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.onTurn = do
}

// turn has those told who follow when no server is there. The caller holds the lock.
func (f *Fleet) turn() {
	if f.onTurn != nil {
		f.work.Go(f.onTurn)
	}
}

// release ends hold. The caller holds the lock.
func (f *Fleet) release() {
	f.gone = time.Time{}
	if f.tooLong != nil {
		f.tooLong.Stop()
		f.tooLong = nil
	}
	f.notify()
}

// giveUp ends the fleet, unless a server has come back.
func (f *Fleet) giveUp() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.gone.IsZero() {
		f.lose()
	}
}

// lose ends the fleet. The caller holds the lock.
func (f *Fleet) lose() {
	if f.lost != nil {
		return
	}
	f.lost = &LostError{Wait: f.o.GiveUpAfter, Asked: f.restsTooLong(), Talks: f.talks}
	for _, s := range f.servers {
		f.lost.Causes = append(f.lost.Causes, fmt.Sprintf("%s: %s", s.client.URL(), s.aside))
	}
	f.notify()
}

func (f *Fleet) tell(format string, args ...any) {
	if f.o.Tell != nil {
		f.o.Tell(fmt.Sprintf(format, args...))
	}
}

// recallLater has a server asked after a wait, until it is in use. The caller holds the lock.
func (f *Fleet) recallLater(s *server, wait time.Duration) {
	out := s.aside
	f.work.Go(func() {
		for retry := true; retry; {
			if model.Pause(f.ctx, wait) != nil {
				return
			}
			wait, retry = f.recall(s, out)
		}
	})
}

// trialPace is the time between two trials, by that between two questions: a trial costs the server a reply.
const trialPace = 5

// recall asks a server that is set aside. It reports whether it is to be asked again, and after which wait: not
// if it is in use again, or has left.
func (f *Fleet) recall(s *server, out *aside) (wait time.Duration, retry bool) {
	talks, differs, err := f.examine(s, out)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.talks = f.talks || talks
	switch {
	case s.aside != out || s.removed || f.lost != nil || f.ctx.Err() != nil:
		return 0, false
	case err == nil:
		f.takeBack(s)
		return 0, false
	case out.cause == isNew, differs && out.cause != err.Error():
		out.cause = err.Error()
		f.tell("%s is not used: %s", s.client.URL(), out.cause)
	}
	wait = f.o.Pace
	if out.trial != nil && talks {
		wait *= trialPace
	}
	if busy, ok := errors.AsType[*model.UnavailableError](err); ok && busy.Wait > model.LongWait {
		out.cause, wait = busy.Message, busy.Wait
		if out.rest(wait, f.o.Now()); f.restsTooLong() {
			f.lose()
		}
	}
	return wait, true
}

// examine asks a server that is set aside whether it can be used. Talks: it answers. Differs: it works,
// but does not serve the same model.
func (f *Fleet) examine(s *server, out *aside) (talks, differs bool, err error) {
	if err := s.client.Ping(f.ctx); err != nil {
		return false, false, err
	}
	ctx, cancel := context.WithTimeout(f.ctx, patience)
	defer cancel()
	about, err := s.client.Server(ctx)
	if err != nil {
		return true, false, late(ctx, err)
	}
	f.mu.Lock()
	reference := f.about
	f.mu.Unlock()
	if reference != nil {
		if err := f.same(*reference, about); err != nil {
			return true, true, fmt.Errorf("it differs from the server that the run began with: %w", err)
		}
	}
	if out.trial != nil {
		return true, false, try(f.ctx, s, out.trial)
	}
	return true, false, nil
}

// patience is how long a server may take to answer questions about itself while
// others are waiting for it or can do without it.
const patience = 10 * time.Second

// late returns the error of a question, or what it means that its time was over.
func late(ctx context.Context, err error) error {
	var stopped *model.StoppedError
	switch {
	case ctx.Err() == nil:
		return err
	case errors.As(err, &stopped):
		return errors.New(stopped.Last)
	}
	return fmt.Errorf("it has not told about itself within %v", patience)
}

// isNew is the cause of a server that has just joined.
const isNew = "it is new"

// takeBack puts a server into use. The caller holds the lock.
func (f *Fleet) takeBack(s *server) {
	if s.aside.fresh {
		f.tell("%s is in use", s.client.URL())
	} else {
		since := s.aside.since
		if !f.gone.IsZero() && f.gone.Before(since) { // as was told
			since = f.gone
		}
		f.tell("%s is back after %v", s.client.URL(), f.o.Now().Sub(since).Round(time.Second))
	}
	if s.aside.trial != nil {
		s.answered = f.o.Now()
	}
	s.aside = nil
	s.client.Close() // connections from before it left are broken, and a call on one would fail
	f.release()
	f.turn()
}

// Gone returns since when no server answers, or none gives a usable reply, so that all calls wait; else the zero time.
func (f *Fleet) Gone() (since time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gone
}

// Waits returns when the first call goes on, if all wait for limits of services: for those per
// minute, or for as long as the services ask. Else it is the zero time.
func (f *Fleet) Waits() (until time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.servers {
		var t time.Time
		if s.aside == nil {
			t = s.client.Waits()
		} else if t = s.aside.rests; t.IsZero() {
			continue // its calls are elsewhere, or wait until it is back
		}
		if t.IsZero() {
			return t
		}
		if until.IsZero() || t.Before(until) {
			until = t
		}
	}
	return until
}
