package jericho

import (
	"runtime"
	"slices"
	"sync"

	"heldout/envs/engine/zmachine"
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
	slots  chan struct{}    // taken while a helper works
	budget *zmachine.Budget // of all helpers, and of finished lists
	mu     sync.Mutex
	idle   []helper // the one that worked last is at the end
}

const (
	maxHelpers = 16 // that work at the same time
	// helpMemory is what helpers and lists take, in bytes. What grows may pass it by a third.
	helpMemory = 72 << 20
)

var helpers = newHelperPool(min(runtime.GOMAXPROCS(0), maxHelpers), helpMemory)

func newHelperPool(slots int, memory int64) *helperPool {
	p := &helperPool{slots: make(chan struct{}, slots)}
	p.budget = zmachine.NewBudget(memory, slots, p.dismiss)
	return p
}

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

// put ends the work of a helper.
func (p *helperPool) put(h helper) {
	p.mu.Lock()
	p.idle = append(p.idle, h)
	p.mu.Unlock()
	<-p.slots
}

// dismiss frees the memory of the helper that is idle for longest, if there is one.
func (p *helperPool) dismiss() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) == 0 {
		return false
	}
	p.idle[0].machine.Release()
	p.idle = slices.Delete(p.idle, 0, 1)
	return true
}
