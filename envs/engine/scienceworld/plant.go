package scienceworld

import "slices"

// When the stages of plants end, in ticks (processes §11.3).
const (
	seedTicks       = 10
	seedlingTicks   = 10
	adultTicks      = 5
	flowerTicks     = 5
	bareSick        = 2
	bareDead        = 5
	heatDead        = 5
	seedlingDrySick = 10
	seedlingDryDead = 20
	drySick         = 25
	dryDead         = 50
	warmest         = 50.0
	coldest         = 0.0
)

// plant is the turn of a plant: its name, and its life.
func (w *World) plant(o *Object) {
	if o.kind != Plant && o.kind != Tree {
		w.rename(o, o.plantName())
		o.edible = o.life.stage == seed
	}
	switch o.life.stage {
	case seed:
		w.sprout(o)
	case seedling, adult, reproducing:
		w.grow(o)
	default:
		w.wither(o)
	}
}

// sibling is the first thing of a name in the container of an object.
func (o *Object) sibling(name string) *Object {
	if o.container == nil {
		return nil
	}
	return head(only(o.container.contents.items(), func(x *Object) bool { return x.name == name }))
}

func (w *World) sprout(o *Object) {
	water := o.sibling("water")
	if water == nil || o.sibling("soil") == nil {
		return
	}
	c := &o.life.counters[seed]
	if c.mature++; c.mature >= seedTicks {
		w.delete(water, false)
		w.setStage(o, seedling)
	}
}

// grow is the life of a plant that has come up.
func (w *World) grow(o *Object) {
	stage := o.life.stage
	c := &o.life.counters[stage]
	stressed, sickly := false, false
	water := o.sibling("water")
	switch {
	case water != nil:
		c.dry = 0
		if stage != seedling {
			w.delete(water, false)
		}
	default:
		sick, dead := drySick, dryDead
		if stage == seedling {
			sick, dead = seedlingDrySick, seedlingDryDead
		}
		c.dry++
		sickly = c.dry >= sick
		stressed = sickly || stage == seedling
		if c.dry >= dead {
			w.setStage(o, deadPlant)
		}
	}
	if o.sibling("soil") != nil {
		c.bare = 0
	} else {
		c.bare++
		stressed = true
		sickly = sickly || c.bare >= bareSick
		if c.bare >= bareDead {
			w.setStage(o, deadPlant)
		}
	}
	if o.temp >= warmest || o.temp <= coldest {
		c.heat++
		sickly = true
		if c.heat >= heatDead {
			w.setStage(o, deadPlant)
		}
	} else {
		c.heat = 0
	}
	if o.life.sickly != sickly {
		o.life.sickly = sickly
		w.renamed(o)
	}
	if !stressed {
		w.mature(o, stage, water)
	}
}

// mature counts the good ticks of a stage, at the end of which the next begins or a flower opens.
func (w *World) mature(o *Object, stage int, water *Object) {
	c := &o.life.counters[stage]
	c.mature++
	switch {
	case stage == seedling && c.mature >= seedlingTicks:
		w.delete(water, false)
		w.setStage(o, adult)
	case stage == adult && c.mature >= adultTicks:
		w.setStage(o, reproducing)
	case stage == reproducing && c.mature >= flowerTicks:
		if !o.contains(Flower) {
			flower := w.new(Flower)
			flower.flower.plant = o
			w.put(flower, o)
		}
		c.mature = 0
	}
}

// wither is what dead plants do: all that is on them falls down.
func (w *World) wither(o *Object) {
	o.life.dead = true
	if o.container == nil {
		return
	}
	for _, x := range o.contentsAndPortals() {
		if x.kind == Flower {
			w.putAll(x, o.container)
			w.delete(x, false)
		} else {
			w.put(x, o.container)
		}
	}
}

// flower is what flowers and pollen have.
type flower struct {
	plant *Object // that it is from
	step  int     // ticks since the pollination
	mate  *genes  // of the plant that the pollen is from
}

// fruitAfter is the step after which a flower becomes a fruit.
const fruitAfter = 5

// pollinate is the turn of a flower (processes §12).
func (w *World) pollinate(o *Object) {
	f := o.flower
	if f.step > 0 {
		f.step++
		if f.step > fruitAfter && o.container != nil {
			w.put(w.fruit(f), o.container)
			w.delete(o, true)
		}
		return
	}
	if !o.hasOwnPollen() {
		pollen := w.new(Pollen)
		pollen.flower.plant = f.plant
		w.put(pollen, o)
	}
	for _, x := range o.contents.items() {
		if x.kind == Pollen {
			if w.fertilize(o, x) {
				return
			}
			continue
		}
		for _, y := range x.contents.items() {
			if y.kind == Pollen && w.fertilize(o, y) {
				return
			}
		}
	}
}

func (o *Object) hasOwnPollen() bool {
	return slices.ContainsFunc(o.contents.chain, func(x *Object) bool {
		return x.kind == Pollen && x.flower.plant == o.flower.plant
	})
}

// fertilize tries a grain of pollen on a flower.
func (w *World) fertilize(o, pollen *Object) bool {
	f, p := o.flower, pollen.flower
	if p.plant == f.plant || p.plant.life.form != f.plant.life.form {
		return false
	}
	w.delete(pollen, false)
	f.step = 1
	f.mate = p.plant.genes
	w.renamed(o)
	return true
}

// fruit makes what a flower becomes: of plants with genes, a seed.
func (w *World) fruit(f *flower) *Object {
	if f.plant.genes == nil {
		return w.new(lists().Fruits[f.plant.life.form])
	}
	return w.newPlant(f.plant.kind, w.mate(f.plant.genes, f.mate))
}
