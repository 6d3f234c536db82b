package eval

import (
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
	// waitingOf is the number of waiting episodes of each fleet, which is told when
	// there are none.
	waitingOf map[*fleet.Fleet]int
	// inFlight episodes are played, and open ones played or not yet recorded.
	inFlight, open int
	// limit is the largest number in flight.
	limit int
	// may says whether the next episode may begin; nil if all may.
	may     func(*episode.Episode) budgetVerdict
	stopped bool
}

func newAgenda(episodes []episode.Episode, limit int) *agenda {
	a := &agenda{limit: limit, waitingOf: map[*fleet.Fleet]int{}}
	a.changed = sync.NewCond(&a.mu)
	for i := range episodes {
		a.add(&episodes[i])
	}
	return a
}

// add puts an episode at the end. The caller holds the lock, or is alone.
func (a *agenda) add(e *episode.Episode) {
	a.waiting = append(a.waiting, e)
	a.count(e.Fleet(), 1)
}

// count notes waiting episodes of a fleet; nil is none.
func (a *agenda) count(f *fleet.Fleet, n int) {
	if f == nil {
		return
	}
	a.waitingOf[f] += n
	f.AllBegun(a.waitingOf[f] == 0)
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

// take returns the next episode. It waits while the largest number is in flight,
// and while there is none but one may be added. It returns nil if there is none and
// none can be added, or if the agenda was stopped.
func (a *agenda) take() *episode.Episode {
	a.mu.Lock()
	defer a.mu.Unlock()
	for !a.stopped && (len(a.waiting) == 0 && a.open > 0 || a.inFlight > 0 && a.inFlight >= a.limit || a.early()) {
		a.changed.Wait()
	}
	if len(a.waiting) == 0 || a.stopped {
		return nil
	}
	e := a.waiting[0]
	a.waiting = a.waiting[1:]
	a.count(e.Fleet(), -1)
	a.inFlight++
	a.open++
	return e
}

// early reports that there is a next episode which is to begin later. It stops an agenda
// whose next episode may never begin.
func (a *agenda) early() bool {
	if a.may == nil || len(a.waiting) == 0 {
		return false
	}
	v := a.may(a.waiting[0])
	if v == never {
		a.stopped = true
		a.changed.Broadcast()
	}
	return v == postpone
}

func (a *agenda) wake() { a.change(func() {}) }

// release notes that an episode has ended, so that another one can begin.
func (a *agenda) release() { a.change(func() { a.inFlight-- }) }

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

// stop ends the agenda: nothing more is handed out.
func (a *agenda) stop() { a.change(func() { a.stopped = true }) }
