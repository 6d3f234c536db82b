package lab

// census counts how many objects of a search have each referent. The next search
// counts only what is different.
type census struct {
	counts  []int32   // by number of text
	members []int32   // the objects of the last search, by index
	spare   []int32   // memory for the next ones
	rows    []counted // by index of object
	turn    uint32    // number of the last search
}

// counted is what of an object is counted.
type counted struct {
	list *calledList // nil: nothing
	turn uint32      // the last search that the object was part of
}

// take makes the counts those of the given objects, which are called by the given
// lists. There are so many texts.
func (c *census) take(objects []*Object, lists []*calledList, texts int) {
	c.counts = append(c.counts, make([]int32, texts-len(c.counts))...)
	c.turn++
	left := c.members
	c.members = c.spare[:0]
	for i, o := range objects {
		if o.index >= len(c.rows) {
			c.rows = append(c.rows, make([]counted, o.index+1-len(c.rows))...)
		}
		c.members = append(c.members, int32(o.index))
		r := &c.rows[o.index]
		r.turn = c.turn
		c.replace(r, lists[i])
	}
	for _, i := range left {
		if r := &c.rows[i]; r.turn != c.turn {
			c.replace(r, nil)
		}
	}
	c.spare = left
}

// replace counts another list of an object.
func (c *census) replace(r *counted, l *calledList) {
	if r.list == l {
		return
	}
	if r.list != nil {
		for _, n := range r.list.sorted {
			c.counts[n]--
		}
	}
	if l != nil {
		for _, n := range l.sorted {
			c.counts[n]++
		}
	}
	r.list = l
}

// firstUnique returns the number of the first referent of a list that no other
// object has.
func (c *census) firstUnique(l *calledList) (n int32, found bool) {
	for _, n := range l.sorted {
		if c.counts[n] == 1 {
			return n, true
		}
	}
	return 0, false
}
