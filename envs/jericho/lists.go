package jericho

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"heldout/envs/engine/zmachine"
)

// lists remembers the valid actions of moments, for all worlds of the process: what
// other seeds, attempts and forks do first they do at moments that were seen before.
// What was remembered first is forgotten first.
type lists struct {
	mu      sync.Mutex
	entries map[momentKey]*actionList
	order   []momentKey // of the entries, the oldest first
	budget  *zmachine.Budget
	limit   int // bytes of all entries
	size    int
}

// momentKey is the hash of everything that a list of valid actions depends on.
type momentKey [sha256.Size]byte

// actionList is a list of valid actions that is made once.
type actionList struct {
	once    sync.Once
	actions []string
	err     error
	size    int // bytes that are counted for it
}

const (
	// listMemory is the part of leastHelp for some 4,000 lists of the benchmark's games.
	listMemory = 16 << 20
	// entrySize is about what a list takes besides its actions, and actionSize an action
	// besides its text.
	entrySize, actionSize = 256, 32
)

var listed = newLists(listMemory, helpers.budget)

func newLists(limit int, b *zmachine.Budget) *lists {
	return &lists{entries: map[momentKey]*actionList{}, limit: limit, budget: b}
}

var errUnfinished = errors.New("the list of valid actions was not finished")

// get returns the list of a moment, made if unknown. Worlds that ask meanwhile wait.
func (l *lists) get(key momentKey, produce func() ([]string, error)) ([]string, error) {
	e := l.entry(key)
	e.once.Do(func() {
		e.err = errUnfinished // for those who wait, if produce panics
		defer func() { l.keep(key, e) }()
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
	e := new(actionList)
	l.entries[key] = e
	return e
}

// keep counts a list that is made, and forgets the oldest ones until all fit. A list that has
// an error, or is too long, is forgotten at once.
func (l *lists) keep(key momentKey, e *actionList) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.size = entrySize + actionSize*len(e.actions) + len(strings.Join(e.actions, ""))
	if e.err != nil || e.size > l.limit {
		delete(l.entries, key)
		return
	}
	l.order = append(l.order, key)
	before := l.size
	for l.size += e.size; l.size > l.limit; l.order = l.order[1:] {
		l.size -= l.entries[l.order[0]].size
		delete(l.entries, l.order[0])
	}
	l.budget.Resize(int64(before), int64(l.size))
}

// key is the hash of all that decides which actions are valid at a moment.
func (c *catalogue) key(m *moment) momentKey {
	b := append([]byte(nil), c.identity[:]...)
	b = fmt.Append(b, c.attemptBudget, m.parsed, len(m.world))
	return sha256.Sum256(m.machine.AppendState(append(b, m.world...)))
}
