package jericho

import (
	"slices"
	"sync"

	"heldout/envs/engine/zmachine"
)

// tried is what commands did at a moment, and what they looked at. At a later moment,
// only those are tried again that looked at something that has changed.
type tried struct {
	at       *moment
	score    int
	budget   int // of a command, in instructions
	watch    *zmachine.Watch
	index    map[string]int // of commands
	attempts []attempt
	spared   int // how many of them were not made, because an earlier moment told
	watched  bool
	// watches is how often many were watched since that last paid, while the player stayed,
	// and unwatched how many moments ago the last time was.
	watches, unwatched int
}

// attempt is a command that was tried.
type attempt struct {
	diff   *diff // nil if it changed nothing
	looked zmachine.Attempt
	known  bool // what it looked at is
}

func newTried(at *moment, score int, actions []string) *tried {
	n := len(actions)
	t := &tried{at: at, score: score, index: make(map[string]int, n), attempts: make([]attempt, n)}
	for k, action := range actions {
		t.index[action] = k
	}
	return t
}

// adopt takes over what an earlier moment tells about commands, and returns the numbers
// of those that have to be tried. The player stayed if nothing but volatile bytes
// has changed, or if it is not known where he was.
func (t *tried) adopt(earlier *tried, actions []string) (rest []int, stayed bool) {
	if earlier == nil {
		return t.all(), true
	}
	change, alike := earlier.watch.Compare(earlier.at.machine, t.at.machine)
	if !alike || earlier.score != t.score || earlier.budget != t.budget {
		return t.all(), false
	}
	t.watch = earlier.watch
	for k, action := range actions {
		if i, ok := earlier.index[action]; ok && earlier.attempts[i].spared(change) {
			t.attempts[k] = earlier.attempts[i]
		} else {
			rest = append(rest, k)
		}
	}
	return rest, change.Units() == 0
}

// spared reports whether a command need not be tried again.
func (a *attempt) spared(c *zmachine.Change) bool { return a.known && c.Spares(&a.looked) }

// plan decides whether commands are watched. That doubles the time or more. It costs little
// if few are tried, and pays where the player stays, unless things happen in every turn: so
// each time in vain it waits for two more turns.
func (t *tried) plan(earlier *tried, few, stayed bool) {
	if earlier != nil && stayed {
		t.watches, t.unwatched = earlier.watches, earlier.unwatched
	}
	switch t.watched = few || stayed && t.unwatched >= 2*t.watches; {
	case few:
		t.watches, t.unwatched = 0, 0
	case t.watched:
		t.watches, t.unwatched = t.watches+1, 0
	default:
		t.unwatched++
	}
}

// all returns the numbers of all commands.
func (t *tried) all() []int {
	rest := make([]int, len(t.attempts))
	for i := range rest {
		rest[i] = i
	}
	return rest
}

// size is about how many bytes of memory it takes.
func (t *tried) size() int {
	n := 1 << 17
	for i := range t.attempts {
		n += 192 + t.attempts[i].looked.Size()
	}
	return n
}

// probes is how many commands show what is volatile.
const probes = 24

// watch returns what is noted of commands at a moment. Volatile is what commands change
// that have no effect, which it can learn from waiting and some that are to be tried.
func (h helper) watch(at *moment, score int, actions []string, learn bool) *zmachine.Watch {
	h.machine.Watch(nil)
	g := h.game
	w := &zmachine.Watch{
		Volatile: h.of.volatile.join(zmachine.Differences(at.machine, at.machine)),
		Sinks:    slices.Clone(g.special),
	}
	switch g.score.kind {
	case scoreParsed:
		w.Numbers = zmachine.NumbersBehindColon
	case scoreByte:
		w.Sinks = append(w.Sinks, g.score.addr)
	case scoreWord:
		w.Sinks = append(w.Sinks, g.score.addr, g.score.addr+1)
	}
	if hasDigit(g.victory + g.death) {
		w.Numbers = zmachine.AllNumbers
	}
	if !learn || len(actions) == 0 {
		return w
	}
	var waited *diff
	for i := range probes {
		action := "wait"
		if i > 0 {
			action = actions[i*len(actions)/probes]
		}
		a := h.attempt(at, score, action)
		if i == 0 {
			waited = a.diff
		}
		if !h.machine.Halted() && (a.diff == nil || waited != nil && a.diff.equal(waited)) {
			h.machine.Prompt()
			w.Volatile = h.of.volatile.join(zmachine.Differences(at.machine, h.machine.Snapshot()))
		}
	}
	return w
}

// volatile is all that was ever volatile in a story: what a machine remembers tells about
// that.
type volatile struct {
	mu    sync.Mutex
	known *zmachine.Volatile
}

func (v *volatile) join(more *zmachine.Volatile) *zmachine.Volatile {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.known = v.known.Join(more)
	return v.known
}

func hasDigit(s string) bool {
	return slices.ContainsFunc([]byte(s), func(c byte) bool { return c >= '0' && c <= '9' })
}

// moments are the latest at which commands were tried, of all worlds of the process.
type moments struct {
	mu    sync.Mutex
	known map[momentKey]*tried
	order []momentKey
	sizes int // of all of them, in bytes of memory
	most  int
}

// mostTried is how many bytes of memory they take at most. One takes 0.3 to 20 MB.
const mostTried = 64 << 20

var latest = newMoments(mostTried)

func newMoments(most int) *moments { return &moments{known: map[momentKey]*tried{}, most: most} }

// get returns what was tried at a moment, or nil.
func (m *moments) get(key momentKey) *tried {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[key]
}

// put adds a moment. Those that were added first are forgotten first.
func (m *moments) put(key momentKey, t *tried) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known[key] != nil {
		return
	}
	m.known[key] = t
	m.order = append(m.order, key)
	m.sizes += t.size()
	for m.sizes > m.most {
		m.sizes -= m.known[m.order[0]].size()
		delete(m.known, m.order[0])
		m.order = m.order[1:]
	}
}
