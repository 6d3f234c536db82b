package scienceworld

// animal is the turn of an animal: its life.
func (w *World) animal(o *Object) {
	l := o.life
	stages := cycles[kinds[o.kind].Cycle]
	if l.stage == len(stages)-1 {
		w.rest(o)
		return
	}
	c := &l.counters[l.stage]
	if ticks := stages[l.stage].Ticks; ticks > 0 {
		if c.mature++; c.mature >= ticks {
			w.setStage(o, l.stage+1)
		}
	}
}

// rest is the turn of a dead animal: everything that it has falls down.
func (w *World) rest(o *Object) {
	o.life.dead = true
	if o.container == nil {
		return
	}
	for _, x := range o.contentsAndPortals() {
		w.put(x, o.container)
	}
}

// mostPollen is how much pollen a bee carries before it collects no more.
const mostPollen = 5

// bee is the turn of a bee. It draws (processes §13).
func (w *World) bee(o *Object) {
	n := w.random.intn(2)
	in := o.container != nil && o.container.kind == Flower
	switch {
	case in && n == 0:
		w.collectPollen(o)
	case !in && n == 1:
		w.enterFlower(o)
	default:
		w.fly(o)
	}
	w.animal(o)
}

// fly lets a bee leave, through an open portal if there is one.
func (w *World) fly(o *Object) {
	place := o.container
	if place == nil {
		return
	}
	open := only(place.portals.items(), func(p *Object) bool { return p.open })
	if len(open) > 0 {
		if dest := open[w.random.intn(len(open))].leadsTo(place); dest != nil {
			w.put(o, dest)
		}
		return
	}
	if place.inGroup(aLocation) || !place.isVessel || !place.open {
		return
	}
	if dest := place.enclosingLocation(); dest != nil {
		w.put(o, dest)
	}
}

// enclosingLocation is the nearest place that something stands in; nil if a closed container is in between. A
// container directly in the place may be closed.
func (o *Object) enclosingLocation() *Object {
	for c := o; c.container != nil; c = c.container {
		if c.container.inGroup(aLocation) {
			return c.container
		}
		if !c.isVessel || !c.open {
			return nil
		}
	}
	return nil
}

func (w *World) enterFlower(o *Object) {
	if o.container == nil {
		return
	}
	flowers := only(accessibleContents(o.container, false, true), func(x *Object) bool { return x.kind == Flower })
	if len(flowers) > 0 {
		w.put(o, flowers[w.random.intn(len(flowers))])
	}
}

// carriedPollen lists the pollen on a bee.
func (o *Object) carriedPollen() []*Object { return pollenIn(accessibleContents(o, false, true)) }

func pollenIn(xs []*Object) []*Object {
	return only(xs, func(x *Object) bool { return x.kind == Pollen })
}

func (w *World) collectPollen(o *Object) {
	if len(o.carriedPollen()) > mostPollen {
		return
	}
	if pollen := pollenIn(o.container.contents.items()); len(pollen) > 0 {
		w.put(pollen[w.random.intn(len(pollen))], o)
	}
}
