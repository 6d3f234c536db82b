package zmachine

// maxChanges is how many changes of a kind are kept; spec §9.1.
const maxChanges = 16

// Pair is two numbers that belong together: an object and where it went, or an object and an attribute.
type Pair [2]uint16

// changeKind is a kind of change.
type changeKind uint8

const (
	moved changeKind = iota
	gained
	lost
	changeKinds
)

// Changes are what a step did to objects, each kind in order of occurrence, whether or not anything was different
// before. Of each kind the first 16 are kept. Objects that are removed from the tree are not in it.
type Changes struct {
	pairs  [changeKinds][maxChanges]Pair
	counts [changeKinds]int
}

// Moves are objects and where they were put.
func (c *Changes) Moves() []Pair { return c.byKind(moved) }

// Sets are objects and the attributes they were given.
func (c *Changes) Sets() []Pair { return c.byKind(gained) }

// Clears are objects and the attributes they lost.
func (c *Changes) Clears() []Pair { return c.byKind(lost) }

func (c *Changes) byKind(k changeKind) []Pair { return c.pairs[k][:c.counts[k]] }

// Changes returns what the last step changed; they are overwritten by the next.
func (m *Machine) Changes() *Changes { return &m.changes }

// note keeps a change.
func (m *Machine) note(k changeKind, a, b uint16) {
	c := &m.changes
	if n := c.counts[k]; n < maxChanges {
		c.pairs[k][n] = Pair{a, b}
		c.counts[k]++
	}
}
