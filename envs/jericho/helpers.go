package jericho

import (
	"runtime"
	"slices"
	"sync"
)

// helper is a session that tries commands for the help command of a game, and
// remembers between commands what it has seen.
type helper struct {
	*storySession
	catalogue *catalogue
}

// helperPool holds the helpers of a process, of all games. They take memory, and
// more working helpers than processors bring no benefit.
type helperPool struct {
	slots chan struct{} // taken while a helper works
	mu    sync.Mutex
	idle  []helper // the one that worked last is at the end
}

const (
	maxHelpers = 16 // that work at the same time
	// idleHelpers is how many helpers are kept for later, at about 40 MB each:
	// one per episode in flight at the default setting.
	idleHelpers = 8
)

var helpers = &helperPool{slots: make(chan struct{}, min(runtime.GOMAXPROCS(0), maxHelpers))}

// take waits until a helper may work.
func (p *helperPool) take(c *catalogue) helper {
	p.slots <- struct{}{}
	return p.get(c)
}

// tryTake returns a helper if one may work now.
func (p *helperPool) tryTake(c *catalogue) (h helper, ok bool) {
	select {
	case p.slots <- struct{}{}:
		return p.get(c), true
	default:
		return helper{}, false
	}
}

// get returns an idle helper of a game, or a new one.
func (p *helperPool) get(c *catalogue) helper {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, h := range slices.Backward(p.idle) {
		if h.catalogue == c {
			p.idle = slices.Delete(p.idle, i, i+1)
			return h
		}
	}
	return helper{c.newHelper(), c}
}

// put ends the work of a helper. Of too many it forgets the one idle for longest.
func (p *helperPool) put(h helper) {
	p.mu.Lock()
	p.idle = append(p.idle, h)
	if len(p.idle) > idleHelpers {
		p.idle = slices.Delete(p.idle, 0, 1)
	}
	p.mu.Unlock()
	<-p.slots
}
