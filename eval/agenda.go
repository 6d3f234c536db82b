package eval

import (
	"slices"
	"sync"

	"heldout/eval/episode"
)

// agenda hands out the episodes of a run. An episode that has ended may add
// another one at the end. It is safe for concurrent use.
type agenda struct {
	mu      sync.Mutex
	changed *sync.Cond
	lines   []*line
	// added counts the episodes, open those that are played or not yet recorded.
	added, open int
	// limit is the largest number in flight.
	limit int
	// may says whether the next episode may begin; nil if all may.
	may func(*episode.Episode) budgetVerdict
	// dropped are the models and environments whose episodes do not begin any more.
	dropped map[string]bool
	stopped bool
	// sequential: an episode begins once the one before it is recorded.
	sequential bool
}

func newAgenda(episodes []*episode.Episode, limit int) *agenda {
	a := &agenda{limit: limit, dropped: map[string]bool{}}
	a.changed = sync.NewCond(&a.mu)
	for _, e := range episodes {
		a.add(e)
	}
	return a
}

// add puts an episode at the end. The caller holds the lock, or is alone.
func (a *agenda) add(e *episode.Episode) {
	if a.dropped[e.Player.Name] || a.dropped[e.Condition.Env] {
		return
	}
	l := a.line(e)
	l.waiting = append(l.waiting, ticket{e, a.added})
	a.added++
	l.size++
}

// line returns the line of an episode.
func (a *agenda) line(e *episode.Episode) *line {
	for _, l := range a.lines {
		if l.env == e.Condition.Env && l.model == e.Player.Name {
			return l
		}
	}
	l := &line{env: e.Condition.Env, model: e.Player.Name, fleet: e.Fleet()}
	a.lines = append(a.lines, l)
	if l.fleet != nil {
		l.fleet.OnTurn(a.wake)
	}
	return l
}

// change changes something, and has those who wait look again.
func (a *agenda) change(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	do()
	a.changed.Broadcast()
}

// setLimit changes the largest number of episodes in flight. Those that are in flight go on.
func (a *agenda) setLimit(n int) { a.change(func() { a.limit = n }) }

func (a *agenda) playing() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return inFlight(a.lines)
}

// take returns the next episode. It waits while the largest number is in flight, or
// more are not recorded yet, and while there is none but one may be added. It returns nil
// if there is none and none can be added, or if the agenda was stopped.
func (a *agenda) take() *episode.Episode {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := a.next()
	for !a.stopped && (next == nil && (a.open > 0 || slices.ContainsFunc(a.lines, (*line).waits)) ||
		next != nil && a.early(next.waiting[0].Episode)) {
		a.changed.Wait()
		next = a.next()
	}
	if next == nil || a.stopped {
		return nil
	}
	e := *next.waiting[0].Episode // playing changes it
	next.waiting = next.waiting[1:]
	next.inFlight++
	a.open++
	return &e
}

// next is the line of the next episode, nil if none may begin now. A model without a server
// holds no place while another one has episodes to begin.
func (a *agenda) next() *line {
	served := slices.DeleteFunc(slices.Clone(a.lines), func(l *line) bool {
		return l.fleet != nil && !l.fleet.Gone().IsZero()
	})
	if !slices.ContainsFunc(served, (*line).waits) {
		served = a.lines
	}
	if a.sequential && a.open > 0 {
		return nil
	}
	busy, recording := inFlight(served), a.open-inFlight(a.lines)
	if busy > 0 && busy >= a.limit || recording > a.limit {
		return nil
	}
	return fairest(served, a.limit)
}

// early reports an episode that is to begin later. It stops an agenda whose next episode may never begin.
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
func (a *agenda) release(e *episode.Episode) { a.change(func() { a.line(e).inFlight-- }) }

// more adds an episode. Another one is played meanwhile, or is not recorded yet.
func (a *agenda) more(e *episode.Episode) { a.change(func() { a.add(e) }) }

// done notes that an episode that was played is recorded.
func (a *agenda) done() { a.change(func() { a.open-- }) }

// waits reports whether an episode of a model waits.
func (a *agenda) waits(model string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.ContainsFunc(a.lines, func(l *line) bool { return l.model == model && l.waits() })
}

// drop takes the waiting episodes of a model or environment out. None of it is handed out any more.
func (a *agenda) drop(name string) {
	a.change(func() {
		a.dropped[name] = true
		for _, l := range a.lines {
			if l.model == name || l.env == name {
				l.waiting = nil
			}
		}
	})
}

// stop ends the agenda: nothing more is handed out.
func (a *agenda) stop() { a.change(func() { a.stopped = true }) }
