package scienceworld

import (
	"slices"
	"sort"
	"strings"
)

// This file has the scripts that find things and mix them (tasks §7.4).

// findDead puts something that never lived into the box.
func findDead(p *player, v *variation) {
	p.visit(v.facts["location"])
	for _, x := range p.shuffled(openlyContained(p.w.place())) {
		if !x.movable || x.kind == AnswerBox || x.stuff == nil || x.state != solid || x.life != nil {
			continue
		}
		p.say("focus on %s", p.u(x))
		box := first(p.locate(v.facts["answerBox"], p.w.universe))
		p.say("move %s to %s", p.u(x), p.u(box))
		return
	}
}

// findAlive puts an animal or a plant into the box. If any will do, a place is drawn.
func findAlive(p *player, v *variation) {
	place, kind := "", kindSet(0)
	switch v.task {
	case "find-animal":
		place, kind = "outside", aAnimal
	case "find-plant":
		place, kind = "greenhouse", aPlant
	default:
		places := []string{"outside", "greenhouse"}
		shuffle(&p.w.random, places)
		place = places[0]
	}
	p.visit(place)
	for _, x := range p.shuffled(openlyContained(p.w.place())) {
		if !x.movable || x.life == nil || kind != 0 && !x.inGroup(kind) {
			continue
		}
		p.carryToBox(x, v.facts)
		return
	}
}

func (p *player) carryToBox(x *Object, f facts) {
	carried := x
	if x.inGroup(aPlant) && x.container.kind == FlowerPot {
		carried = x.container
	}
	p.say("focus on %s", p.u(x))
	p.say("pick up %s", p.u(carried))
	p.goTo(f["location"])
	box := first(p.locate(f["answerBox"], p.w.place()))
	refs := slices.Clone(carried.referents())
	sort.SliceStable(refs, func(i, j int) bool { return len(refs[i]) > len(refs[j]) })
	p.say("move %s in inventory to %s", refs[0], p.u(box))
}

// mixChemicals follows a recipe.
func mixChemicals(p *player, v *variation) {
	p.goTo("kitchen")
	p.say("open cupboard")
	k := p.emptyCup()
	if k == nil {
		panic(javaError("java.util.NoSuchElementException: None.get"))
	}
	p.say("pick up %s", p.u(k))
	p.visit(v.facts["location"])
	if len(p.nearby("recipe")) == 0 {
		return
	}
	p.say("pick up recipe")
	p.say("read recipe in inventory")
	p.look()
	for _, name := range strings.Split(v.facts["inputChemicals"], ",") {
		if !p.addChemical(name, k) {
			return
		}
	}
	p.say("examine %s", p.u(k))
	p.say("mix %s", p.u(k))
	result := p.reach(v.facts["result"], k)
	if len(result) == 0 {
		return
	}
	p.say("focus on %s", p.u(result[0]))
	p.say("wait1")
}

// addChemical gets something into a container and reports whether it did.
func (p *player) addChemical(name string, k *Object) bool {
	var x *Object
	if name == "water" {
		_, x, _ = p.waterAnywhere(k)
		if x == nil {
			return false
		}
	} else {
		if x = p.search(name, 6); x == nil {
			return false
		}
		if isSolid(x) {
			p.say("pick up %s", p.u(x))
			p.say("move %s to %s", p.u(x), p.u(k))
		} else {
			p.say("pick up %s", p.u(x.container))
		}
	}
	if _, ok := p.lookUp(x, p.w.place()); !ok {
		return false
	}
	if x.stuff != nil && x.state == liquid {
		p.say("pour %s into %s", p.u(x.container), p.u(k))
	}
	return true
}

// mixPaint mixes paint once or twice.
func mixPaint(p *player, v *variation) {
	isPaint := func(x *Object) bool { return x.inGroup(aPaint) }
	tour := p.tour()
	var paints []*Object
	for _, l := range tour {
		if paints = p.ofKind(p.w.place(), isPaint); len(paints) >= 3 {
			break
		}
		p.walk(l)
	}
	if len(paints) == 0 {
		return
	}
	p.look()
	k := head(p.ofKind(p.w.place(), func(x *Object) bool { return x.inGroup(aContainer) && isEmpty(x) && x.open }))
	if k == nil {
		return
	}
	for _, name := range strings.Split(v.facts["inputChemicalsSecondary"], ",") {
		x := first(p.nearby(name))
		p.say("pour %s in %s", p.u(x.container), p.u(k))
	}
	if !p.mixAndFocus(k, v.facts["secondaryColor"]) || v.task != "chemistry-mix-paint-tertiary-color" {
		return
	}
	p.mixAgain(k, v.facts)
}

// mixAndFocus mixes what is in a container and reports whether it became what is wanted.
func (p *player) mixAndFocus(k *Object, result string) bool {
	p.say("mix %s", p.u(k))
	p.look()
	y := p.nearby(result)
	if len(y) == 0 {
		return false
	}
	p.say("focus on %s", p.u(y[0]))
	p.say("wait1")
	return true
}

// mixAgain adds what the second step needs, one of which is in the container
// already. If the last is not here, it may be in the other room with paint.
func (p *player) mixAgain(k *Object, f facts) {
	for attempts := 0; !p.pourInputs(k, f); {
		if attempts++; attempts > 1 {
			return
		}
		p.say("pick up %s", p.u(k))
		if p.w.place().name == "art studio" {
			p.goTo("workshop")
		} else {
			p.goTo("art studio")
		}
		p.say("drop %s in inventory", k.name)
		p.look()
	}
	p.mixAndFocus(k, f["tertiaryColor"])
}

// pourInputs pours what it finds of the inputs of the second step, and reports whether it found the last.
func (p *player) pourInputs(k *Object, f facts) (last bool) {
	for _, name := range strings.Split(f["inputChemicalsTertiary"], ",") {
		p.uncover(name, 11)
		c := p.nearby(name)
		if last = len(c) > 0; last {
			p.say("pour %s in %s", p.u(c[0].container), p.u(k))
		}
	}
	return last
}

// focusOnAnimals focuses on the animals asked for.
func focusOnAnimals(p *player, v *variation) {
	p.goTo("outside")
	for _, span := range []string{"longest", "shortest"} {
		if strings.Contains(v.task, span) {
			x := first(p.locate(v.facts[span], p.w.place()))
			p.say("focus on %s", p.u(x))
		}
	}
	p.say("wait1")
}

// focusOnStages waits for each stage of life.
func focusOnStages(p *player, v *variation) {
	p.visit("outside")
	for _, stage := range strings.Split(v.facts["stages"], ",") {
		x := p.waitFor(v.facts["name"], stage)
		if x == nil {
			return
		}
		if x.inGroup(aPlant) {
			p.say("focus on %s in the %s stage in %s", x.name, stage, x.container.name)
		} else {
			p.say("focus on %s %s in %s", stage, x.name, x.container.name)
		}
		p.look()
	}
	p.say("wait1")
}

// waitFor waits until a living thing is in a stage; nil if that takes too long.
func (p *player) waitFor(form, stage string) *Object {
	list := only(accessibleContents(p.w.place(), false, false), func(x *Object) bool { return x.life != nil })
	for range 20 {
		for _, x := range list {
			if x.life.form == form && x.stageName() == stage {
				return x
			}
		}
		p.say("wait1")
	}
	return nil
}

// comparePlanes lets a block slide down two planes.
func comparePlanes(p *player, v *variation) {
	p.visit("workshop")
	watch := first(p.nearby("stopwatch"))
	p.say("pick up %s", p.u(watch))
	found := p.nearby(v.facts["blockName"])
	if len(found) == 0 {
		return
	}
	planes := p.kindsHere(InclinedPlane)
	t1, ok1 := p.slideDown(found[0], planes[0], watch)
	if !ok1 {
		return
	}
	t2, ok2 := p.slideDown(found[0], planes[1], watch)
	if !ok2 {
		return
	}
	mode := v.facts["mode"]
	chosen := planes[0]
	if mode == "most" || mode == "least" {
		if (t1 > t2) != (mode == "most") {
			chosen = planes[1]
		}
	} else if (t1 < t2) != (mode == "steepest") {
		chosen = planes[1]
	}
	p.say("focus on %s", p.u(chosen))
	p.say("wait1")
}

// slideDown measures how long a block takes.
func (p *player) slideDown(block, plane, watch *Object) (ticks int, ok bool) {
	p.say("move %s to %s", p.u(block), p.u(plane))
	p.say("activate stopwatch in inventory")
	for {
		p.say("look at %s", p.u(plane))
		pos, placed := plane.plane.positions[block.id]
		if !placed {
			return 0, false
		}
		if pos == 0 {
			break
		}
	}
	p.say("look at %s", p.u(plane))
	p.say("deactivate stopwatch in inventory")
	p.say("examine stopwatch in inventory")
	return watch.display, true
}
