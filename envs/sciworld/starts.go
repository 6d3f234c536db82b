package sciworld

import (
	"maps"
	"slices"
	"sync"

	"heldout/envs/engine/scienceworld"
)

// starts keeps worlds that have just started, for those that start again: attempts,
// seeds and groups of rollouts. It is safe for concurrent use.
type starts struct {
	mu        sync.Mutex
	requested map[startKey]bool
	worlds    map[startKey]started
	order     []startKey // of the worlds, the oldest first
}

// startKey says how a world starts.
type startKey struct {
	place           taskVariation
	simplifications string
}

// started is a world at its start. Nobody plays it. It is given up once it is outdated.
type started struct {
	world  *scienceworld.World
	list   scienceworld.ValidList
	report report
}

// How many starts are kept, at about 100 kB each, and of how many more it is known that
// they were asked for once.
const (
	mostStarts = 128
	mostAsked  = 1 << 13
)

func (s *starts) get(k startKey) (started, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w, ok := s.worlds[k]
	if ok && w.world.Outdated() {
		s.dropOutdated()
		return started{}, false
	}
	return w, ok
}

func (s *starts) dropOutdated() {
	maps.DeleteFunc(s.worlds, func(_ startKey, w started) bool { return w.world.Outdated() })
	s.order = slices.DeleteFunc(s.order, func(k startKey) bool { _, ok := s.worlds[k]; return !ok })
}

// isNew notes that a start is asked for, and reports whether that is the first time.
func (s *starts) isNew(k startKey) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requested[k] {
		return false
	}
	if s.requested == nil || len(s.requested) == mostAsked {
		s.requested = map[startKey]bool{}
	}
	s.requested[k] = true
	return true
}

// keep keeps a start in place of the oldest one.
func (s *starts) keep(k startKey, w started) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.worlds[k]; ok {
		return
	}
	if s.worlds == nil {
		s.worlds = map[startKey]started{}
	}
	if len(s.order) == mostStarts {
		delete(s.worlds, s.order[0])
		s.order = s.order[1:]
	}
	s.worlds[k] = w
	s.order = append(s.order, k)
}
