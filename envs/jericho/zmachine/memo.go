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
	roots    []int32           // the first node of each tree; 0 for none yet
	nodes    []node            // the first one is no node
	outcomes []outcome         // the first one is none
	writes   []write           // of the outcomes
	effects  []effect          // likewise
	recorder
}

// routine is what is remembered of a routine.
type routine struct {
	trees  map[arguments]int32 // the places of the trees in roots
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
type span struct{ from, to int32 }

// write is a byte of memory and its value after a call.
type write struct {
	addr  uint16
	value byte
}

// Whether a routine is worth remembering shows in use. It begins with some credit.
// A call that has to be recorded costs as much as some executions of it, one that
// is remembered earns what it saved. Without credit a routine pauses, each time
// for longer, since it may be that only now its calls begin to be alike. The
// numbers are those with which the help command is fastest.
const (
	credit        = 200_000 // instructions
	recordingCost = 2       // executions
	callCost      = 40      // instructions
	failureCost   = 10 * callCost
	firstPause    = 200 // calls

	maxNodes     = 1 << 21 // 16 MB; then everything is forgotten
	fewNodes     = 1 << 13 // enough for a machine that is hardly used
	maxRecording = 1 << 15 // instructions
)

func newMemo(dynamic int) *memo {
	m := &memo{
		nodes:    make([]node, 0, fewNodes),
		recorder: recorder{known: make([]uint32, dynamic), written: make([]uint32, dynamic)},
	}
	m.forget()
	return m
}

// forget makes the memo empty.
func (m *memo) forget() {
	clear(m.routines[:])
	m.roots = m.roots[:0]
	m.nodes = append(m.nodes[:0], node{})
	m.outcomes = append(m.outcomes[:0], outcome{})
	m.writes, m.effects = m.writes[:0], m.effects[:0]
}

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

// tree returns the place in roots of the tree for some arguments.
func (m *memo) tree(r *routine, key arguments) int32 {
	root, ok := r.trees[key]
	if !ok {
		root = int32(len(m.roots))
		m.roots = append(m.roots, 0)
		r.trees[key] = root
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
	which, known := m.find(root)
	if which == 0 {
		m.record(r, known)
		return false
	}
	o := &memo.outcomes[which]
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
	for _, w := range memo.writes[o.writes.from:o.writes.to] {
		if m.plain(w.addr) {
			m.mem[w.addr] = w.value
		} else {
			m.storeb(w.addr, w.value)
		}
	}
	for _, e := range memo.effects[o.effects.from:o.effects.to] {
		m.perform(e)
	}
	if store != discard {
		m.setVariable(uint8(store), o.result)
	}
	return true
}
