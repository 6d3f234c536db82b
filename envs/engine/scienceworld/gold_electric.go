package scienceworld

// This file has the scripts about electricity (tasks §7.4).

// wires draws some of the wires here; none if there are too few.
func (p *player) wires(n int) []*Object {
	wires := p.shuffled(byID(p.kindsHere(Wire)))
	if len(wires) < n {
		return nil
	}
	return wires[:n]
}

// powerPart connects a part with a power source.
func powerPart(p *player, v *variation) {
	f := v.facts
	p.visit("workshop")
	part := first(p.locate(f["componentToPower"], p.w.place()))
	source, choose := "battery", f["wanted"] != ""
	var src *Object
	if choose {
		src = first(p.locate(f["wanted"], p.w.place()))
		source = src.name
	}
	wires := p.wires(2)
	if wires == nil {
		return
	}
	w1, w2 := wires[0], wires[1]
	p.say("focus on %s", p.u(part))
	if choose && f["kind"] == "renewable" {
		things := []*Object{part, src, w1, w2}
		for _, x := range things {
			p.say("pick up %s", p.u(x))
		}
		p.goTo("outside")
		for _, x := range things {
			p.say("drop %s", p.u(x))
		}
	}
	if choose {
		p.look()
	}
	p.say("connect %s anode to %s terminal 1", source, p.u(w1))
	p.say("connect %s cathode to %s terminal 1", source, p.u(w2))
	a, c := p.u(part.terminals[0]), p.u(part.terminals[1])
	p.say("connect %s terminal 2 to %s", p.u(w1), c)
	p.say("connect %s terminal 2 to %s", p.u(w2), a)
	if choose && f["kind"] == "nonrenewable" {
		p.say("activate %s", source)
	}
	p.wait(2)
	p.look()
}

// testConductivity puts something into a circuit.
func testConductivity(p *player, v *variation) {
	f, unknown := v.facts, v.task == "test-conductivity-of-unknown-substances"
	tour := p.tour()
	x, k := p.fetchConductor(f["substance"], tour)
	if k == nil {
		return
	}
	p.say("focus on %s", p.u(x))
	p.goTo("workshop")
	dropped, ok := p.lookUp(k, p.w.agent)
	if !ok {
		return
	}
	p.say("drop %s", dropped)
	p.look()
	part := first(p.reach(f["partToPower"], p.w.place()))
	wires := p.wires(3)
	if wires == nil {
		return
	}
	w1, w2, w3 := wires[0], wires[1], wires[2]
	p.say("connect battery anode to %s terminal 1", p.u(w1))
	p.say("connect battery cathode to %s terminal 1", p.u(w2))
	a, c := p.u(part.terminals[0]), p.u(part.terminals[1])
	p.say("connect %s terminal 2 to %s", p.u(w1), c)
	p.say("connect %s terminal 2 to %s", p.u(w3), a)
	name := x.name
	if !unknown && isSolid(x) {
		name = p.u(x)
	}
	p.say("connect %s terminal 1 to %s terminal 2", name, p.u(w2))
	p.say("connect %s terminal 2 to %s terminal 1", name, p.u(w3))
	p.wait(2)
	p.look()
	box, nonconductive := first(p.reach(f["conductive"], p.w.place())), first(p.reach(f["nonconductive"], p.w.place()))
	if !part.isDevice || !part.activated {
		box = nonconductive
	}
	switch {
	case unknown:
		p.say("move %s to %s", x.name, p.u(box))
	case isSolid(x):
		p.say("move %s to %s", p.u(x), p.u(box))
	default:
		p.say("move %s to %s", p.u(x.container), p.u(box))
	}
	p.say("wait1")
}

// fetchConductor finds the substance and picks up it or its container.
func (p *player) fetchConductor(name string, tour []leg) (x, carried *Object) {
	if name == "water" {
		cup, water, ok := p.waterAnywhere(nil)
		if !ok {
			return nil, nil
		}
		p.say("pick up %s", p.u(cup))
		return water, cup
	}
	try := func() bool {
		found := p.reach(name, p.w.place())
		if len(found) == 0 {
			return false
		}
		x = found[0]
		carried = x
		if !isSolid(x) {
			carried = x.container
		}
		p.say("pick up %s", p.u(x))
		return true
	}
	for _, l := range tour {
		if try() {
			return x, carried
		}
		p.walk(l)
	}
	try()
	return x, carried
}
