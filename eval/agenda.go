package eval

import (
	"slices"
	"sync"

	"heldout/eval/episode"
	"heldout/eval/fleet"
)

// agenda hands out the episodes of a run. An episode that has ended may add
// another one at the end. It is safe for concurrent use.
type agenda struct {
	mu      sync.Mutex
	changed *sync.Cond
	waiting []*episode.Episode
	// counts are those of each fleet; nil is that of players that ask none.
	counts map[*fleet.Fleet]*counts
	// inFlight episodes are played, and open ones played or not yet recorded.
	inFlight, open int
	// limit is the largest number in flight.
	limit int
	// may says whether the next episode may begin; nil if all may.
	may func(*episode.Episode) budgetVerdict
	// dropped are the models whose episodes do not begin any more.
	dropped map[string]bool
	stopped bool
}

// counts are the episodes of a fleet that wait and that are in flight.
type counts struct{ waiting, inFlight int }

func newAgenda(episodes []episode.Episode, limit int) *agenda {
	a := &agenda{limit: limit, counts: map[*fleet.Fleet]*counts{}, dropped: map[string]bool{}}
	a.changed = sync.NewCond(&a.mu)
	for i := range episodes {
		a.add(&episodes[i])
	}
	return a
}

// add puts an episode at the end. The caller holds the lock, or is alone.
func (a *agenda) add(e *episode.Episode) {
	if a.dropped[e.Player.Name] {
		return
	}
	a.waiting = append(a.waiting, e)
	a.count(e, 1, 0)
}

// count notes changes of the episodes of a fleet, which is told when none waits.
func (a *agenda) count(e *episode.Episode, waiting, inFlight int) {
	f := e.Fleet()
	n := a.counts[f]
	if n == nil {
		n = &counts{}
		a.counts[f] = n
		if f != nil {
			f.OnTurn(a.wake)
		}
	}
	n.waiting += waiting
	n.inFlight += inFlight
	a.inFlight += inFlight
	if f != nil && waiting != 0 {
		f.AllBegun(n.waiting == 0)
	}
}

// change changes something, and has those who wait look again.
func (a *agenda) change(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	do()
	a.changed.Broadcast()
}

// setLimit changes the largest number of episodes in flight. Those that are in
// flight go on.
func (a *agenda) setLimit(n int) { a.change(func() { a.limit = n }) }

func (a *agenda) playing() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.inFlight
}

// take returns the next episode. It waits while the largest number is in flight, or
// more are not recorded yet, and while there is none but one may be added. It returns nil
// if there is none and none can be added, or if the agenda was stopped.
func (a *agenda) take() *episode.Episode {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := a.next()
	for !a.stopped && (next < 0 && len(a.waiting)+a.open > 0 || next >= 0 && a.early(a.waiting[next])) {
		a.changed.Wait()
		next = a.next()
	}
	if next < 0 || a.stopped {
		return nil
	}
	e := a.waiting[next]
	if next == 0 {
		a.waiting = a.waiting[1:]
	} else {
		a.waiting = slices.Delete(a.waiting, next, next+1)
	}
	a.count(e, -1, 1)
	a.open++
	return e
}

// next is the place of the next episode, -1 if none may begin now. A model without a
// server holds no slot while another one has episodes to begin.
func (a *agenda) next() int {
	busy, lost := a.inFlight, map[*fleet.Fleet]bool{}
	for f, n := range a.counts {
		if len(a.counts) > 1 && f != nil && !f.Gone().IsZero() {
			lost[f] = true
			busy -= n.inFlight
		}
	}
	next := slices.IndexFunc(a.waiting, func(e *episode.Episode) bool { return !lost[e.Fleet()] })
	if next < 0 && len(a.waiting) > 0 {
		next, busy = 0, a.inFlight
	}
	if recording := a.open - a.inFlight; busy > 0 && busy >= a.limit || recording > a.limit {
		return -1
	}
	return next
}

// early reports an episode that is to begin later. It stops an agenda whose next episode
// may never begin.
func (a *agenda) early(e *episode.Episode) bool {
	if a.may == nil {
		return false
	}
	v := a.may(e)
	if v == never {
		a.stopped = true
		a.changed.Broadcast()
	}
	return v == postpone
}

func (a *agenda) wake() { a.change(func() {}) }

// release notes that an episode has ended, so that another one can begin.
func (a *agenda) release(e *episode.Episode) { a.change(func() { a.count(e, 0, -1) }) }

// done notes that an episode that was played is recorded, and adds the one that
// follows it, unless that is nil.
func (a *agenda) done(next *episode.Episode) {
	a.change(func() {
		a.open--
		if next != nil {
			a.add(next)
		}
	})
}

// waits reports whether an episode of a model waits.
func (a *agenda) waits(model string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.waiting, func(e *episode.Episode) bool { return e.Player.Name == model })
}

// drop takes the waiting episodes of a model out. None of it is handed out any more.
func (a *agenda) drop(model string) {
	a.change(func() {
		a.dropped[model] = true
		a.waiting = slices.DeleteFunc(a.waiting, func(e *episode.Episode) bool {
			if e.Player.Name != model {
				return false
			}
			a.count(e, -1, 0)
			return true
		})
	})
}

// stop ends the agenda: nothing more is handed out.
func (a *agenda) stop() { a.change(func() { a.stopped = true }) }
