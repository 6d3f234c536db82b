package serve

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"heldout/scoring/record"
	"heldout/scoring/table"
)

// MaxStepTime is how long a step or a reset may take; then its session ends.
const MaxStepTime = 30 * time.Second

// startTime is how long an episode may wait for what it needs, such as a virtual
// machine. It is less than MaxStepTime: the session goes on and can try again.
const startTime = 20 * time.Second

// unusedForkTime ends a fork that nobody has used.
const unusedForkTime = time.Minute

// Table holds the sessions of all protocols. It is safe for concurrent use.
type Table struct {
	options   Options
	metrics   *metrics
	recorders *recorders // nil without records
	room      room

	open   atomic.Int64
	worlds atomic.Int64 // running episodes
	closed atomic.Bool

	mu        sync.Mutex
	sessions  map[string]*Session
	addresses map[string]int // open sessions by client address
}

// CapacityError says that there are too many sessions.
type CapacityError struct {
	Active, Max int
	Address     bool // it is the limit of one client address
	// InUse and Memory are bytes if it is the limit of memory; 0 otherwise.
	InUse, Memory int64
}

// Error is what clients of OpenEnv know.
func (e *CapacityError) Error() string {
	switch {
	case e.Memory > 0:
		return fmt.Sprintf("Server at capacity: %s %d MB of the %d MB of --set max-memory, of which a fifth stays free. "+
			"Cannot accept new connections.",
			table.Counted(e.Active, "episode takes", "episodes and what they share take"), e.InUse/1_000_000,
			e.Memory/1_000_000)
	case e.Address:
		return fmt.Sprintf("Server at capacity: %d/%d sessions active from this address. Cannot accept new "+
			"connections; --set max-sessions-per-client raises the limit.", e.Active, e.Max)
	}
	return fmt.Sprintf("Server at capacity: %d/%d sessions active. Cannot accept new connections.", e.Active, e.Max)
}

// Open makes a session without an episode. The error is a *CapacityError or an *EndedError.
func (t *Table) Open(o Owner) (*Session, error) {
	if t.closed.Load() {
		return nil, &EndedError{ShutDown}
	}
	if err := t.admit(t.open.Add(1), o.Address); err != nil {
		t.open.Add(-1)
		t.metrics.closed(o.Protocol, Capacity)
		return nil, err
	}
	s := &Session{id: newID(), owner: o, table: t}
	s.ctx, s.stop = context.WithCancel(context.Background())
	if o.Ended != nil {
		s.ended.Store(&o.Ended)
	}
	s.used.Store(t.options.Now().UnixNano())
	t.mu.Lock()
	t.sessions[s.id] = s
	t.mu.Unlock()
	t.metrics.openedOne(o.Protocol)
	t.options.Log("session opened", "session", s.name(), "protocol", o.Protocol, "address", o.Address)
	if t.closed.Load() { // the sweep that closed all may have missed it
		s.Close(ShutDown)
		return nil, &EndedError{ShutDown}
	}
	return s, nil
}

// admit refuses the last of so many sessions if the table, the memory or its client address
// has too many. The process that started this one has no address, and no limit of its own.
func (t *Table) admit(open int64, address string) error {
	if open > int64(t.options.MaxSessions) {
		return &CapacityError{Active: int(min(open-1, int64(t.options.MaxSessions))), Max: t.options.MaxSessions}
	}
	if err := t.hold(); err != nil || address == "" {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.addresses[address]; n >= t.options.MaxPerAddress {
		return &CapacityError{Active: n, Max: t.options.MaxPerAddress, Address: true}
	}
	t.addresses[address]++
	return nil
}

// hold reports that there is no memory for another world.
func (t *Table) hold() error {
	worlds := t.worlds.Load()
	if inUse, ok := t.room.admit(worlds, t.options.Now); !ok {
		return &CapacityError{Active: int(worlds), Max: t.options.MaxSessions, InUse: inUse, Memory: t.room.Limit}
	}
	return nil
}

// Find returns an open session by its id.
func (t *Table) Find(id string) (*Session, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.sessions[id]
	return s, ok
}

// Len returns the number of open sessions.
func (t *Table) Len() int { return int(t.open.Load()) }

func (t *Table) remove(s *Session, reason EndReason) {
	t.mu.Lock()
	delete(t.sessions, s.id)
	if t.addresses[s.owner.Address]--; t.addresses[s.owner.Address] <= 0 {
		delete(t.addresses, s.owner.Address)
	}
	t.mu.Unlock()
	t.open.Add(-1)
	t.metrics.closed(s.owner.Protocol, reason)
	t.options.Log("session closed", "session", s.name(), "protocol", s.owner.Protocol, "reason", string(reason))
}

// Sweep ends the sessions that are idle, and those whose step takes too long.
func (t *Table) Sweep() {
	now := t.options.Now().UnixNano()
	for _, s := range t.list() {
		busy, idle := s.busy.Load(), cmp.Or(s.owner.Idle, t.options.Idle)
		if s.owner.Idle == 0 && s.unused.Load() {
			idle = min(idle, unusedForkTime)
		}
		switch {
		case busy != 0 && now-busy > int64(MaxStepTime):
			s.Close(TooSlow)
		case busy == 0 && now-s.used.Load() > int64(idle):
			s.Close(Idle)
		}
	}
}

// CloseAll ends all sessions, and refuses new ones.
func (t *Table) CloseAll() {
	t.closed.Store(true)
	closeAll(t.list(), ShutDown)
}

// closeAll closes sessions, side by side: records are flushed together.
func closeAll(sessions []*Session, reason EndReason) {
	var closing errgroup.Group
	closing.SetLimit(256)
	for _, s := range sessions {
		closing.Go(func() error {
			s.Close(reason)
			return nil
		})
	}
	_ = closing.Wait() // always nil
}

func (t *Table) list() []*Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Collect(maps.Values(t.sessions))
}

// newID returns 128 random bits in hex.
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// keep writes the episode of a recording. Without a reply that could say so, a failure is logged.
func (t *Table) keep(r *recording, outcome record.Outcome, cause error) error {
	err := r.end(outcome, cause, t.options.Now())
	if err == nil {
		return nil
	}
	t.metrics.unrecorded.Inc()
	t.options.Log("an episode was not recorded", "task", r.task.ID, "error", err.Error())
	return fmt.Errorf("the episode is over, but cannot be recorded: %w", err)
}

var errPruned = errors.New("the fork was closed before the end of its episode")

// abandon writes an episode that its client left: it gave up if it began another one or closed the session.
// Otherwise there is no result. An episode without steps was not played.
func (t *Table) abandon(r *recording, reason EndReason) {
	if len(r.log.Episode.Trajectory) == 0 {
		return
	}
	outcome, cause := record.Cancelled, error(&EndedError{reason})
	if reason == notYetOver || reason == ByClient {
		outcome, cause = record.Failure, nil
		if r.parent != "" { // a branch that is pruned has not failed
			outcome, cause = record.Cancelled, errPruned
		}
	}
	_ = t.keep(r, outcome, cause) // keep has logged it
}

// Memory bounds what the process holds.
type Memory struct {
	Limit int64 // the largest number of bytes; 0 sets no bound
	// Read returns the bytes of what was in use at the last garbage collection, and the
	// number of collections so far. Collect collects garbage.
	Read    func() (live int64, collections uint64)
	Collect func()
}

// room says whether there is memory for another world. It counts what the last garbage collection found in use, and
// for each world since then as much as those before have on average. That is too much if worlds were closed or
// environments opened meanwhile, so before it refuses a world it collects garbage and looks again. If there are few
// more worlds than at the last collection, that takes a tenth of the time at most.
type room struct {
	Memory
	mu          sync.Mutex
	collections uint64
	worlds      int64     // at the last collection
	rested      time.Time // from when on garbage may be collected again
}

// usable is the share of the memory that worlds may fill. The rest is for garbage: without
// it, the collector would take more time than the worlds.
const usable = 0.8

// admit reports whether there is room for another world beside those that there are.
func (r *room) admit(worlds int64, now func() time.Time) (inUse int64, ok bool) {
	if r.Limit == 0 {
		return 0, true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	inUse, ok = r.fits(worlds)
	if began := now(); !ok && (worlds > r.worlds+r.worlds/8 || !began.Before(r.rested)) {
		r.Collect()
		ended := now()
		r.rested = ended.Add(9 * ended.Sub(began))
		inUse, ok = r.fits(worlds)
	}
	return inUse, ok
}

// fits is admit without a collection.
func (r *room) fits(worlds int64) (inUse int64, ok bool) {
	live, collections := r.Read()
	if collections != r.collections {
		r.collections, r.worlds = collections, worlds
	}
	inUse = live + max(0, worlds+1-r.worlds)*(live/max(1, r.worlds))
	return inUse, float64(inUse) < usable*float64(r.Limit)
}
