package scienceworld

import "slices"

// groundSteps is how many components the search for ground passes.
const groundSteps = 10

// opposite is the terminal at the other end of a component; nil for a switch that is off (processes §7.1).
func (o *Object) opposite(t *Object) *Object {
	if o.kind == Switch && !o.activated {
		return nil
	}
	switch t {
	case o.terminals[0]:
		return o.terminals[1]
	case o.terminals[1]:
		return o.terminals[0]
	}
	return nil
}

// toVoltage reports whether a terminal is connected to one under voltage.
func (o *Object) toVoltage() bool {
	p := o.partner
	return p != nil && p.live && p.voltage == powered
}

// toGround reports whether a terminal leads to the ground of a generator.
func (o *Object) toGround(steps int) bool {
	u := o.partner
	if u == nil {
		return false
	}
	p := u.owner
	switch {
	case p.inGroup(aGenerator):
		return u.live && u.voltage == ground
	case p.inGroup(aPolarized | aWire):
	case p.stuff == nil || !p.stuff.Electric:
		return false
	}
	next := p.opposite(u)
	return next != nil && steps > 0 && next.toGround(steps-1)
}

// setVoltage puts a terminal under a voltage.
func (o *Object) setVoltage(v float64) { o.live, o.voltage = true, v }

// conduct is what things with two plain terminals do in a tick; wires are also activated by it (processes §7.3).
func (o *Object) conduct(activates bool) {
	a, b := o.terminals[0], o.terminals[1]
	if !o.inGroup(aWire) && (o.stuff == nil || !o.stuff.Electric) {
		a.live, b.live = false, false
		return
	}
	if activates {
		o.activated = false
	}
	switch {
	case a.partner == nil || b.partner == nil:
		return
	case a.toGround(groundSteps) && b.toVoltage():
		a.setVoltage(powered)
	case b.toGround(groundSteps) && a.toVoltage():
		b.setVoltage(powered)
	default:
		return
	}
	if activates {
		o.activated = true
	}
}

// evaluate is the turn of components with anode and cathode in a tick.
func (o *Object) evaluate() {
	anode, cathode := o.terminals[0], o.terminals[1]
	switch {
	case o.kind == Switch:
	case o.inGroup(aGenerator):
		if slices.Contains(lists().Renewable, o.kind) {
			o.activated = o.outdoors()
		}
		anode.live, cathode.live = o.activated, o.activated
		anode.voltage, cathode.voltage = powered, ground
	default:
		if o.activated = anode.toGround(groundSteps) && cathode.toVoltage(); o.activated {
			anode.setVoltage(powered)
		}
	}
}

// levelsUp is how many containers a generator looks through for the outside.
const levelsUp = 10

// outdoors reports whether a generator is outside, directly or in or on an open thing that is outside.
func (o *Object) outdoors() bool {
	c := o.container
	for range levelsUp {
		switch {
		case c == nil:
			return false
		case c.kind == Outside:
			return true
		case !c.isVessel || !c.open:
			return false
		}
		c = c.container
	}
	return false
}

// connectedTo answers whether a part is connected, through others, to something of a name (processes §7.5). It
// fails as the reference does if a switch that is off is in the way.
func (o *Object) connectedTo(name string) bool {
	t := o.terminals[0]
	for range groundSteps {
		next := o.opposite(t)
		if next == nil {
			panic(javaError("java.util.NoSuchElementException: None.get"))
		}
		partner := next.partner
		if partner == nil {
			return false
		}
		if o = partner.owner; o.name == name {
			return true
		}
		t = partner
	}
	return false
}
