package fleet

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// suspect asks a server whether it is there, after a call failed as if it were
// gone. Calls that fail together wait for one answer. If the server does not
// answer, it is set aside, and suspect returns false.
func (f *Fleet) suspect(ctx context.Context, s *server, cause string) (answers bool) {
	f.mu.Lock()
	if s.cause != "" || s.left {
		f.mu.Unlock()
		return false
	}
	if s.checking == nil {
		s.checking = make(chan struct{})
		f.work.Add(1)
		go f.check(s, cause)
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
	return s.cause == "" && !s.left
}

// check asks a suspected server, sets it aside if it does not answer, and then
// asks until it does.
func (f *Fleet) check(s *server, cause string) {
	defer f.work.Done()
	gone := s.client.Ping(f.ctx) != nil
	f.mu.Lock()
	if gone {
		f.setAside(s, cause)
	}
	close(s.checking)
	s.checking = nil
	f.mu.Unlock()
	if gone {
		f.recall(s)
	}
}

// setAside takes a server out of use. The caller holds the lock.
func (f *Fleet) setAside(s *server, cause string) {
	s.cause, s.since = cause, f.o.Now()
	if len(f.present()) > 0 {
		f.tell("%s is set aside, its episodes go on elsewhere: %s", s.client.URL(), cause)
		return
	}
	f.gone = s.since
	line := fmt.Sprintf("no model server answers since %s; the episodes wait: %s: %s", s.since.Format(time.TimeOnly), s.client.URL(), cause)
	if f.o.GiveUpAfter > 0 {
		line += fmt.Sprintf(" (--give-up-after %v)", f.o.GiveUpAfter)
	}
	f.tell("%s", line)
}

// tell passes on a note.
func (f *Fleet) tell(format string, args ...any) {
	if f.o.Tell != nil {
		f.o.Tell(fmt.Sprintf(format, args...))
	}
}

// recall asks a server that was set aside until it answers and serves the same
// model, the fleet gives up, or the fleet is closed.
func (f *Fleet) recall(s *server) {
	for {
		pause(f.ctx, f.o.Pace)
		if f.ctx.Err() != nil {
			return
		}
		cause := f.unfit(s)
		f.mu.Lock()
		switch {
		case s.left:
			f.mu.Unlock()
			return
		case cause == "":
			f.takeBack(s)
			f.mu.Unlock()
			return
		}
		f.giveUp()
		f.mu.Unlock()
	}
}

// unfit asks a server and says why it cannot be used; "" if it can.
func (f *Fleet) unfit(s *server) string {
	if err := s.client.Ping(f.ctx); err != nil {
		return err.Error()
	}
	about, err := s.client.Server(f.ctx)
	if err != nil {
		return err.Error()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.about == nil {
		return ""
	}
	if err := same(*f.about, about); err != nil {
		cause := err.Error()
		if s.cause != cause {
			s.cause = cause
			f.tell("%s stays set aside: %s", s.client.URL(), cause)
		}
		return cause
	}
	return ""
}

// isNew is the cause of a server that has just joined.
const isNew = "it is new"

// takeBack puts a server into use again. The caller holds the lock.
func (f *Fleet) takeBack(s *server) {
	if s.cause == isNew {
		f.tell("%s is in use", s.client.URL())
	} else {
		f.tell("%s is back after %v", s.client.URL(), f.o.Now().Sub(s.since).Round(time.Second))
	}
	s.cause, f.gone = "", time.Time{}
	f.notify()
}

// giveUp ends the fleet if no server has answered for too long. The caller holds
// the lock.
func (f *Fleet) giveUp() {
	if f.o.GiveUpAfter == 0 || f.gone.IsZero() || f.lost != nil || f.o.Now().Sub(f.gone) < f.o.GiveUpAfter {
		return
	}
	f.lost = &LostError{After: f.o.GiveUpAfter}
	for _, s := range f.servers {
		f.lost.Causes = append(f.lost.Causes, s.client.URL()+": "+s.cause)
	}
	f.notify()
}

// follow looks at the list of servers until the fleet is closed.
func (f *Fleet) follow() {
	defer f.work.Done()
	said := ""
	for {
		pause(f.ctx, f.o.ListPace)
		if f.ctx.Err() != nil {
			return
		}
		if err := f.reread(); err != nil && err.Error() != said {
			said = err.Error()
			f.tell("the servers stay as they are: %v", err)
		} else if err == nil {
			said = ""
		}
	}
}

// reread takes over the list of servers. A new server is in use once it has
// answered; a server that is no longer on the list gets no further calls.
func (f *Fleet) reread() error {
	addresses, err := f.o.List()
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var added []*server
	for _, address := range addresses {
		if slices.ContainsFunc(f.servers, func(s *server) bool { return s.address == address }) {
			continue
		}
		client, err := f.o.Open(address)
		if err != nil {
			for _, s := range added {
				s.client.Close()
			}
			return err
		}
		added = append(added, &server{address: address, client: client, cause: isNew, since: f.o.Now()})
	}
	f.servers = slices.DeleteFunc(f.servers, func(s *server) bool {
		if s.left = !slices.Contains(addresses, s.address); s.left {
			f.tell("%s has left the list of servers", s.client.URL())
		}
		return s.left
	})
	for _, s := range added {
		f.servers = append(f.servers, s)
		f.work.Add(1)
		go func() {
			defer f.work.Done()
			f.recall(s)
		}()
	}
	if len(f.present()) == 0 && f.gone.IsZero() {
		f.gone = f.o.Now()
	}
	return nil
}
