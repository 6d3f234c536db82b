package scienceworld

import "strings"

// do carries out a deed, or says why not, and returns what the agent is told.
func (w *World) do(d deed) string {
	if r := w.refuse(d); r.refused {
		return r.text()
	}
	switch d.id {
	case openThing:
		return w.setOpen(d.a, true, " is now open.")
	case closeThing:
		return w.setOpen(d.a, false, " is now closed.")
	case goTo:
		return w.goThere(d.a)
	case teleport:
		w.put(w.agent, d.a)
		return "You teleport to the " + d.a.name + "."
	case lookAround:
		return look(w.place())
	case lookAt:
		if w.Portals && !d.a.hidden && d.a.inGroup(aPortal) {
			return d.a.describePortal(w.place())
		}
		return look(d.a)
	case lookIn:
		return w.lookInside(d.a)
	case activate, deactivate:
		return switchDevice(d)
	case flush:
		d.a.activated = true
		return "The " + d.a.name + " is now flushing."
	case eat:
		w.take(d.a)
		return "The " + d.a.name + " was delicious."
	case move, pickUp, putDown:
		return w.carry(d.a, d.b, "") + "You move the " + d.a.name + " to the " + d.b.name + "."
	case pour:
		return w.pour(d.a, d.b)
	case dunk:
		return w.dunk(d.a, d.b)
	case focusOn:
		w.focus = d.a
		return "You focus on the " + d.a.descriptiveName() + "."
	case resetTask:
		w.goals.reset()
		w.focus = nil
		return "You reset the goal progress and focus."
	case useOn:
		return w.use(d.a, d.b)
	case read:
		return d.a.readOut()
	case connect:
		return connectThings(d.a, d.b)
	case disconnect:
		d.a.disconnect()
		return d.a.name + " has been disconnected"
	case wait1:
		w.waiting = 1
		return "You decide to wait for 1 iterations."
	case wait10:
		w.waiting = 10
		return "You decide to wait for 10 iterations."
	case viewInventory:
		return "In your inventory, you see:\n" + lines(w.inventory.contents.items(), w.inventory, true)
	case taskText:
		return "Task Description:\n" + w.Description()
	}
	return w.mix(d.a) // mixContents
}

func (w *World) setOpen(o *Object, open bool, suffix string) string {
	o.open = open
	w.opens++
	return "The " + o.name + suffix
}

func (w *World) goThere(o *Object) string {
	if o.kind != Door {
		w.put(w.agent, o)
		return "You move to the " + o.name + "."
	}
	dest := o.leadsTo(w.place())
	w.put(w.agent, dest)
	return "You move through the " + o.name + " to the " + dest.name + "."
}

// look describes a thing in detail. Portals are not seen from anywhere.
func look(o *Object) string {
	if o.hidden {
		return hiddenText
	}
	return o.describe(nil, true)
}

func (w *World) lookInside(o *Object) string {
	s := "There is nothing in the " + o.name + "."
	if o.contents.len() > 0 {
		s = "Inside the " + o.name + " is: \n" + lines(o.contents.items(), w.agent, false)
	}
	s += "\n"
	if o.portals.len() == 0 {
		return s
	}
	var portals []string
	for _, p := range o.portals.items() {
		portals = append(portals, p.describe(o, false))
	}
	return s + " You also see: " + strings.Join(portals, ", ") + "."
}

func switchDevice(d deed) string {
	if d.a.broken {
		return "The " + d.a.name + " appears broken, and can't be activated or deactivated."
	}
	d.a.activated = d.id == activate
	return d.a.fill("The {n} is now {de}activated.", nil)
}

// carry moves something. It disconnects connected things and says so.
func (w *World) carry(x, dest *Object, end string) string {
	w.put(x, dest)
	if !x.connected() {
		return ""
	}
	x.disconnect()
	return "(disconnecting " + x.name + ")" + end
}

func (w *World) pour(x, dest *Object) string {
	if x == dest {
		return "You can't move something into itself."
	}
	if !x.isVessel || !x.holds {
		return w.carry(x, dest, "\n") + "You pour the " + x.name + " into the " + dest.name + "."
	}
	message := ""
	for _, y := range x.contents.items() {
		if y.movable {
			message += w.carry(y, dest, "\n")
		}
	}
	return message + "You pour the contents of the " + x.name + " into the " + dest.name + "."
}

func (w *World) dunk(x, src *Object) string {
	message := ""
	var names []string
	for _, y := range src.contents.items() {
		if y.isVisibleLiquid() && y.movable {
			message += w.carry(y, x, "")
			names = append(names, y.name)
		}
	}
	return message + "You dunk the " + x.name + " in the " + src.name + ", moving the liquids (" +
		strings.Join(names, ", ") + ") to the " + x.name + "."
}

func connectThings(a, b *Object) string {
	ta, _ := terminalOf(a)
	tb, _ := terminalOf(b)
	ta.partner, tb.partner = tb, ta
	return ta.name + " on " + ta.owner.name + " is now connected to " + tb.name + " on " +
		tb.owner.name
}

// readOut is the text of a document (objects §3.10).
func (o *Object) readOut() string {
	if o.page.Text == "" {
		return "The paper does not have any text on it."
	}
	return o.fill(kinds[o.kind].Reads, nil)
}

// use carries out what a tool does (objects §3.6).
func (w *World) use(tool, x *Object) string {
	const unsure = "I'm not sure how to use those two things together."
	switch tool.kind {
	case Thermometer:
		if x.stuff == nil {
			return "That thing doesn't appear to have a temperature that the thermometer can read. "
		}
		return "the thermometer measures a temperature of " + degrees(x.temp) + " degrees celsius"
	case Lighter:
		return w.light(x)
	case Shovel:
		if x.kind != Ground || x.container == nil {
			return unsure
		}
		place := x.container
		hole := w.new(Hole)
		w.put(hole, place)
		w.put(w.new(Soil), place)
		return "You dig a hole in the ground, and place the soil nearby."
	case Axe:
		return w.chop(x, unsure)
	}
	return unsure
}

// lighterTemp is how hot a lighter makes things, in steps of lighterStep.
const (
	lighterTemp = 2200.0
	lighterStep = 10.0
)

func (w *World) light(x *Object) string {
	switch {
	case x.stuff == nil:
		return "It's not clear how to use those items together."
	case x.stuff.Burns > lighterTemp:
		d := min(lighterTemp-x.temp, lighterStep)
		if d+x.temp > lighterTemp {
			d = lighterTemp - x.temp
		}
		x.temp += max(d, 0)
		return "The lighter heats up the " + x.name + " a small amount."
	case x.burning:
		return "The " + x.name + " is already on fire."
	case x.fuel > 0:
		x.burning, x.burned = true, true
		w.renamed(x)
		return "The " + x.name + " catches fire."
	}
	return "The " + x.name + " is not flammable."
}

func (w *World) chop(x *Object, unsure string) string {
	switch {
	case x.inGroup(aTree):
		if x.container == nil {
			return unsure
		}
		if x.life.stage == seed {
			return "You can't chop a seed."
		}
		message := "You chop down the " + x.descriptiveName() + ", creating wood."
		w.put(w.new(Wood), x.container)
		w.delete(x, true)
		return message
	case x.isDevice:
		x.broken = true
		return "You hit the " + x.name + " with the axe, causing it to break."
	}
	return unsure
}
