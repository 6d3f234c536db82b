package scienceworld

import "slices"

// listing is a hash set of objects that a query fills, with a fast membership test.
type listing struct {
	set
	members []uint64 // bits by index
}

func (l *listing) add(o *Object) {
	i, bit := int(o.index/64), uint64(1)<<(o.index%64)
	if i >= len(l.members) {
		l.members = slices.Grow(l.members, i+8-len(l.members))[:i+8] // cleared
	}
	if l.members[i]&bit == 0 {
		l.members[i] |= bit
		l.append(o)
	}
}

func (l *listing) addAll(xs []*Object) {
	for _, x := range xs {
		l.add(x)
	}
}

// addPortals adds the portals of a place, and where they lead.
func (l *listing) addPortals(place *Object) {
	for _, p := range place.portals.items() {
		l.add(p)
		if dest := p.leadsTo(place); dest != nil {
			l.add(dest)
		}
	}
}

// clone is a set with the members in the order of enumeration: another order for more than 122 of them.
func (l *listing) clone() *listing {
	out := &listing{}
	out.addAll(l.items())
	return out
}

// only lists the objects that pass a test.
func only(xs []*Object, test func(x *Object) bool) []*Object {
	var out []*Object
	for _, x := range xs {
		if test(x) {
			out = append(out, x)
		}
	}
	return out
}

// head is the first of some objects; nil if there is none.
func head(xs []*Object) *Object {
	if len(xs) == 0 {
		return nil
	}
	return xs[0]
}

// visible lists the members that are not hidden, as a filtered set.
func visible(xs []*Object) []*Object {
	var s set
	for _, x := range xs {
		if !x.hidden {
			s.append(x)
		}
	}
	return s.items()
}

func hasVisible(xs []*Object) bool {
	return slices.ContainsFunc(xs, func(x *Object) bool { return !x.hidden })
}

// contentsAndPortals is the query of core §5.3 with hidden objects.
func (o *Object) contentsAndPortals() []*Object {
	portals := o.portals.items()
	if len(portals) == 0 && !o.contents.rotated() {
		return o.contents.items()
	}
	var l listing
	l.addAll(o.contents.items())
	l.addAll(portals)
	return l.items()
}

// placeLists are the collected lists of an object, without hidden objects and with
// them, as long as nothing is moved in it.
type placeLists [2]collected

type collected struct {
	inner   uint32
	objects []*Object // nil: not made
}

// collect lists what belongs to a place, whether containers are open or not (core §8.1).
func (w *World) collect(r *Object, hidden bool) []*Object {
	if r.lists == nil {
		r.lists = new(placeLists)
	}
	cached := &r.lists[0]
	if hidden {
		cached = &r.lists[1]
	}
	if cached.objects == nil || cached.inner != r.inner {
		cached.objects = w.collectAnew(r, hidden)
		cached.inner = r.inner
	}
	return cached.objects
}

// collectAnew makes the list.
func (w *World) collectAnew(r *Object, hidden bool) []*Object {
	include := hidden || !r.hidden
	if r.portals.len() == 0 && (!include || r.contents.len() == 0) {
		if include {
			return []*Object{r}
		}
		return nil
	}
	l := &listing{}
	if include {
		l.add(r)
	}
	l.addPortals(r)
	if include {
		for _, x := range r.contentsAndPortals() {
			w.addCollected(l, x, hidden)
		}
	}
	return l.items()
}

// addCollected adds what belongs to an object. An object that holds only terminals needs no set of its own.
func (w *World) addCollected(l *listing, x *Object, hidden bool) {
	if x.portals.len() > 0 || slices.ContainsFunc(x.contents.chain, func(y *Object) bool { return !y.isTerminal() }) {
		l.addAll(w.collect(x, hidden))
		return
	}
	if x.hidden && !hidden {
		return
	}
	l.add(x)
	for _, t := range x.contents.chain {
		if hidden || !t.hidden {
			l.add(t)
		}
	}
}

// accessible lists what can be reached from a place (core §8.1).
func accessible(r *Object, hidden bool) []*Object {
	l := &listing{}
	include := hidden || !r.hidden
	if include {
		l.add(r)
	}
	l.addPortals(r)
	if include {
		l.addAll(accessibleContents(r, hidden, true))
	}
	return l.items()
}

// accessibleContents is the query of that name of core §5.3. With portals, it
// adds the hidden portals, or all portals if hidden objects are wanted.
func accessibleContents(r *Object, hidden, portals bool) []*Object {
	l := &listing{}
	for _, x := range r.contents.items() {
		if x.hidden && !hidden {
			continue
		}
		l.add(x)
		if x.terminals[0] != nil && (hidden || x.inGroup(aPolarized|aWire)) {
			l.add(x.terminals[0])
			l.add(x.terminals[1])
		}
		if x.isVessel && x.open {
			l.addAll(accessibleContents(x, hidden, portals))
		}
	}
	if portals {
		for _, p := range r.portals.items() {
			if p.hidden || hidden {
				l.add(p)
			}
		}
	}
	return l.items()
}

// openlyContained is the query "recursive accessible" of core §5.3, without hidden objects.
func openlyContained(r *Object) []*Object {
	var l listing
	xs := visible(r.contents.items())
	l.addAll(xs)
	for _, x := range xs {
		if x.isVessel && x.open {
			l.addAll(openlyContained(x))
		}
	}
	return l.items()
}

// allContents is the query "contents recursive" of core §5.3.
func allContents(r *Object) []*Object {
	var l listing
	xs := r.contents.items()
	l.addAll(xs)
	for _, x := range xs {
		l.addAll(allContents(x))
	}
	return l.items()
}

// descendants is the query "contents and portals recursive" of core §5.3. With
// connections, the ends of portals are added.
func descendants(r *Object, hidden, connections bool) []*Object {
	if r.portals.len() == 0 && (hidden && r.contents.len() == 0 || !hidden && !hasVisible(r.contents.chain)) {
		return nil
	}
	l := &listing{}
	var ends listing
	for _, x := range r.contents.items() {
		if hidden || !x.hidden {
			l.add(x)
		}
	}
	for _, p := range r.portals.items() {
		if hidden || !p.hidden {
			l.add(p)
		}
		if connections {
			ends.add(p.door.src)
			ends.add(p.door.dst)
		}
	}
	for _, x := range r.contents.items() {
		if hidden || !x.hidden {
			if l.capacity >= rotationFrom { // else a copy has the same order
				l = l.clone()
			}
			l.addAll(descendants(x, hidden, connections))
		}
	}
	if l.capacity >= rotationFrom {
		l = l.clone()
	}
	l.addAll(ends.items())
	return l.items()
}
