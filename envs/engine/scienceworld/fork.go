package scienceworld

import (
	"cmp"
	"maps"
	"slices"
)

// Fork returns a world that goes on from the present moment by itself. The two share
// the library, and what neither changes.
func (w *World) Fork() *World {
	out := w.library.New()
	out.become(w)
	return out
}

// become makes the world a copy of another one of its library.
func (w *World) become(src *World) {
	c, _ := w.library.cloners.Get().(*cloner)
	if c == nil {
		c = &cloner{}
	}
	c.copy(src, w)
	w.library.cloners.Put(c)
}

// cloner copies a graph of objects.
type cloner struct {
	copies []*Object // by index; nil between uses
	open   []*Object // copies that still point into the old graph
	n      int32     // of the copies
	store  *store    // for them
}

// copy makes a world a copy of another, with all objects that it references.
func (c *cloner) copy(w, out *World) {
	store, nearby, everywhere := out.store, out.nearby.empty(), out.everywhere.empty()
	*out = *w
	out.store, out.reach, out.scene = store, cache{}, cache{}
	out.listed, out.nearby, out.everywhere = listed{}, nearby, everywhere // to be made anew
	c.copies, c.n, c.store = slices.Grow(c.copies, int(w.created))[:w.created], 0, &out.store
	n := cmp.Or(len(w.everywhere.objects), houseObjects) + leastRoom
	c.store.reserve(n, n*chained)
	out.universe, out.agent, out.inventory, out.focus = c.swap(w.universe), c.swap(w.agent), c.swap(w.inventory),
		c.swap(w.focus)
	out.queue, out.history, out.choices = c.deeds(w.queue), c.deeds(w.history), c.deeds(w.choices)
	if w.goals != nil {
		out.goals = w.goals.clone(c.swap)
	}
	for len(c.open) > 0 {
		o := c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		c.finish(o)
	}
	out.created = c.n
	clear(c.copies)
	c.store = nil
}

// swap returns the copy of an object.
func (c *cloner) swap(o *Object) *Object {
	if o == nil {
		return nil
	}
	x := c.copies[o.index]
	if x == nil {
		x = c.store.objects.copied(o)
		c.copies[o.index] = x
		c.open = append(c.open, x)
		x.index = c.n
		c.n++
	}
	return x
}

func (c *cloner) deeds(old []deed) []deed {
	if old == nil {
		return nil
	}
	out := make([]deed, len(old))
	for i, d := range old {
		out[i] = deed{d.id, c.swap(d.a), c.swap(d.b)}
	}
	return out
}

func (c *cloner) set(s set) set {
	return set{c.list(s.chain), s.capacity}
}

func (c *cloner) list(old []*Object) []*Object {
	if len(old) == 0 {
		return nil
	}
	out := c.store.chains.alloc(len(old))
	for i, o := range old {
		out[i] = c.swap(o)
	}
	return out
}

// finish makes a copy point to copies.
func (c *cloner) finish(o *Object) {
	o.container = c.swap(o.container)
	if o.isTerminal() {
		o.owner, o.partner = c.swap(o.owner), c.swap(o.partner)
		return
	}
	o.body = c.store.bodies.copied(o.body)
	o.contents, o.portals, o.lists = c.set(o.contents), c.set(o.portals), c.lists(o)
	for i, t := range o.terminals {
		o.terminals[i] = c.swap(t)
	}
	if o.door != nil {
		o.door = c.store.doors.copied(o.door)
		o.door.src, o.door.dst = c.swap(o.door.src), c.swap(o.door.dst)
	}
	if o.life != nil {
		o.life = c.store.lives.copied(o.life)
	}
	if o.flower != nil {
		f := *o.flower
		f.plant = c.swap(f.plant)
		o.flower = &f
	}
	if o.plane != nil {
		p := *o.plane
		p.positions = maps.Clone(p.positions)
		o.plane = &p
	}
}

// lists copies the collected lists that are still true.
func (c *cloner) lists(o *Object) *placeLists {
	if o.lists == nil {
		return nil
	}
	out := c.store.lists.next()
	*out = placeLists{}
	for i, l := range o.lists {
		if l.inner == o.inner {
			out[i] = collected{l.inner, c.list(l.objects)}
		}
	}
	return out
}
