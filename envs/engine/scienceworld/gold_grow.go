package scienceworld

import "slices"

// This file has the scripts that grow plants (tasks §7.4).

// potsHere are the pots with soil and those without, in an order that is drawn: of a set, or of a list by number.
func (p *player) potsHere(asSet bool) (filled, empty []*Object) {
	pots := p.kindsHere(FlowerPot)
	pots = append(pots, p.kindsHere(SelfWateringFlowerPot)...)
	if !asSet {
		pots = byID(pots)
	}
	for _, pot := range p.shuffled(pots) {
		if p.hasSoil(pot) {
			filled = append(filled, pot)
		} else {
			empty = append(empty, pot)
		}
	}
	return filled, empty
}

func (p *player) hasSoil(pot *Object) bool {
	return len(p.ofKind(pot, func(x *Object) bool { return x.kind == Soil })) > 0
}

// fillPot puts soil into the first pot without; the soil lies here or is dug.
func (p *player) fillPot(filled, empty *[]*Object) {
	pot := first(*empty)
	soil := only(p.w.place().contents.items(), func(x *Object) bool { return x.kind == Soil })
	if len(soil) > 0 {
		p.say("move %s to %s", p.u(soil[0]), p.u(pot))
	} else {
		p.dig(pot)
	}
	*filled, *empty = append(*filled, pot), (*empty)[1:]
}

// dig gets soil from outside.
func (p *player) dig(pot *Object) {
	shovel := len(p.kindsHere(Shovel)) > 0
	if shovel {
		p.say("pick up shovel")
	}
	p.goTo("outside")
	if !shovel && len(p.kindsHere(Shovel)) > 0 {
		p.say("pick up shovel")
	}
	p.say("use shovel in inventory on ground")
	p.say("pick up soil")
	p.goTo("greenhouse")
	p.say("move soil in inventory to %s", p.u(pot))
}

// growPlant plants a seed and waters it.
func growPlant(p *player, v *variation) {
	seed := v.facts["seedType"] + " seed"
	p.visit(v.facts["location"])
	if len(p.nearby("seed jar")) == 0 {
		return
	}
	p.say("pick up seed jar")
	p.visit("greenhouse")
	filled, empty := p.potsHere(true)
	if len(filled) == 0 {
		p.fillPot(&filled, &empty)
	}
	pot := filled[0]
	p.say("move %s in seed jar to %s", seed, p.u(pot))
	first(p.ofKind(pot, func(x *Object) bool { return x.inGroup(aLiving) }))
	p.say("focus on %s in %s", seed, pot.name)
	jug, sink := first(p.kindsHere(Jug)), first(p.kindsHere(Sink))
	for range 5 {
		p.waterPots([]*Object{pot}, jug, sink)
		p.wait(5)
		p.look()
	}
	p.say("wait1")
}

// waterPots waters pots from a jug.
func (p *player) waterPots(pots []*Object, jug, sink *Object) {
	p.say("activate %s", p.u(sink))
	for _, pot := range pots {
		p.say("move %s to %s", p.u(jug), p.u(sink))
		p.say("pour %s into %s", p.u(jug), p.u(pot))
	}
	p.say("deactivate %s", p.u(sink))
}

// releaseBees shuts the room and opens the hive, once some plant of the pots is
// reproducing. It reports whether it did.
func (p *player) releaseBees(pots []*Object) bool {
	for _, pot := range pots {
		for _, x := range p.ofKind(pot, func(x *Object) bool { return x.inGroup(aPlant) }) {
			if x.stageName() != "reproducing" {
				continue
			}
			for _, door := range visible(p.w.place().portals.items()) {
				p.say("close %s", p.u(door))
			}
			p.say("open %s", p.u(first(p.kindsHere(BeeHive))))
			return true
		}
	}
	return false
}

// growFruit grows three plants and lets bees loose.
func growFruit(p *player, v *variation) {
	fruit := v.facts["seedType"]
	p.visit(v.facts["location"])
	if len(p.nearby("seed jar")) == 0 {
		return
	}
	p.say("pick up seed jar")
	p.visit("greenhouse")
	filled, empty := p.potsHere(false)
	if !p.fillPots(3, &filled, &empty) {
		return
	}
	planted := p.plant(3, fruit, &filled)
	jug, sink := first(p.kindsHere(Jug)), first(p.kindsHere(Sink))
	released, done := false, false
	for i := 0; i < 15 && !done; i++ {
		p.waterPots(planted, jug, sink)
		if !released {
			released = p.releaseBees(planted)
		}
		isFruit := func(x *Object) bool { return x.inGroup(aFruit) } // not a pea or another seed
		for _, x := range p.shuffled(byID(p.ofKind(p.w.place(), isFruit))) {
			if sameWord(x.name, fruit) {
				p.say("focus on %s", p.u(x))
				if p.inputs[len(p.inputs)-1] != "0" {
					p.say("0")
				}
				done = true
				break
			}
		}
		p.wait(5)
		p.look()
	}
	p.say("wait1")
}

// fillPots fills pots until there are enough. After five it gives up, even if there are enough then.
func (p *player) fillPots(enough int, filled, empty *[]*Object) bool {
	for rounds := 0; len(*filled) < enough; {
		p.fillPot(filled, empty)
		if rounds++; rounds >= 5 {
			return false
		}
	}
	return true
}

// plant plants seeds from the jar, each in the next pot.
func (p *player) plant(n int, kind string, filled *[]*Object) (planted []*Object) {
	for range n {
		pot := first(*filled)
		*filled = (*filled)[1:]
		p.say("move %s seed in seed jar to %s", kind, p.u(pot))
		planted = append(planted, pot)
	}
	return planted
}

// determineGenes grows two generations of plants and counts.
func determineGenes(p *player, v *variation) {
	f := v.facts
	p.visit("greenhouse")
	jar := p.nearby("seed jar")
	if len(jar) == 0 {
		return
	}
	p.say("pick up seed jar")
	p.look()
	filled, empty := p.potsHere(true)
	if !p.fillPots(6, &filled, &empty) {
		p.say("ERROR: Ending early -- max attempts exceeded (5)")
		return
	}
	planted := p.plant(2, f["seedType"], &filled)
	jug, sink := first(p.kindsHere(Jug)), first(p.kindsHere(Sink))
	p.growSeeds(planted, jar[0], jug, sink)
	p.say("look at seed jar")
	planted = p.plant(4, f["seedType"], &filled)
	grown := p.growAdults(planted, jug, sink)
	n := 0
	for _, x := range grown {
		if x.genes.value(f["traitName"]) == f["traitValue"] {
			n++
		}
	}
	box := f["answerBoxRec"]
	if n > len(grown)/2 {
		box = f["answerBoxDom"]
	}
	p.say("focus on %s", box)
	p.say("wait1")
}

// breeds lists the plants with genes here, in an order that is drawn.
func (p *player) breeds() []*Object {
	return p.shuffled(byID(p.ofKind(p.w.place(), func(x *Object) bool { return kinds[x.kind].Traits != nil })))
}

// growSeeds grows the first plants until there are six new seeds, which go into the jar.
func (p *player) growSeeds(planted []*Object, jar, jug, sink *Object) {
	released := false
	for range 10 {
		p.waterPots(planted, jug, sink)
		if !released {
			released = p.releaseBees(planted)
		}
		young := only(p.breeds(), func(x *Object) bool { return x.stageName() == "seed" })
		if len(young) >= 6 {
			for _, x := range young {
				p.say("move %s to %s", p.u(x), p.u(jar))
			}
			p.look()
			return
		}
		p.wait(5)
		p.look()
	}
}

// growAdults grows plants until four are grown up, and returns those.
func (p *player) growAdults(planted []*Object, jug, sink *Object) []*Object {
	for range 10 {
		p.waterPots(planted, jug, sink)
		grown := only(p.breeds(), func(x *Object) bool {
			return slices.Contains([]string{"adult", "reproducing"}, x.stageName())
		})
		if len(grown) >= 4 {
			p.look()
			return grown
		}
		p.wait(5)
		p.look()
	}
	return nil
}
