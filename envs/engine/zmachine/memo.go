package zmachine

// memo is what a machine remembers of the calls of routines, so that a call
// that would do again what it did before is not executed. It pays where many
// steps begin at one moment.
//
// What a routine does follows from its arguments and from what it reads; and
// what it reads next follows from what it has read so far. So the calls of a
// routine with the same arguments make a tree: its inner nodes are what is
// read, its branches the values found there, and its leaves what the calls did.
// Nothing in it ever becomes wrong, whatever happens to the machine.
//
// A call is remembered only if all it does is to compute, to read and write
// memory, to change objects and to show text: see remembers.
type memo struct {
	routines [1 << 16]*routine // by packed address
	forks    []fork            // the first one is none
	branches []branch          // likewise; to a tree leads one that has no value
	blocks   []packedBlock     // of the forks
	outcomes []outcome         // the first one is none
	writes   []write           // of the outcomes
	values   []byte            // of the writes
	effects  []effect          // of the outcomes
	run      []block           // what is being inserted
	places   []int32           // of blocks in it, from 1 on
	trees    int               // of all routines
	budget   *Budget
	counted  int64 // bytes, in the budget
	ground
	recorder
}

// routine is what is remembered of a routine.
type routine struct {
	trees  map[arguments]int32 // the branches that lead to the trees
	credit int                 // instructions; without credit its calls are just executed
	idle   int                 // calls since there was no credit
	pause  int                 // calls after which there is new credit
}

// arguments are how many arguments a call has, and they.
type arguments [8]uint16

// outcome is what a call did.
type outcome struct {
	result  uint16
	high    uint16 // words of stack that it needed
	spent   int32  // instructions
	word    int32  // see longestWord
	writes  span
	effects span
}

// span is a part of a list.
type span struct{ start, end int32 }

// Whether a routine is worth remembering shows in use. It begins with some credit.
// To record a call costs as much as some instructions, and its own instructions take
// longer; a call that is remembered earns what it saved. Without credit a routine
// pauses, each time for longer, since it may be that only now its calls begin to be
// alike. The numbers are those with which the help command is fastest.
const (
	credit        = 200_000 // instructions
	recordingCost = 200     // likewise
	callCost      = 40      // likewise, to find a call
	failureCost   = 10 * callCost
	firstPause    = 200 // calls

	maxRecording = 1 << 15 // instructions
)

func newMemo(dynamic int, b *Budget) *memo {
	m := &memo{ground: newGround(dynamic), budget: b}
	m.places = make([]int32, len(m.diffs))
	m.forget()
	return m
}

// forget makes the memo empty. Its lists keep their room.
func (m *memo) forget() {
	clear(m.routines[:])
	m.trees = 0
	m.forks = append(m.forks[:0], fork{})
	m.branches = append(m.branches[:0], branch{})
	m.outcomes = append(m.outcomes[:0], outcome{})
	m.blocks, m.writes, m.values, m.effects = m.blocks[:0], m.writes[:0], m.values[:0], m.effects[:0]
}

// empty reports whether nothing is remembered.
func (m *memo) empty() bool { return len(m.outcomes) == 1 }

// routine returns what is remembered of a routine, or nil if its calls are just
// to be executed.
func (m *memo) routine(packed uint16) *routine {
	r := m.routines[packed]
	if r == nil {
		r = &routine{trees: map[arguments]int32{}, credit: credit, pause: firstPause}
		m.routines[packed] = r
	}
	if r.credit >= 0 {
		return r
	}
	if r.idle++; r.idle < r.pause {
		return nil
	}
	r.idle, r.pause, r.credit = 0, 2*r.pause, credit
	return r
}

// tree returns the branch that leads to the tree for some arguments.
func (m *memo) tree(r *routine, key arguments) int32 {
	root, ok := r.trees[key]
	if !ok {
		root = int32(len(m.branches))
		m.branches = push(m.branches, branch{})
		r.trees[key] = root
		m.trees++
	}
	return root
}

// recall does what the call of a routine does if that is remembered, or else
// begins to record it. The operands are as for call.
func (m *Machine) recall(store int16) bool {
	memo := m.memo
	r := memo.routine(m.args[0])
	if r == nil {
		return false
	}
	key := arguments{uint16(m.count)}
	copy(key[1:], m.args[1:m.count])
	root := memo.tree(r, key)
	hit := m.find(root)
	if hit == 0 {
		m.record(r, root)
		return false
	}
	o := &memo.outcomes[hit]
	if int(o.spent) > m.budget || m.height()+int(o.high) > stackSize ||
		o.word > 0 && (m.streams() > 0 || m.screen.n+int(o.word) >= pendingSize) {
		return false
	}
	if r.credit += int(o.spent) - callCost; int(o.spent) < callCost {
		r.credit -= failureCost
	}
	if m.tracing {
		memo.top().high = max(memo.top().high, m.height()+int(o.high))
	}
	m.budget -= int(o.spent)
	for i := o.writes.start; i < o.writes.end; i++ {
		m.rewrite(&memo.writes[i])
	}
	m.performAll(memo.effects[o.effects.start:o.effects.end])
	if store != discard {
		m.setVariable(uint8(store), o.result)
	}
	return true
}
