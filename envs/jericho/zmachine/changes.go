package zmachine

// maxChanges is how many changes of a kind are kept; spec §9.1.
const maxChanges = 16

// Pair is two numbers that belong together: an object and where it went, or an
// object and an attribute.
type Pair [2]uint16

// Changes are what a step did to objects, each kind in order of occurrence,
// whether or not anything was different before. Of each kind the first 16 are
// kept. Objects that are removed from the tree are not in it.
type Changes struct {
	moves, sets, clears    [maxChanges]Pair
	nMoves, nSets, nClears int
}

// Moves are objects and where they were put.
func (c *Changes) Moves() []Pair { return c.moves[:c.nMoves] }

// Sets are objects and the attributes they were given.
func (c *Changes) Sets() []Pair { return c.sets[:c.nSets] }

// Clears are objects and the attributes they lost.
func (c *Changes) Clears() []Pair { return c.clears[:c.nClears] }

// Changes returns what the last step changed; they are overwritten by the next.
func (m *Machine) Changes() *Changes { return &m.changes }

func note(list *[maxChanges]Pair, n *int, a, b uint16) {
	if *n < maxChanges {
		list[*n] = Pair{a, b}
		*n++
	}
}
