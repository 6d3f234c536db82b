package jericho

import (
	"runtime"
	"runtime/metrics"
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
	// leastHelp and mostHelp bound what helpers and lists take, in bytes. What grows may pass it
	// by a third.
	leastHelp, mostHelp = 48 << 20, 192 << 20
	// roomy is how much memory a process may use, in bytes, before helpers get less than the most.
	roomy = 240 << 20
)

var helpers = newHelperPool(min(runtime.GOMAXPROCS(0), maxHelpers))

func newHelperPool(slots int) *helperPool {
	p := &helperPool{slots: make(chan struct{}, slots)}
	p.budget = zmachine.NewBudget(helpMemory, slots, p.dismiss)
	return p
}

// helpMemory is what helpers and lists may take, in bytes, when they take so much: a game that is
// played alone has more than one beside five other environments.
func helpMemory(used int64) int64 {
	if used <= leastHelp {
		return leastHelp // no need to ask
	}
	live := [...]metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live[:])
	return helpBeside(int64(live[0].Value.Uint64()) - used)
}

// helpBeside is what helpers and lists may take beside other memory in use, all in bytes.
func helpBeside(others int64) int64 { return min(max(roomy-others, leastHelp), mostHelp) }

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
