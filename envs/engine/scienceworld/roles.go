package scienceworld

// roles are what an object can be in valid actions: a bit for each action that can have it
// first, and the roles below.
type roles uint32

const (
	opened   roles = 1 << (31 - iota) // things can be brought into it
	dippable                          // it can be dunked
)

func firstOf(id actionID) roles { return 1 << id }

// secondOf are the roles of second objects. All things can be looked at.
func secondOf(id actionID) roles {
	switch id {
	case move, pour:
		return opened
	case dunk:
		return dippable
	case connect:
		return firstOf(connect)
	}
	return firstOf(lookAt)
}

// canBoth reports whether one object can be both objects of an action.
func canBoth(id actionID) bool { return id == pour || id == useOn }

// rolesOf returns what an object can be in valid actions: what refuse lets pass, with a
// few exceptions (actions §8).
func (w *World) rolesOf(o *Object) roles {
	r := firstOf(lookAt) | firstOf(focusOn)
	if t, refusal := terminalOf(o); !refusal.refused && t.partner == nil {
		r |= firstOf(connect)
	}
	if o.isTerminal() {
		return r
	}
	r |= firstOf(disconnect)
	may := func(id actionID, can bool) {
		if can {
			r |= firstOf(id)
		}
	}
	if o.door != nil || o.closable {
		may(openThing, !o.open)
		may(closeThing, o.open)
	}
	may(goTo, (o.kind == Door || o.inGroup(aLocation)) && !w.refuseGo(o).refused)
	if o.activable {
		may(activate, !o.activated)
		may(deactivate, o.activated)
	}
	may(eat, o.edible)
	may(useOn, o.usable)
	may(read, o.inGroup(aDocument))
	may(flush, o.kind == Toilet && !o.activated)
	may(mixContents, o.contents.len() > 1)
	may(dunk, o.holdsMovableLiquid())
	if o.isVessel && o.open {
		r |= firstOf(lookIn) | opened
	}
	if o.movable {
		r |= w.rolesOfMovable(o)
	}
	return r
}

// rolesOfMovable returns the further roles of an object that is not fixed.
func (w *World) rolesOfMovable(o *Object) (r roles) {
	if o.stuff == nil || o.state == solid {
		r |= firstOf(move)
		switch carried := o.container == w.inventory; {
		case !carried && !refuseMove(o, w.inventory).refused:
			r |= firstOf(pickUp)
		case carried && !refuseMove(o, w.place()).refused:
			r |= firstOf(putDown)
		}
	}
	filled := !o.isVessel || !o.holds || o.contents.len() > 0
	if filled && !refusePouring(o).refused {
		r |= firstOf(pour)
	}
	if o.isVessel && o.open && o.holds {
		r |= dippable
	}
	return r
}
