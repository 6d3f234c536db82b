package lab

import "maps"

// Snapshot is a moment of a world. It belongs to the world that took it.
type Snapshot struct{ world World }

// Snapshot remembers the present moment.
func (w *World) Snapshot() *Snapshot { return &Snapshot{w.clone()} }

// Restore returns to a moment that this world remembered. It can be done any
// number of times.
func (w *World) Restore(s *Snapshot) { *w = s.world.clone() }

// cloner copies a graph of objects.
type cloner struct {
	copies map[*Object]*Object
	open   []*Object // copies that still point into the old graph
}

// clone copies the world with all objects that it references.
func (w *World) clone() World {
	out := *w
	c := &cloner{copies: make(map[*Object]*Object, w.created)}
	out.universe, out.agent, out.inventory, out.focus = c.swap(w.universe), c.swap(w.agent), c.swap(w.inventory), c.swap(w.focus)
	out.queue, out.history, out.choices = c.deeds(w.queue), c.deeds(w.history), c.deeds(w.choices)
	if w.goals != nil {
		out.goals = w.goals.clone(c.swap)
	}
	for len(c.open) > 0 {
		o := c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		c.finish(o)
	}
	out.listed, out.near, out.everywhere, out.stale, out.reach, out.scene = listed{}, search{}, census{}, nil, kept{}, kept{}
	return out
}

// swap returns the copy of an object.
func (c *cloner) swap(o *Object) *Object {
	if o == nil {
		return nil
	}
	x := c.copies[o]
	if x == nil {
		x = new(Object)
		*x = *o
		c.copies[o] = x
		c.open = append(c.open, x)
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
	chain := make([]*Object, len(s.chain))
	for i, o := range s.chain {
		chain[i] = c.swap(o)
	}
	return set{chain, s.capacity}
}

// finish makes a copy point to copies.
func (c *cloner) finish(o *Object) {
	o.contents, o.portals = c.set(o.contents), c.set(o.portals)
	if o.refs.container != o.container {
		o.refs.called = nil // made elsewhere
	}
	o.refs.stale, o.seat, o.lists = false, 0, nil
	o.container = c.swap(o.container)
	o.refs.container = o.container
	for i, t := range o.terminals {
		o.terminals[i] = c.swap(t)
	}
	if o.terminal != nil {
		t := *o.terminal
		t.owner, t.partner = c.swap(t.owner), c.swap(t.partner)
		o.terminal = &t
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
