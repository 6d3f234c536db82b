package scienceworld

import (
	"math"
	"slices"
)

// census is the search for unique referents among all objects. It counts how many
// objects have each referent and knows whose it is, so that a change costs no more
// than the referents that it is about.
type census struct {
	objects []*Object
	portals []*Object // of them
	rows    []row     // by the seats of objects; the first is nobody's
	free    []uint16  // seats that nobody has
	counts  counts    // by number of text
	turn    uint32    // number of the last list of objects
	unsure  []uint16  // seats of objects whose name may be another now
	plain   *search   // takes the place of the counts if there are too many objects
	sharing
}

// row is what the census knows of an object.
type row struct {
	list   *calledList // what was counted; nil: nothing
	name   name
	turn   uint32 // the last list of objects that has it
	unsure bool
}

// count says how many objects have a referent. Seats is the combination of their
// seats by exclusive or: that of the only one, if there is one.
type count struct{ objects, seats uint16 }

// counts are the counts of all texts, in pages. Forks share a page until one of them
// changes it.
type counts struct {
	pages []*countPage // nil: nothing was counted
	owner *owner       // of pages that no other world has; nil: there are none
}

// countPage has 512 bytes.
type countPage struct {
	owner  *owner
	counts [pageCounts]count
}

const pageCounts = 126

// owner is a world between two forks of it.
type owner struct{ _ byte }

// slot returns the count of a text, to be changed.
func (c *counts) slot(text int32) *count {
	i := int(text / pageCounts)
	if i >= len(c.pages) {
		c.pages = append(c.pages, make([]*countPage, i+1-len(c.pages))...)
	}
	p := c.pages[i]
	if p == nil || p.owner != c.owner || c.owner == nil {
		p = c.own(i)
	}
	return &p.counts[text%pageCounts]
}

// own makes a page the world's own.
func (c *counts) own(i int) *countPage {
	if c.owner == nil {
		c.owner = &owner{}
	}
	p := &countPage{owner: c.owner}
	if shared := c.pages[i]; shared != nil {
		p.counts = shared.counts
	}
	c.pages[i] = p
	return p
}

// only reports whether exactly one object has a text that was counted.
func (c *counts) only(text int32) bool {
	return c.pages[text/pageCounts].counts[text%pageCounts].objects == 1
}

// mostCounted is the number of objects up to which their seats fit.
const mostCounted = math.MaxUint16

// take brings the census up to date. If something was moved, the list of objects is
// another.
func (c *census) take(w *World, moved bool) {
	if moved {
		c.list(w)
	}
	for _, o := range w.stale {
		o.stale = false
		c.update(w, o)
		for _, x := range o.contents.chain {
			c.update(w, x)
		}
	}
	w.stale = w.stale[:0]
	if c.plain != nil {
		c.plain.among(w, c.objects, w.place())
		c.sharing = c.plain.sharing
		return
	}
	for _, p := range c.portals {
		c.update(w, p)
	}
	if shared := c.settle(); shared || moved {
		c.share(w)
	}
}

// list lists the objects anew, counts new ones and forgets those that are gone.
func (c *census) list(w *World) {
	prev := c.objects
	c.objects, c.portals = w.collect(w.universe, true), c.portals[:0]
	if len(c.objects) > mostCounted {
		for _, o := range prev {
			o.seat = 0
		}
		*c = census{objects: c.objects, plain: &search{}}
		return
	}
	c.plain = nil
	c.turn++
	for _, o := range c.objects {
		if o.seat == 0 {
			o.seat = c.seat()
			c.update(w, o)
		}
		c.rows[o.seat].turn = c.turn
		if o.door != nil {
			c.portals = append(c.portals, o)
		}
	}
	for _, o := range prev {
		if o.seat != 0 && c.rows[o.seat].turn != c.turn {
			c.replace(o.seat, nil)
			c.free = append(c.free, o.seat)
			o.seat = 0
		}
	}
}

// seat takes a free seat.
func (c *census) seat() uint16 {
	if n := len(c.free); n > 0 {
		s := c.free[n-1]
		c.free = c.free[:n-1]
		return s
	}
	if len(c.rows) == 0 {
		c.rows = make([]row, 1, 1<<9)
	}
	c.rows = append(c.rows, row{})
	return uint16(len(c.rows) - 1)
}

// update counts what an object is called now, if it is one of the list.
func (c *census) update(w *World, o *Object) {
	if o.seat == 0 {
		return
	}
	if l := w.called(o, w.place()); l != c.rows[o.seat].list {
		c.replace(o.seat, l)
	}
}

// replace counts another list of an object.
func (c *census) replace(seat uint16, l *calledList) {
	r := &c.rows[seat]
	if r.list != nil {
		for _, x := range r.list.numbers {
			n := c.counts.slot(x)
			n.objects--
			n.seats ^= seat
			if n.objects == 1 {
				c.doubt(n.seats)
			}
		}
	}
	if r.list = l; l != nil {
		for _, x := range l.numbers {
			n := c.counts.slot(x)
			if n.objects++; n.objects == 2 {
				c.doubt(n.seats)
			}
			n.seats ^= seat
		}
	}
	c.doubt(seat)
}

// doubt notes that the name of an object may be another now.
func (c *census) doubt(seat uint16) {
	if r := &c.rows[seat]; !r.unsure {
		r.unsure = true
		c.unsure = append(c.unsure, seat)
	}
}

// settle finds the names of objects anew, and reports whether others share theirs
// now, or other ones.
func (c *census) settle() (shared bool) {
	for _, seat := range c.unsure {
		r := &c.rows[seat]
		r.unsure = false
		if r.list == nil {
			continue
		}
		prev := r.name.text
		r.name.text = c.unique(r.list)
		shared = shared || r.name.text == nil || prev == nil
	}
	c.unsure = c.unsure[:0]
	return shared
}

// unique returns the first referent of a list that no other object has; nil if there
// is none.
func (c *census) unique(l *calledList) *text {
	for i, n := range l.numbers {
		if c.counts.only(n) {
			return l.sorted[i]
		}
	}
	if len(l.numbers) == 0 {
		return nothing
	}
	return nil
}

// empty is a census that has nothing but the memory of this one. Lists of objects lie in the
// store.
func (c *census) empty() census {
	return census{
		rows: c.rows[:0], free: c.free[:0], unsure: c.unsure[:0], sharing: sharing{lists: c.lists[:0]},
	}
}

// copy is a copy of another census in the memory of this one.
func (c *census) copy(old *census, in *cloner) census {
	out := *old
	out.objects = in.list(old.objects)
	out.portals = in.list(old.portals)
	out.rows, out.free = append(c.rows, old.rows...), append(c.free, old.free...)
	out.unsure, out.lists = append(c.unsure, old.unsure...), append(c.lists, old.lists...)
	if old.counts.owner != nil { // else others may be reading it
		old.counts.owner, out.counts.owner = nil, nil
	}
	out.counts.pages = slices.Clone(old.counts.pages)
	return out
}

// share lists the objects that share their referents, and makes the steady attempts.
func (c *census) share(w *World) {
	shared := 0
	for _, o := range c.objects {
		if r := &c.rows[o.seat]; r.name.text == nil {
			r.name.place = int32(shared)
			c.sharing.share(shared, r.list)
			shared++
		}
	}
	t := w.shelf.tally()
	c.sharing.settle(shared, t)
	w.shelf.tallies.Put(t)
}

// text is the referent that was chosen for an object of the list by its place.
func (c *census) text(chosen referents, i int) *text {
	if c.plain != nil {
		return c.plain.text(chosen, i)
	}
	return c.chosen(chosen, c.rows[c.objects[i].seat].name)
}
