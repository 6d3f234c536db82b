package zmachine

import (
	"reflect"
	"sync/atomic"
)

// Budget bounds the memory that machines take for what they remember, all together, in bytes.
// A machine whose memory grows may pass its bound by that step. It is safe for concurrent use.
type Budget struct {
	limit    func(used int64) int64
	machines int64
	spare    func() bool
	used     atomic.Int64
}

// NewBudget returns a budget for so many machines that play at the same time. The limit may
// change with what they use. Where they need more, spare first frees memory that is not at work,
// or says that there is none; then each machine that has more than its share forgets everything.
func NewBudget(limit func(used int64) int64, machines int, spare func() bool) *Budget {
	return &Budget{limit: limit, machines: int64(machines), spare: spare}
}

// Used returns how many bytes are in use.
func (b *Budget) Used() int64 { return b.used.Load() }

// Resize notes that something takes another number of bytes, and reports whether it may keep
// them.
func (b *Budget) Resize(before, after int64) bool {
	if before != after {
		b.used.Add(after - before)
	}
	for {
		used := b.used.Load()
		limit := b.limit(used)
		if used <= limit {
			return true
		}
		if !b.spare() {
			return after <= limit/b.machines
		}
	}
}

const (
	// treeSize is about what a tree takes in the map of its routine, in bytes.
	treeSize = 48
	// checkEvery is after how many calls the memory is counted within a step.
	checkEvery = 256
)

// size is how many bytes a memo takes.
func (m *memo) size() int64 {
	entries := room(m.forks) + room(m.branches) + room(m.blocks) + room(m.outcomes) + room(m.writes) +
		room(m.values) + room(m.effects) + treeSize*m.trees
	notes := room(m.did) + room(m.run) + room(m.levels) + 2*len(m.levels)*room(m.diffs)
	return int64(entries + notes + room(m.routines[:]) + len(m.bytes) + 3*room(m.diffs))
}

// room is how many bytes a list takes.
func room[T any](list []T) int { return cap(list) * int(reflect.TypeFor[T]().Size()) }

// fits counts what the memo takes now. If that is too much, everything is forgotten and freed.
func (m *memo) fits() bool {
	before := m.counted
	m.counted = m.size()
	if m.budget.Resize(before, m.counted) {
		return true
	}
	m.forks, m.branches, m.blocks, m.outcomes, m.writes, m.values, m.effects = nil, nil, nil, nil, nil, nil, nil
	m.forget()
	return false
}

// Release gives what the machine remembers back to the budget. The machine must not be used again.
func (m *Machine) Release() {
	m.memo.budget.used.Add(-m.memo.counted)
	m.memo = nil
}
