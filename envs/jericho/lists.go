package jericho

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/singleflight"
)

// lists remembers the valid actions of moments, for all worlds of the process: what
// other seeds, attempts and forks do first they do at moments that were seen before.
// Of two generations the older one is forgotten when the newer one is full.
type lists struct {
	making singleflight.Group // by moment
	limit  int                // bytes of a generation

	mu           sync.Mutex
	newer, older map[momentKey][]string
	size         int // bytes of the newer generation
}

// momentKey is the hash of everything that a list of valid actions depends on.
type momentKey [sha256.Size]byte

const (
	// listMemory suffices for some 2,000 lists of the benchmark's games.
	listMemory = 8 << 20
	// entrySize is about what a list takes besides its actions, and actionSize an action besides its text.
	entrySize, actionSize = 256, 32
)

var listed = newLists(listMemory)

func newLists(limit int) *lists { return &lists{newer: map[momentKey][]string{}, limit: limit} }

// get returns the list of a moment, made if unknown. Worlds that ask meanwhile wait.
func (l *lists) get(key momentKey, produce func() ([]string, error)) ([]string, error) {
	list, err, _ := l.making.Do(string(key[:]), func() (any, error) {
		if actions, ok := l.find(key); ok {
			return actions, nil
		}
		actions, err := produce()
		if err == nil {
			l.keep(key, actions)
		}
		return actions, err
	})
	return slices.Clone(list.([]string)), err
}

// find returns what is remembered of a moment.
func (l *lists) find(key momentKey) (actions []string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if actions, ok = l.newer[key]; !ok {
		actions, ok = l.older[key]
	}
	return actions, ok
}

// keep remembers a list.
func (l *lists) keep(key momentKey, actions []string) {
	size := entrySize + actionSize*len(actions) + len(strings.Join(actions, ""))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.size += size; l.size > l.limit {
		l.older, l.newer, l.size = l.newer, map[momentKey][]string{}, size
	}
	l.newer[key] = actions
}

// key is the hash of all that decides which actions are valid at a moment.
func (c *catalogue) key(m *moment) momentKey {
	b := append([]byte(nil), c.identity[:]...)
	b = fmt.Append(b, c.attemptBudget, m.parsed, len(m.world))
	return sha256.Sum256(m.machine.AppendState(append(b, m.world...)))
}
