package zmachine

// maxChanges is how many changes of a kind are kept; spec §9.1.
const maxChanges = 16

// Pair is two numbers that belong together: an object and where it went, or an object and an attribute.
type Pair [2]uint16

// ChangeKind is a kind of change.
type ChangeKind uint8

// The kinds of changes.
const (
	Moved  ChangeKind = iota // objects and where they were put
	Gained                   // objects and the attributes they were given
	Lost                     // objects and the attributes they lost
	changeKinds
)

// changes are what a step did to objects, each kind in order of occurrence, whether or not anything was
// different before. Of each kind the first 16 are kept. Objects that are removed from the tree are not in it.
type changes struct {
	pairs  [changeKinds][maxChanges]Pair
	counts [changeKinds]int
}

// Changes returns what the last step changed; they are overwritten by the next.
func (m *Machine) Changes(k ChangeKind) []Pair { return m.changes.pairs[k][:m.changes.counts[k]] }

// note keeps a change.
func (m *Machine) note(k ChangeKind, a, b uint16) {
	c := &m.changes
	if n := c.counts[k]; n < maxChanges {
		c.pairs[k][n] = Pair{a, b}
		c.counts[k]++
	}
}
