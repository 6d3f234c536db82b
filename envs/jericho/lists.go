package jericho

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// lists remembers the valid actions of moments, for all worlds of the process: what
// other seeds, attempts and forks do first they do at moments that were seen before.
// What was remembered first is forgotten first.
type lists struct {
	mu      sync.Mutex
	entries map[momentKey]*actionList
	order   []momentKey // of those known, a ring once it is full
	longest int         // in bytes; longer ones are made anew each time
	next    int         // place in the ring
}

// momentKey is the hash of everything that a list of valid actions depends on.
type momentKey [sha256.Size]byte

// actionList is a list of valid actions that is made once.
type actionList struct {
	once    sync.Once
	actions []string
	err     error
}

// Lists of the benchmark's games have some 2 kB, so that these take some 10 MB, and
// never more than 256.
const (
	maxLists    = 4 << 10
	longestList = 64 << 10
)

var listed = newLists(maxLists, longestList)

func newLists(limit, longest int) *lists {
	return &lists{entries: map[momentKey]*actionList{}, order: make([]momentKey, 0, limit), longest: longest}
}

var errUnfinished = errors.New("the list of valid actions was not finished")

// get returns the list of a moment, made if unknown. Worlds that ask meanwhile wait.
func (l *lists) get(key momentKey, produce func() ([]string, error)) ([]string, error) {
	e := l.entry(key)
	e.once.Do(func() {
		e.err = errUnfinished // for those who wait, if produce panics
		defer func() {
			if e.err != nil || len(strings.Join(e.actions, "")) > l.longest {
				l.forget(key, e)
			}
		}()
		e.actions, e.err = produce()
	})
	return slices.Clone(e.actions), e.err
}

// entry returns what is remembered of a moment, or room for it.
func (l *lists) entry(key momentKey) *actionList {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.entries[key]; e != nil {
		return e
	}
	if len(l.order) < cap(l.order) {
		l.order = append(l.order, key)
	} else {
		delete(l.entries, l.order[l.next])
		l.order[l.next] = key
		l.next = (l.next + 1) % len(l.order)
	}
	e := new(actionList)
	l.entries[key] = e
	return e
}

func (l *lists) forget(key momentKey, e *actionList) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.entries[key] == e {
		delete(l.entries, key)
	}
}

// key is the hash of all that decides which actions are valid at a moment.
func (c *catalogue) key(m *moment) momentKey {
	b := append([]byte(nil), c.identity[:]...)
	b = fmt.Append(b, c.attemptBudget, m.parsed, len(m.world))
	return sha256.Sum256(m.machine.AppendState(append(b, m.world...)))
}
