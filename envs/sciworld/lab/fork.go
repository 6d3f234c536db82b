package lab

import (
	"maps"
	"slices"
)

// Fork returns a world that goes on from the present moment by itself. The two share
// nothing but the library.
func (w *World) Fork() *World {
	out := w.clone()
	return &out
}

// cloner copies a graph of objects. Copies lie side by side.
type cloner struct {
	copies    []*Object // by index
	open      []*Object // copies that still point into the old graph
	objects   []Object  // room for copies
	terminals []terminal
	chains    []*Object
}

// Room that is made at once: about what a building needs.
const (
	roomOfObjects   = 480
	roomOfTerminals = 320
	roomOfChains    = 512
)

// clone copies the world with all objects that it references.
func (w *World) clone() World {
	out := *w
	c := &cloner{copies: make([]*Object, w.created), open: make([]*Object, 0, roomOfObjects)}
	out.universe, out.agent, out.inventory, out.focus = c.swap(w.universe), c.swap(w.agent), c.swap(w.inventory),
		c.swap(w.focus)
	out.queue, out.history, out.choices = c.deeds(w.queue), c.deeds(w.history), c.deeds(w.choices)
	if w.goals != nil {
		out.goals = w.goals.clone(c.swap)
	}
	out.stale = c.list(w.stale)
	if w.everywhere.plain == nil {
		out.everywhere, out.listed.here = c.census(&w.everywhere), c.swap(w.listed.here)
	} else {
		out.everywhere, out.listed = census{}, listed{} // to be made anew
	}
	for len(c.open) > 0 {
		o := c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		c.finish(o)
	}
	out.near, out.reach, out.scene = search{}, kept{}, kept{}
	out.listDeeds, out.listEnds, out.listText = nil, nil, nil
	return out
}

// swap returns the copy of an object.
func (c *cloner) swap(o *Object) *Object {
	if o == nil {
		return nil
	}
	x := c.copies[o.index]
	if x == nil {
		x = room(&c.objects, roomOfObjects)
		*x = *o
		c.copies[o.index] = x
		c.open = append(c.open, x)
	}
	return x
}

// room returns a place for a copy. It makes so many at once.
func room[T any](left *[]T, many int) *T {
	if len(*left) == 0 {
		*left = make([]T, many)
	}
	x := &(*left)[0]
	*left = (*left)[1:]
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
	n := len(old)
	if n == 0 {
		return nil
	}
	if n > len(c.chains) {
		c.chains = make([]*Object, max(n, roomOfChains))
	}
	out := c.chains[:n:n]
	c.chains = c.chains[n:]
	for i, o := range old {
		out[i] = c.swap(o)
	}
	return out
}

func (c *cloner) census(old *census) census {
	out := *old
	out.objects, out.portals = c.list(old.objects), c.list(old.portals)
	out.rows, out.free, out.counts = slices.Clone(old.rows), slices.Clone(old.free), slices.Clone(old.counts)
	out.unsure, out.lists = slices.Clone(old.unsure), slices.Clone(old.lists)
	return out
}

// finish makes a copy point to copies.
func (c *cloner) finish(o *Object) {
	o.contents, o.portals = c.set(o.contents), c.set(o.portals)
	if o.refs.container != o.container {
		o.refs.called = nil // made elsewhere
	}
	o.lists = nil
	o.container = c.swap(o.container)
	o.refs.container = o.container
	for i, t := range o.terminals {
		o.terminals[i] = c.swap(t)
	}
	if o.terminal != nil {
		t := room(&c.terminals, roomOfTerminals)
		*t = *o.terminal
		t.owner, t.partner = c.swap(t.owner), c.swap(t.partner)
		o.terminal = t
	}
	if o.door != nil {
		d := *o.door
		d.from, d.to = c.swap(d.from), c.swap(d.to)
		o.door = &d
	}
	if o.life != nil {
		l := *o.life
		o.life = &l
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
