package scienceworld

import "maps"

// Fork returns a world that goes on from the present moment by itself. The two share
// the library, and what neither changes.
func (w *World) Fork() *World {
	out := w.library.New()
	out.become(w)
	return out
}

// cloner copies a graph of objects.
type cloner struct {
	copies []*Object // by index
	open   []*Object // copies that still point into the old graph
	n      int32     // of the copies
}

// become makes the world a copy of another one of its library, with all objects that it references.
func (out *World) become(w *World) {
	c := cloner{copies: make([]*Object, w.created)}
	*out = *w
	out.listed, out.nearby, out.everywhere = listed{}, search{}, search{} // to be made anew
	out.reach, out.scene = cache{}, cache{}
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
}

// swap returns the copy of an object.
func (c *cloner) swap(o *Object) *Object {
	if o == nil {
		return nil
	}
	x := c.copies[o.index]
	if x == nil {
		x = new(*o)
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
	out := make([]*Object, len(old))
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
	o.body = new(*o.body)
	o.contents, o.portals, o.lists = c.set(o.contents), c.set(o.portals), nil
	for i, t := range o.terminals {
		o.terminals[i] = c.swap(t)
	}
	if o.door != nil {
		o.door = new(*o.door)
		o.door.src, o.door.dst = c.swap(o.door.src), c.swap(o.door.dst)
	}
	if o.life != nil {
		o.life = new(*o.life)
	}
	if o.flower != nil {
		o.flower = new(*o.flower)
		o.flower.plant = c.swap(o.flower.plant)
	}
	if o.plane != nil {
		o.plane = new(*o.plane)
		o.plane.positions = maps.Clone(o.plane.positions)
	}
}
