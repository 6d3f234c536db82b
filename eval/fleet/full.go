package fleet

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// loadTimeout is the longest that servers may take to tell their load.
const loadTimeout = 2 * time.Second

// Full asks the servers in use for their load, and returns why more calls do not help:
// half as many requests wait as run, or requests were preempted since it last asked. It returns "" if more
// may help. A server that tells no load is not asked again. Calls must not overlap.
func (f *Fleet) Full(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	f.mu.Lock()
	servers := f.present()
	f.mu.Unlock()
	var group sync.WaitGroup
	reasons := make([]string, len(servers))
	for i, s := range servers {
		if !s.silent {
			group.Go(func() { reasons[i] = s.full(ctx) })
		}
	}
	group.Wait()
	return cmp.Or(reasons...)
}

func (s *server) full(ctx context.Context) string {
	load, ok := s.client.Load(ctx)
	last := s.load
	s.load, s.silent = &load, !ok
	switch {
	case !ok:
		return ""
	case load.Waiting > load.Running/2: // a few wait for a moment whenever calls arrive
		return "requests wait at the server"
	case last != nil && load.Preemptions > last.Preemptions:
		return "the server preempts"
	}
	return ""
}
