package scienceworld

import (
	"slices"
	"strings"
)

// portalReferent is the name of portals if nobody looks at them.
const portalReferent = "ERROR: SHOULD USE OVERRIDE FOR PORTAL."

// renamed records that the referents of an object have changed.
func (w *World) renamed(o *Object) {
	w.names++
	o.refs = nil
	for _, t := range o.terminals {
		if t != nil {
			t.refs = nil
		}
	}
	if c := o.container; c != nil && kinds[c.kind].Containing {
		c.refs = nil
	}
}

// mostLevels is the largest nesting depth of things. Deeper nesting means a cycle of containers outside the world.
const mostLevels = 1 << 10

// moved notes that something was put into a container or taken out.
func (w *World) moved(x, c *Object) {
	w.places++
	for o, level := c, 0; o != nil && level < mostLevels; o, level = o.container, level+1 {
		o.inner++
	}
	if kinds[c.kind].Containing && !x.hidden {
		w.renamed(c)
	}
}

// referents lists what an object is called, in set order (core §5.11).
func (o *Object) referents() []string {
	if o.door != nil {
		return []string{portalReferent}
	}
	return o.makeReferents()
}

// refList is the same as the library keeps it.
func (w *World) refList(o *Object) *refList {
	if o.refs == nil {
		o.refs = w.shelf.list(o.referents())
	}
	return o.refs
}

// portalReferents lists what a portal is called, seen from a place (objects §3.9).
func (o *Object) portalReferents(place *Object) []string {
	own, far := o.sides(place)
	if o.kind == LiquidDrain {
		if own == nil {
			return []string{o.name}
		}
		return inSetOrder([]string{o.name, own.name + " " + o.name})
	}
	if far == nil {
		a, b := o.door.src.name, o.door.dst.name
		return inSetOrder([]string{o.name, o.name + " from " + a + " to " + b, o.name + " from " + b + " to " + a})
	}
	return inSetOrder([]string{o.name, o.name + " to " + far.name, far.name + " " + o.name})
}

func (o *Object) makeReferents() []string {
	row := &kinds[o.kind]
	switch {
	case row.Plain:
		s := newTextSet()
		for _, r := range []string{"object", o.name, o.descriptiveName()} {
			s.add(r)
		}
		return inSetOrder(s.texts())
	case row.Containing:
		return o.containingReferents(inSetOrder(o.listed(row.Refs)))
	case o.inGroup(aPlant):
		return inSetOrder(o.plantReferents())
	case o.kind == Bee:
		return inSetOrder([]string{"living thing", "organism", o.name, o.life.form, o.descriptiveName()})
	case o.inGroup(aAnimal):
		s, d := o.stageName(), o.descriptiveName()
		return inSetOrder([]string{"living thing", "organism", o.name, d, s + " " + o.name, s + " " + d})
	case o.kind == Flower:
		d := o.descriptiveName()
		if o.flower.step == 0 {
			return inSetOrder([]string{"flower", o.name, d})
		}
		return inSetOrder([]string{"flower", o.name, "wilting flower", "wilting " + o.name, d, "wilting " + d})
	case o.kind == InclinedPlane:
		d := o.descriptiveName()
		list := []string{"inclined plane", "plane", o.name, d}
		if x := o.plane.extra; x != "" {
			list = append(list, "inclined plane "+x, "plane "+x, o.name+" "+x, d+" "+x)
		}
		return inSetOrder(list)
	}
	return inSetOrder(o.listed(row.Refs))
}

// listed fills the slots of the referents of a kind.
func (o *Object) listed(refs string) (out []string) {
	for r := range strings.SplitSeq(refs, "; ") {
		out = append(out, o.fill(r, nil))
	}
	return out
}

// containingReferents adds to each referent the same with what is inside.
func (o *Object) containingReferents(refs []string) []string {
	inside := o.inside()
	s := newTextSet()
	for _, r := range refs {
		s.add(r)
		s.add(r + " containing " + inside)
	}
	return inSetOrder(s.texts())
}

// inside names what is inside, each name once.
func (o *Object) inside() string {
	var names []string
	for _, x := range o.contents.chain {
		if !x.hidden {
			names = append(names, x.descriptiveName())
		}
	}
	if len(names) == 0 {
		return "nothing"
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), " and ")
}

// plantName is the name of a plant from its properties (objects §3.12).
func (o *Object) plantName() string {
	switch {
	case o.life.stage == seed:
		return o.dn(o.life.form + " seed")
	case o.genes == nil:
		return o.dn(o.life.form + " tree")
	}
	return o.dn(o.life.form + " plant")
}

func (o *Object) plantReferents() []string {
	s, p, d := o.stageName(), o.plantName(), o.descriptiveName()
	list := []string{"living thing", "organism", o.name}
	if o.genes != nil {
		list = append(list, o.life.form)
	}
	in := " in the " + s + " stage"
	list = append(list, o.name+in, s+" plant", p, p+in, s+" "+p, d, d+in)
	traits := o.traits()
	if cut, ok := strings.CutPrefix(traits, " with a "); ok {
		traits = cut
	}
	if traits = javaTrim(traits); traits != "" && !o.burning { // the name is a pattern, which matches no parentheses
		for _, r := range list[:len(list):len(list)] {
			list = append(list, strings.ReplaceAll(r, p, traits+" "+p))
		}
	}
	if o.life.sickly {
		for _, r := range list[:len(list):len(list)] {
			list = append(list, "sick "+r)
		}
	}
	return list
}

// traits is the text that a plant's genes add (objects §3.12).
func (o *Object) traits() string {
	g := o.genes
	if g == nil {
		return ""
	}
	grown := o.life.stage == adult || o.life.stage == reproducing
	if o.kind == PeaPlant {
		switch {
		case o.life.stage == seed:
			return g.value("seed shape") + " " + g.value("seed color") + " "
		case grown:
			return " with a " + g.readable("plant height")
		}
		return ""
	}
	switch {
	case o.life.stage == seed:
		return words(g.value("seed shape"), g.value("seed color"))
	case grown:
		height, leaves := g.readable("plant height"), words(g.value("leaf size"), g.value("leaf shape"))
		if height != "" {
			height = "a " + height
		}
		if leaves != "" {
			leaves += " leaves"
		}
		switch {
		case height != "" && leaves != "":
			return " with " + height + " and " + leaves
		case height+leaves != "":
			return " with " + height + leaves
		}
	}
	return ""
}

// words joins words, without empty ones.
func words(ws ...string) string {
	return strings.Join(slices.DeleteFunc(ws, func(s string) bool { return s == "" }), " ")
}

// called lists the referents of an object and of its container, seen from a place (core §5.11).
func (w *World) called(o, place *Object) *calledList {
	if o.door != nil {
		return w.shelf.calledAs(w.shelf.list(o.portalReferents(place)), noRefs)
	}
	in := noRefs
	if o.container != nil {
		in = w.refList(o.container)
	}
	return w.shelf.calledAs(w.refList(o), in)
}
