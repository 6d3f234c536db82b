package scienceworld

import (
	"slices"
	"strings"
)

// refusal is why an action is not carried out: a text around a name. The zero
// value is none. The text is built only if somebody reads it.
type refusal struct {
	refused              bool
	prefix, name, suffix string
	content              *Object // its container, which does not move, is why; nil: the text is
}

func (r refusal) text() string {
	if o := r.content; o != nil {
		return "The " + o.container.name + " the " + o.name + " is in is not movable."
	}
	return r.prefix + r.name + r.suffix
}

func because(prefix string) refusal { return refusal{refused: true, prefix: prefix} }

func becauseOf(prefix string, o *Object, suffix string) refusal {
	return refusal{refused: true, prefix: prefix, name: o.name, suffix: suffix}
}

// refuse checks whether a deed can be done. The same checks decide whether it is
// listed as valid, with a few exceptions (actions §6, §8).
func (w *World) refuse(d deed) refusal {
	switch d.id {
	case openThing, closeThing:
		return refuseOpening(d.a, d.id == openThing)
	case goTo:
		return w.refuseGo(d.a)
	case lookIn:
		return refuseLookIn(d.a)
	case activate, deactivate:
		return refuseSwitch(d)
	case eat:
		if !d.a.edible {
			return becauseOf("The ", d.a, " is not edible.")
		}
	case move, pickUp, putDown:
		return refuseMove(d.a, d.b)
	case pour:
		return refusePour(d.a, d.b)
	case dunk:
		return refuseDunk(d.a, d.b)
	case useOn:
		if !d.a.usable {
			return becauseOf("I'm not sure how to use the ", d.a, ". ")
		}
	case read:
		if !d.a.inGroup(aDocument) {
			return because("It's not clear how to read that.")
		}
	case flush:
		switch {
		case d.a.kind != Toilet:
			return because("It's not clear how to flush that.")
		case d.a.activated:
			return because("That is already flushing.")
		}
	case connect:
		return refuseConnect(d.a, d.b)
	case disconnect:
		if d.a.isTerminal() {
			return becauseOf("You must disconnect entire objects (such as ", d.a.owner,
				") instead of just single terminals")
		}
	case mixContents:
		if d.a.contents.len() <= 1 {
			return because("")
		}
	case teleport:
		if !d.a.inGroup(aLocation) || strings.ToLower(d.a.name) == "universe" {
			return becauseOf("Its not clear how to go to ", d.a, ".")
		}
	}
	return refusal{}
}

// refuseOpening is about opening and closing.
func refuseOpening(o *Object, open bool) refusal {
	able := " is not closeable."
	if open {
		able = " is not openable."
	}
	switch {
	case o.door == nil && !o.closable:
		return becauseOf("The ", o, able)
	case o.open == open:
		return becauseOf("The ", o, " is already "+openClosed(open)+".")
	}
	return refusal{}
}

func (w *World) refuseGo(o *Object) refusal {
	switch {
	case o.kind == Door:
		if !o.open {
			return becauseOf("The ", o, " is not open.")
		}
		if o.leadsTo(w.place()) == nil {
			return becauseOf("The ", o, " doesn't appear to go anywhere.")
		}
		return refusal{}
	case !o.inGroup(aLocation):
		return becauseOf("Its not clear how to go to/through a ", o, ".")
	}
	for _, p := range w.place().portals.items() {
		dest := p.leadsTo(w.place())
		if dest == nil || !slices.Contains(w.refList(dest).refs, o.name) {
			continue
		}
		if !p.open {
			return becauseOf("The ", p, " is not open.")
		}
		return refusal{}
	}
	return because("It's not clear how to get there from here.")
}

func refuseLookIn(o *Object) refusal {
	switch {
	case !o.isVessel:
		return because("It's not clear how to look inside of that.")
	case !o.open:
		return becauseOf("The ", o, " isn't open, so you can't see inside.")
	}
	return refusal{}
}

// refuseSwitch leaves out whether the device is broken, which is checked only where the action is carried out.
func refuseSwitch(d deed) refusal {
	switch {
	case !d.a.activable:
		return becauseOf("The ", d.a, " is not something that can be activated.")
	case d.id == activate && d.a.activated:
		return becauseOf("The ", d.a, " is already activated.")
	case d.id == deactivate && !d.a.activated:
		return becauseOf("The ", d.a, " is already deactivated.")
	}
	return refusal{}
}

func refuseMove(x, dest *Object) refusal {
	switch {
	case !x.movable:
		return becauseOf("The ", x, " is not moveable.")
	case x == dest:
		return because("You can't move something into itself.")
	case x.stuff != nil && x.state == liquid:
		return because(
			"You can't pick up a liquid directly.  Try pouring it from one container to another, or dunking empty " +
				"containers into containers filled with the liquid.")
	case x.stuff != nil && x.state == gas:
		return because("You can't pick up a gas directly.")
	case !dest.isVessel:
		return because("That can't be moved there.")
	case !dest.open:
		return becauseOf("That can't be moved there, because the ", dest, " isn't open.")
	}
	return refusal{}
}

func refusePour(x, dest *Object) refusal {
	if r := refusePouring(x); r.refused {
		return r
	}
	switch {
	case !dest.isVessel:
		return because("That can't be moved there, because it's not a container.")
	case !dest.open:
		return becauseOf("That can't be moved there, because the ", dest, " isn't open.")
	case x.isVessel && x.holds && x.contents.len() == 0:
		return becauseOf("The ", x, " is empty, so there's nothing to pour.")
	}
	return refusal{}
}

// refusePouring is what depends on the thing alone.
func refusePouring(x *Object) refusal {
	emptying := x.isVessel && x.holds
	switch {
	case !x.movable:
		return becauseOf("The ", x, " is not moveable.")
	case emptying:
		if !x.open {
			return becauseOf("The ", x, " can't be poured out, because it's not open.")
		}
	case x.container == nil:
		return becauseOf("The ", x, " can't be poured out because it doesn't appear to be in a container.")
	case !x.container.movable:
		return refusal{refused: true, content: x}
	case x.stuff != nil && x.state == solid:
		return because("I'm not sure how to pour a solid. ")
	case x.stuff != nil && x.state == gas:
		return because("You can't pour a gas directly. ")
	}
	return refusal{}
}

func refuseDunk(x, src *Object) refusal {
	switch {
	case x == src:
		return because("You can't dunk something into itself.")
	case !x.movable:
		return becauseOf("The ", x, " is not moveable.")
	case x.isVessel && !x.open:
		return becauseOf("The ", x, " is not open.")
	case !x.isVessel || !x.holds:
		return becauseOf("The ", x, " is not a container.")
	}
	liquids := false
	for _, l := range src.contents.chain {
		if l.isVisibleLiquid() {
			if l.movable {
				return refusal{}
			}
			liquids = true
		}
	}
	if liquids {
		return becauseOf("The liquids in ", src, " aren't able to move.")
	}
	return becauseOf("The ", src, " does not contain any liquids to dunk into.")
}

// holdsMovableLiquid reports whether something can be dunked into what is in the object.
func (o *Object) holdsMovableLiquid() bool {
	return slices.ContainsFunc(o.contents.chain, func(x *Object) bool { return x.isVisibleLiquid() && x.movable })
}

func (o *Object) isVisibleLiquid() bool { return !o.hidden && o.stuff != nil && o.state == liquid }

// terminalOf chooses the terminal by which a thing is connected.
func terminalOf(o *Object) (*Object, refusal) {
	switch {
	case o.isTerminal():
		return o, refusal{}
	case o.inGroup(aPolarized):
		return nil,
			because(
				"Connections must specify specific points of contact on polarized electrical components (e.g. anode, " +
					"cathode)")
	case o.inGroup(aWire):
		return nil,
			because(
				"Connections must specify specific points of contact on unpolarized electrical components (e.g. " +
					"terminal 1, terminal 2)")
	}
	for _, t := range o.terminals {
		if t.partner == nil {
			return t, refusal{}
		}
	}
	return nil, becauseOf("", o, alreadyConnected)
}

const alreadyConnected = " is already connected, and must be disconnected before it can be connected to something else"

func refuseConnect(a, b *Object) refusal {
	ta, r := terminalOf(a)
	if r.refused {
		return r
	}
	tb, r := terminalOf(b)
	if r.refused {
		return r
	}
	if ta == tb {
		return because("Something can't be connected to itself.")
	}
	for _, t := range []*Object{ta, tb} {
		if t.partner != nil {
			return becauseOf(t.name+" on ", t.owner, alreadyConnected)
		}
	}
	return refusal{}
}
