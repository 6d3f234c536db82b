package scienceworld

// This file has the scripts that heat and cool (tasks §7.4).

// changeState melts, boils or freezes something in a metal pot.
func changeState(p *player, v *variation) {
	p.visit("kitchen")
	meter := p.nearby("thermometer")
	if len(meter) == 0 {
		return
	}
	p.say("pick up %s", meter[0].name)
	p.say("open cupboard")
	pot := first(p.kindsHere(MetalPot))
	p.say("pick up %s", p.u(pot))
	p.look()
	x := p.fetch(v.facts["objectName"], pot)
	if x == nil {
		return
	}
	referent, ok := p.lookUp(x, p.w.place())
	if !ok {
		p.say("NODE: CAN'T FIND THE OBJECT")
		return
	}
	p.say("focus on %s", referent)
	if x.state == solid {
		p.say("move %s to %s", p.u(x), p.u(pot))
	} else {
		p.say("pour %s into %s", p.u(x.container), p.u(pot))
	}
	p.treat(v.task, x, pot)
	p.say("wait1")
}

// fetch gets the substance into the kitchen; nil if it cannot be found.
func (p *player) fetch(name string, pot *Object) *Object {
	if name == "water" {
		_, x, _ := p.waterAnywhere(pot)
		return x
	}
	p.uncover(name, 21)
	if found := p.nearby(name); len(found) > 0 {
		return found[0]
	}
	x := p.search(name, 0)
	if x == nil {
		return nil
	}
	p.pickUpMatter(x)
	p.goTo("kitchen")
	return x
}

// pickUpMatter picks up something solid, or the container of a liquid.
func (p *player) pickUpMatter(x *Object) {
	if x.state == solid {
		p.say("pick up %s", p.u(x))
	} else {
		p.say("pick up %s", p.u(x.container))
	}
}

// treat brings the substance to the states that the task asks for.
func (p *player) treat(task string, x, pot *Object) {
	pickUp := func() { p.say("pick up %s", p.u(pot)) }
	now := x.state
	switch {
	case task == "melt" && now == solid:
		p.heat(x, pot, liquid, false)
	case task == "melt":
		p.cool(x, pot, solid)
		pickUp()
		p.heat(x, pot, liquid, false)
	case task == "boil" && now != gas:
		p.heat(x, pot, gas, true)
	case task == "boil":
		p.cool(x, pot, liquid)
		pickUp()
		p.heat(x, pot, gas, true)
	case task == "freeze" && now != solid:
		p.cool(x, pot, solid)
	case task == "freeze":
		p.heat(x, pot, liquid, false)
		pickUp()
		p.cool(x, pot, solid)
	case now == solid:
		p.heat(x, pot, liquid, false)
	case now == gas:
		p.cool(x, pot, liquid)
	default:
		p.cool(x, pot, solid)
		if x.state == liquid {
			pickUp()
			p.heat(x, pot, gas, true)
		}
	}
}

// observe examines and measures the substance until it is in a state, burns if
// that will do, or is gone. It returns the last state that it noted.
func (p *player) observe(x *Object, noted, target phase, rounds int, burning, wait bool) (phase, bool) {
	for range rounds {
		if burning && x.burning {
			break
		}
		if x.deleted {
			return noted, false
		}
		p.say("examine %s", p.u(x))
		noted = x.state
		if x.deleted {
			return noted, false
		}
		p.say("use thermometer in inventory on %s", p.u(x))
		if wait {
			if x.deleted {
				return noted, false
			}
			p.say("wait")
		}
		if noted == target {
			break
		}
	}
	return noted, true
}

// heat heats on the stove, and then in the blast furnace if that was not enough.
func (p *player) heat(x, pot *Object, target phase, burning bool) {
	noted := x.state
	p.say("pick up %s", p.u(pot))
	p.goTo("kitchen")
	p.say("move %s to stove", p.u(pot))
	p.say("activate stove")
	if first(p.locate("stove", p.w.universe)).activated {
		var present bool
		if noted, present = p.observe(x, noted, target, 30, burning, false); !present {
			return
		}
	}
	if noted == target || burning && x.burning {
		return
	}
	p.say("pick up %s", p.u(pot))
	p.goTo("foundry")
	p.say("open blast furnace")
	p.say("move %s to blast furnace", p.u(pot))
	p.say("activate blast furnace")
	if first(p.locate("blast furnace", p.w.universe)).activated {
		p.observe(x, noted, target, 30, false, false)
	}
}

// cool cools in the freezer, and then in the colder one if that was not enough.
func (p *player) cool(x, pot *Object, target phase) {
	p.goTo("kitchen")
	p.say("pick up %s", p.u(pot))
	p.goTo("kitchen")
	p.say("open freezer")
	p.say("move %s to freezer", p.u(pot))
	noted, present := p.observe(x, x.state, target, 20, false, true)
	if !present || noted == target {
		return
	}
	p.goTo("kitchen")
	p.say("pick up %s", p.u(pot))
	p.goTo("workshop")
	p.say("open freezer")
	p.say("move %s to freezer", p.u(pot))
	p.observe(x, noted, target, 20, false, true)
}

// useThermometer measures something and puts it into the right box.
func useThermometer(p *player, v *variation) {
	f := v.facts
	p.visit("kitchen")
	first(p.nearby("thermometer"))
	p.say("pick up thermometer")
	p.say("focus on thermometer in inventory")
	p.visit(f["location"])
	found := p.nearby(f["objectName"])
	if len(found) == 0 {
		return
	}
	x := found[0]
	p.say("pick up %s", x.name)
	p.say("focus on %s in inventory", x.name)
	p.visit(f["locationAnswerBox"])
	p.say("use thermometer in inventory on %s in inventory", x.name)
	box := f["boxBelow"]
	if x.temp > v.degrees {
		box = f["boxAbove"]
	}
	p.say("move %s in inventory to %s", x.name, box)
	p.say("wait1")
}

// measureMelting heats or cools something until it melts or freezes.
func measureMelting(p *player, v *variation) {
	name, identified := v.facts["objectName"], v.task == "measure-melting-point-known-substance"
	p.visit("kitchen")
	p.say("pick up thermometer")
	p.say("focus on thermometer in inventory")
	p.visit("kitchen")
	var x *Object
	if name == "water" {
		_, water, ok := p.water(nil)
		if !ok {
			panic(javaError("java.lang.RuntimeException: no water"))
		}
		x = water
	} else {
		p.uncover(name, 21)
		found := p.nearby(name)
		if len(found) == 0 {
			return
		}
		x = found[0]
	}
	measured := p.meltOrFreeze(x, v, identified)
	p.goTo("kitchen")
	box := v.facts["boxBelow"]
	if measured > v.degrees {
		box = v.facts["boxAbove"]
	}
	p.say("focus on %s", box)
	p.say("wait1")
}

// lowMelting is up to where the script uses the stove.
const lowMelting = 200

// meltOrFreeze changes the state of something and returns its temperature then.
func (p *player) meltOrFreeze(x *Object, v *variation, identified bool) (measured float64) {
	initial, rounds := solid, 40
	if x.state == solid {
		p.say("focus on %s", p.u(x))
		p.say("open cupboard")
		pot := first(p.kindsHere(MetalPot))
		p.say("move %s to %s", p.u(x), p.u(pot))
		hot := identified && v.melts >= lowMelting
		if hot || !identified {
			p.say("pick up %s", p.u(pot))
		}
		if hot {
			p.goTo("foundry")
			p.say("open blast furnace")
			p.say("move %s to blast furnace", p.u(pot))
			p.say("activate blast furnace")
		} else {
			p.say("move %s to stove", p.u(pot))
			p.say("activate stove")
		}
	} else {
		initial = liquid
		if identified {
			rounds = 30
		}
		k := x.container
		p.say("pick up %s", p.u(k))
		p.say("focus on %s", p.u(x))
		p.say("open freezer")
		p.say("move %s to freezer", p.u(k))
	}
	for range rounds {
		p.say("examine %s", p.u(x))
		now := x.state
		measured = x.temp
		p.say("use thermometer in inventory on %s", p.u(x))
		if now != initial {
			break
		}
	}
	return measured
}
