package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"heldout/eval/model"
)

// setAside takes a server out of use, if it is not yet, and has it asked from time to
// time. It must answer the trial, if there is one, to be used again; it is not asked
// before the wait is over. The caller holds the lock.
func (f *Fleet) setAside(s *server, trial *model.Request, cause string, wait time.Duration) {
	if s.cause != "" || s.removed {
		return
	}
	s.cause, s.since, s.trial = cause, f.o.Now(), trial
	if len(f.present()) > 0 {
		f.tell("%s is set aside, its episodes continue elsewhere: %s", s.client.URL(), cause)
	} else {
		f.hold(s.client.URL()+": "+cause, trial != nil)
	}
	f.recallLater(s, max(wait, f.o.Pace))
}

// hold makes all calls wait, because no server is in use. It tells the cause and
// begins to count the time until the fleet gives up. Talks: a server answers, but
// not as a model server does. The caller holds the lock.
func (f *Fleet) hold(cause string, talks bool) {
	if !f.gone.IsZero() {
		return
	}
	f.gone, f.talks = f.o.Now(), talks
	line := fmt.Sprintf("%s; the episodes wait: %s", f.outage(), cause)
	if f.o.GiveUpAfter > 0 {
		line += fmt.Sprintf(" (--give-up-after %v)", f.o.GiveUpAfter)
		f.tooLong = time.AfterFunc(f.o.GiveUpAfter, f.giveUp)
	}
	f.tell("%s", line)
	f.turn()
}

// outage says since when no server is in use. The caller holds the lock.
func (f *Fleet) outage() string {
	what := "no model server answers"
	if f.talks {
		what = "no usable reply"
	}
	return what + " since " + f.gone.Format(time.TimeOnly)
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

// OnTurn has a function called in a goroutine of its own whenever the last server goes or
// the first one is back.
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
	if f.gone.IsZero() || f.lost != nil {
		return
	}
	f.lost = &LostError{Wait: f.o.GiveUpAfter}
	for _, s := range f.servers {
		f.lost.Causes = append(f.lost.Causes, s.client.URL()+": "+s.cause)
	}
	f.notify()
}

func (f *Fleet) tell(format string, args ...any) {
	if f.o.Tell != nil {
		f.o.Tell(fmt.Sprintf(format, args...))
	}
}

// recallLater has a server asked after a wait, until it is in use. The caller holds
// the lock.
func (f *Fleet) recallLater(s *server, wait time.Duration) {
	f.work.Go(func() {
		for {
			model.Pause(f.ctx, wait)
			if f.ctx.Err() != nil || f.recall(s) {
				return
			}
			// A trial costs the server a reply.
			if wait = f.o.Pace; s.trial != nil {
				wait *= trialPace
			}
		}
	})
}

// trialPace is the time between two trials, by that between two questions.
const trialPace = 5

// recall asks a server that is set aside, and reports whether nothing more is to be
// asked: it is in use again, or it has left.
func (f *Fleet) recall(s *server) (done bool) {
	differs, err := f.examine(s)
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case s.removed || f.lost != nil || f.ctx.Err() != nil:
		return true
	case err == nil:
		f.takeBack(s)
		return true
	case s.cause == isNew, differs && s.cause != err.Error():
		s.cause = err.Error()
		f.tell("%s is not used: %s", s.client.URL(), s.cause)
	}
	return false
}

// examine asks a server that is set aside whether it can be used. Differs: it works,
// but does not serve the same model.
func (f *Fleet) examine(s *server) (differs bool, err error) {
	if err := s.client.Ping(f.ctx); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(f.ctx, patience)
	defer cancel()
	about, err := s.client.Server(ctx)
	if err != nil {
		return false, late(ctx, err)
	}
	f.mu.Lock()
	reference := f.about
	f.mu.Unlock()
	if reference != nil {
		if err := same(*reference, about); err != nil {
			return true, err
		}
	}
	if s.trial != nil {
		return false, f.try(s, s.trial)
	}
	return false, nil
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
	if s.fresh {
		f.tell("%s is in use", s.client.URL())
	} else {
		f.tell("%s is back after %v", s.client.URL(), f.o.Now().Sub(s.since).Round(time.Second))
	}
	s.cause, s.rests, s.trial, s.fresh, s.refuses = "", time.Time{}, nil, false, false
	s.client.Close() // connections from before it left are broken, and a call on one would fail
	f.release()
	f.turn()
}

// Gone returns since when no server answers, so that all calls wait; the zero time if one does.
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
		t := s.rests
		if s.cause == "" {
			t = s.client.Waits()
		} else if t.IsZero() {
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
