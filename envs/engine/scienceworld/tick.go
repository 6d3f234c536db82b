package scienceworld

import "slices"

func clearTicked(o *Object) {
	o.ticked = false
	for _, x := range o.contents.chain {
		if !x.isTerminal() {
			clearTicked(x)
		}
	}
	for _, p := range o.portals.chain {
		p.ticked = false
	}
}

// tickObject runs the turn of the object's kind, and then the turn that all things have. The first part does not
// look at whether the object had its turn (core §5.8).
func (w *World) tickObject(o *Object) {
	switch o.kind {
	case Terminal, Anode, Cathode: // they have no state that could change
		return
	case Bee:
		if o.ticked {
			return
		}
		w.bee(o)
	case Sink, Bathtub:
		if o.activated {
			w.run(o)
		}
	case Toilet:
		w.flushing(o)
	case Fountain, SelfWateringFlowerPot:
		w.fillWithWater(o)
	case FlowerPot:
		if w.enabled&selfWateringFlowerPots != 0 {
			w.fillWithWater(o)
		}
	case Ground:
		if o.container != nil {
			w.putAll(o, o.container)
		}
	case StopWatch:
		if o.activated {
			o.count++
			o.display = o.count
		} else {
			o.count = 0
		}
	case LiquidDrain:
		w.drain(o)
	case InclinedPlane:
		o.slide()
	case Flower:
		w.pollinate(o)
	default:
		switch limit := kinds[o.kind].Temp; {
		case limit != 0:
			o.temper(limit)
		case o.inGroup(aWire):
			o.conduct(true)
		case o.inGroup(aPolarized):
			o.evaluate()
		case o.inGroup(aPlant):
			w.plant(o)
		case o.inGroup(aAnimal):
			w.animal(o)
		}
	}
	w.baseTick(o)
}

// baseTick is the turn that all things have, once per tick.
func (w *World) baseTick(o *Object) {
	if o.ticked {
		return
	}
	if o.stuff != nil {
		w.combust(o)
	}
	o.exchangeHeat()
	if o.stuff != nil {
		w.changeState(o)
	}
	if o.terminals[0] != nil && !o.inGroup(aPolarized) {
		o.conduct(false)
	}
	for _, x := range o.contents.items() {
		if !x.isTerminal() {
			w.tickObject(x)
		}
	}
	for _, p := range o.portals.items() {
		w.tickObject(p)
	}
	o.ticked = true
}

// temper heats or cools what is in a device that is on, up to a temperature: it heats
// if that is above the one at which most things start.
func (o *Object) temper(limit float64) {
	if !o.activated {
		return
	}
	for _, x := range o.contents.items() {
		if x.stuff != nil && x.temp != limit && (x.temp < limit) == (limit > defaultStart) {
			x.temp += float64((limit - x.temp) * transfer)
		}
	}
}

// stateAt is the state of matter at a temperature.
func (o *Object) stateAt(temp float64) phase {
	switch {
	case temp < o.stuff.Melts:
		return solid
	case temp > o.stuff.Boils:
		return gas
	}
	return liquid
}

// changeState changes the state of matter, and with it the name.
func (w *World) changeState(o *Object) {
	s := o.stateAt(o.temp)
	if s == o.state {
		return
	}
	o.state = s
	if name := o.stuff.Names[s]; name != "" {
		w.rename(o, name)
	}
}

// The temperatures of burning things, from the combustion point on.
const (
	fireHotter    = 200.0
	quenchedBelow = 10.0
)

// combust lets a thing catch fire, burn and burn down (processes §5).
func (w *World) combust(o *Object) {
	if o.temp >= o.stuff.Burns && !o.burning && o.fuel > 0 {
		o.burning, o.burned = true, true
		w.renamed(o)
	}
	if !o.burning || o.fuel == 0 {
		return
	}
	o.fuel--
	o.temp = max(o.temp, o.stuff.Burns+fireHotter)
	if o.fuel == 0 {
		o.burning = false
		ash := w.new(Ash)
		ash.temp = o.temp
		if o.container != nil {
			w.put(ash, o.container)
		}
		w.delete(o, true)
	}
	if water := o.waterNear(); water != nil {
		water.temp = o.temp
		o.burning = false
		o.temp = o.stuff.Burns - quenchedBelow
		w.renamed(o)
	}
}

// waterNear is liquid water in the object or beside it.
func (o *Object) waterNear() *Object {
	places := []*Object{o}
	if o.container != nil {
		places = append(places, o.container)
	}
	for _, p := range places {
		for _, x := range p.contents.items() {
			if x.stuff != nil && x.stuff.Substance == "water" && x.state == liquid {
				return x
			}
		}
	}
	return nil
}

// contains reports whether something of a kind is in the object.
func (o *Object) contains(k ObjectKind) bool {
	return slices.ContainsFunc(o.contents.chain, func(x *Object) bool { return x.kind == k })
}

// fillWithWater puts water into an object without any, in whatever state.
func (w *World) fillWithWater(o *Object) {
	if !o.contains(Water) {
		w.put(w.new(Water), o)
	}
}

// run lets water run into what stands in a sink, and into the sink.
func (w *World) run(o *Object) {
	for _, x := range o.contents.items() {
		if x.isVessel && x.holds && x.open {
			w.fillWithWater(x)
		}
	}
	w.fillWithWater(o)
}

// flushEnds is the stage after which a toilet is quiet.
const flushEnds = 5

func (w *World) flushing(o *Object) {
	drain := o.portals.items()[0]
	wasOpen := drain.open
	if o.activated && o.count == 0 {
		o.count = 1
		drain.open = true
	}
	if o.count > 0 {
		w.run(o)
		if o.count++; o.count > flushEnds {
			o.activated, o.count = false, 0
		}
	}
	if o.count == 0 {
		drain.open = false
	}
	if drain.open != wasOpen {
		w.opens++
	}
}

// drain lets liquids out.
func (w *World) drain(o *Object) {
	if !o.open {
		return
	}
	for _, x := range o.door.src.contents.items() {
		if x.stuff != nil && x.state == liquid {
			w.put(x, o.door.dst)
		}
	}
}

// The coefficients of heat transfer (processes §3).
const (
	transfer  = 0.10
	mostMoved = 1000.0
)

// exchangeHeat lets the object and its contents exchange heat, then its contents with each other.
func (o *Object) exchangeHeat() {
	var room [16]*Object // most things have no more in them
	warm := room[:0]
	for _, x := range o.contents.items() {
		if x.stuff != nil {
			warm = append(warm, x)
		}
	}
	if len(warm) == 0 {
		return
	}
	if o.stuff != nil {
		o.touch(warm)
	}
	for i, x := range warm {
		x.touch(warm[:i])
	}
}

// touch moves heat between a thing and others, one after the other: the second one of two
// already feels the new temperature of the first.
func (o *Object) touch(things []*Object) {
	t, c := o.temp, o.stuff.Conductivity
	for _, x := range things {
		m := min(c, x.stuff.Conductivity)
		t += clip(float64(float64((x.temp-t)*m) * transfer))
		x.temp += clip(float64(float64((t-x.temp)*m) * transfer))
	}
	o.temp = t
}

func clip(v float64) float64 { return max(-mostMoved, min(v, mostMoved)) }
