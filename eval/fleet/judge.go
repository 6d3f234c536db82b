package fleet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"heldout/eval/model"
)

// forGood is the number of attempts of a call that is not worth another one.
const forGood = -1

// judge decides what the failure of a call says about its server, and sets it aside
// if it should get no calls. It reports whether the server works otherwise, and how
// many of the call's attempts count.
//
// A failure is not proof against a server: the call itself may be the reason. So the
// server is asked whether it is there, and for a reply to another prompt, unless it
// has answered some call meanwhile.
func (f *Fleet) judge(ctx context.Context, s *server, req model.Request, began time.Time, err error) (works bool,
	attempts int) {
	var refused *model.RequestError
	var failed *model.UnavailableError
	switch {
	case errors.As(err, &refused):
		// The same request may be good for the other servers: this one may have a wrong
		// key or, since it was started again, another model.
		if refused.Fatal() && f.setAsideOneOf(s, trial(req), refused.Error()) {
			return false, refused.Attempts
		}
		return true, forGood
	case !errors.As(err, &failed):
		return true, forGood
	case failed.Busy && failed.Attempts < f.o.Attempts: // it asks for a long wait
		f.setAsideFor(s, failed.Wait, failed.Message)
		return false, 0
	case failed.Gone && f.answeredSince(s, began): // and may be gone since
		works = f.suspect(ctx, s, nil, failed.Message)
	default:
		works = f.answeredSince(s, began) || f.suspect(ctx, s, trial(req), failed.Message)
	}
	if !works && failed.Unsent {
		return false, 0
	}
	return works, failed.Attempts
}

// trial returns another call with the settings of a request.
func trial(req model.Request) *model.Request {
	return &model.Request{
		Messages: []model.Message{{Role: model.User, Content: "Hello"}},
		Decoding: req.Decoding, Seed: req.Seed, Completion: req.Completion, Once: true,
	}
}

// answeredSince reports whether a server has answered a call since a time.
func (f *Fleet) answeredSince(s *server, t time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return s.answered.After(t)
}

// suspect asks a server whether it works, after a call failed: it must be there and
// answer the trial, if there is one. Calls that fail together wait for one answer. A
// server that does not work is set aside.
func (f *Fleet) suspect(ctx context.Context, s *server, trial *model.Request, cause string) (works bool) {
	f.mu.Lock()
	if s.cause != "" || s.removed {
		f.mu.Unlock()
		return false
	}
	if s.checking == nil {
		s.checking = make(chan struct{})
		f.work.Go(func() { f.check(s, trial, cause) })
	}
	checking := s.checking
	f.mu.Unlock()
	select {
	case <-checking:
	case <-ctx.Done():
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return s.cause == "" && !s.removed
}

// check asks a suspected server and sets it aside if it does not work.
func (f *Fleet) check(s *server, trial *model.Request, cause string) {
	err := s.client.Ping(f.ctx)
	if err != nil {
		trial = nil // it has to come back first
	} else if trial != nil {
		err = f.try(s, trial)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	close(s.checking)
	s.checking = nil
	if err != nil && f.ctx.Err() == nil {
		f.setAside(s, trial, cause, 0)
	}
}

// try makes a trial call. A server that is only busy, or refuses only this prompt,
// passes.
func (f *Fleet) try(s *server, trial *model.Request) error {
	_, err := s.client.Chat(f.ctx, *trial)
	var failed *model.UnavailableError
	var refused *model.RequestError
	switch {
	case errors.As(err, &failed) && !failed.Busy, errors.As(err, &refused) && refused.Fatal():
		return err
	}
	return f.ctx.Err()
}

// setAsideOneOf sets a server aside that refuses calls, unless all others do as well:
// then the calls are wrong, not the server. The trial is what it must answer to be
// used again.
func (f *Fleet) setAsideOneOf(s *server, trial *model.Request, cause string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, other := range f.servers {
		if other != s && !other.refuses {
			s.refuses = true
			f.setAside(s, trial, cause, 0)
			return true
		}
	}
	return false
}

// setAsideFor sets a server aside that asks for a wait.
func (f *Fleet) setAsideFor(s *server, wait time.Duration, cause string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.setAside(s, nil, fmt.Sprintf("%s (it asks to wait %v)", cause, wait.Round(time.Second)), wait)
	if s.rests.IsZero() {
		s.rests = f.o.Now().Add(wait)
	}
}
