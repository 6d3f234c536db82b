package load

import (
	"context"
	"sync"
	"time"
)

// pace says when requests are due: evenly, and whatever becomes of those before, so that
// a request that no client could send in time is late.
type pace struct {
	every time.Duration // 0: as soon as a client can send
	now   func() time.Time
	// clients are those that are not connected yet: nothing is due before.
	clients sync.WaitGroup
	due     chan time.Time
}

// next returns when the caller's request was due, at that time or later; false once ctx is
// done.
func (p *pace) next(ctx context.Context) (time.Time, bool) {
	if p.every == 0 {
		return p.now(), ctx.Err() == nil
	}
	select {
	case due := <-p.due:
		return due, true
	case <-ctx.Done():
		return time.Time{}, false
	}
}

// keep hands out what is due until ctx is done.
func (p *pace) keep(ctx context.Context) error {
	if p.every == 0 {
		return nil
	}
	s, err := newSleeper()
	if err != nil {
		return err
	}
	defer s.close()
	p.clients.Wait()
	for due := p.now(); ; due = due.Add(p.every) {
		if early := due.Sub(p.now()); early > 0 {
			if err := s.sleep(early); err != nil {
				return err
			}
		}
		select {
		case p.due <- due:
		case <-ctx.Done():
			return nil
		}
	}
}
