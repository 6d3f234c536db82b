package scienceworld

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// same reports whether the trial's object may meet a goal that continues with the object of the previous goal.
func (t trial) same() bool {
	last := t.goals.last
	return t.focus != nil && (last == nil || last == t.focus)
}

// called reports whether a thing has a name or a descriptive name, whatever the case.
func called(x *Object, name string) bool {
	return sameWord(x.name, name) || sameWord(x.descriptiveName(), name)
}

// sameWord compares names, which are ASCII, as Java does without regard to case.
func sameWord(a, b string) bool { return len(a) == len(b) && strings.EqualFold(a, b) }

func verdictOf(ok bool) goalTest {
	if ok {
		return met
	}
	return unmet
}

// onFocus is a criterion of the focus: met or failed.
func onFocus(test func(t trial, f *Object) bool) criterion {
	return criterion{test: func(t trial) goalTest {
		switch {
		case t.focus == nil:
			return unmet
		case test(t, t.focus):
			return met
		}
		return failed
	}}
}

// onSame is a criterion of the focus, if the focus met the previous goal.
func onSame(test func(t trial, f *Object) goalTest) criterion {
	return criterion{test: func(t trial) goalTest {
		if !t.same() {
			return unmet
		}
		return test(t, t.focus)
	}}
}

// onScene is a criterion of the visible things: one of them passes a test.
func onScene(test func(t trial, x *Object) bool) criterion {
	return criterion{scene: true, test: func(t trial) goalTest {
		return verdictOf(slices.ContainsFunc(t.w.visibleBelow(), func(x *Object) bool { return test(t, x) }))
	}}
}

// onCalled is such a criterion of a thing with the first name of those that the goal is about.
func onCalled(test func(t trial, x *Object) bool) criterion {
	return onScene(func(t trial, x *Object) bool { return called(x, t.about[0]) && test(t, x) })
}

// plainly is a criterion that is met or not.
func plainly(test func(t trial) bool) criterion {
	return criterion{test: func(t trial) goalTest { return verdictOf(test(t)) }}
}

// criteria are the criteria of the goals of a class.
var criteria = map[string]criterion{
	"GoalFind":          onFocus(func(t trial, f *Object) bool { return sameWord(f.name, t.about[0]) }),
	"GoalFindAnswerBox": {test: findAnswerBox},
	"GoalFindLivingThingStage": onFocus(func(t trial, f *Object) bool {
		return f.inGroup(aLiving) && f.life.form == strings.ToLower(t.about[0]) && f.stageName() == t.about[1]
	}),
	"GoalFindInclinedPlane": onFocus(func(t trial, f *Object) bool {
		return f.isPlane() && f.plane.surface.Substance == t.about[0]
	}),
	"GoalFindInclinedPlaneNamed": onFocus(func(t trial, f *Object) bool {
		return f.isPlane() && f.plane.extra == t.about[0]
	}),
	"GoalFocusOnLivingThing":    onFocus(func(_ trial, f *Object) bool { return f.inGroup(aLiving) }),
	"GoalFocusOnPlant":          onFocus(func(_ trial, f *Object) bool { return f.inGroup(aPlant) }),
	"GoalFocusOnAnimal":         onFocus(func(_ trial, f *Object) bool { return f.inGroup(aAnimal) }),
	"GoalFocusOnNonlivingThing": {test: focusNonliving},
	"GoalChangeStateOfMatter": onSame(func(t trial, f *Object) goalTest {
		return verdictOf(f.stuff != nil && (f.state.String() == t.about[0] || len(t.about) > 1 && f.burning))
	}),
	"GoalIsStateOfMatter": onSame(func(t trial, f *Object) goalTest {
		if f.stuff != nil {
			t.goals.stored = f.state
		}
		return verdictOf(f.stuff != nil)
	}),
	"GoalIsDifferentStateOfMatter": onSame(func(t trial, f *Object) goalTest {
		return verdictOf(f.stuff != nil && f.state != t.goals.stored)
	}),
	"GoalActivateDevice": plainly(func(t trial) bool {
		return t.focus != nil && t.focus.isDevice && t.focus.name == t.about[0] && t.focus.activated
	}),
	"GoalElectricallyConnected": onSame(func(t trial, f *Object) goalTest {
		if f.connectedTo(t.about[0]) {
			return met
		}
		return failed
	}),
	"GoalObjectInContainer": onSame(func(t trial, f *Object) goalTest {
		return verdictOf(inside(f, func(c *Object) bool { return sameWord(c.name, t.about[0]) }))
	}),
	"GoalObjectInContainerByName": onSame(func(t trial, f *Object) goalTest {
		if inside(f, func(c *Object) bool { return c.name == t.about[1] }) {
			return failed
		}
		return verdictOf(inside(f, func(c *Object) bool { return sameWord(c.name, t.about[0]) }))
	}),
	"GoalContainerByTemperature": onSame(byTemperature),
	"GoalLifeStage": onSame(func(t trial, f *Object) goalTest {
		return verdictOf(f.isAt(t.about[0], t.about[1]))
	}),
	"GoalLifeStageAnywhere":  plainly(stageAnywhere),
	"GoalMoveToNewLocation":  plainly(newLocation),
	"GoalMoveToLocation":     plainly(func(t trial) bool { return t.w.place().name == t.about[0] }),
	"GoalStayInLocation":     plainly(stay),
	"GoalInRoomWithOpenDoor": plainly(openDoor),
	"GoalInRoomWithObject": onScene(func(t trial, x *Object) bool {
		return sameWord(x.name, t.about[0]) || strings.ToLower(x.descriptiveName()) == t.about[0]
	}),
	"GoalObjectsInSingleContainer":        onScene(alone),
	"GoalSpecificObjectInDirectContainer": onCalled(directIn),
	"GoalActivateDeviceWithName":          onCalled(func(_ trial, x *Object) bool { return x.isDevice && x.activated }),
	"GoalDeactivateDeviceWithName": onCalled(func(_ trial, x *Object) bool {
		return x.isDevice && !x.activated
	}),
	"GoalContainerOpen":     onCalled(func(_ trial, x *Object) bool { return x.isVessel && x.open }),
	"GoalTemperatureOnFire": onCalled(func(_ trial, x *Object) bool { return x.burning }),
	"GoalTemperatureIncrease": plainly(func(t trial) bool {
		now, first := t.temperatures()
		return now >= first+t.number(0)
	}),
	"GoalTemperatureDecrease": plainly(func(t trial) bool {
		now, first := t.temperatures()
		return now <= first-t.number(0)
	}),
	"GoalPastActionExamineObject": past(func(t trial, d deed) bool {
		return d.id == lookAt && called(d.a, t.about[0])
	}),
	"GoalPastActionReadObject": past(func(t trial, d deed) bool { return d.id == read && called(d.a, t.about[0]) }),
	"GoalPastActionUseObjectOnObject": past(func(t trial, d deed) bool {
		return d.id == useOn && (sameWord(d.a.name, t.about[0]) || sameWord(d.b.descriptiveName(), t.about[1]))
	}),
	"GoalObjectConnectedToWire": onCalled(func(t trial, x *Object) bool {
		end := x.terminals[int(t.number(1))]
		return end != nil && end.partner != nil && end.partner.owner.kind == Wire
	}),
	"GoalWireConnectsObjectAndAnyPowerSource": wireBetween(isNamedPart, func(t trial, x *Object) bool {
		return isSource(t, x) && (t.about[1] == "" || called(x, t.about[1]))
	}),
	"GoalWireConnectsObjectAndAnyLightBulb":      wireBetween(isNamedPart, isBulb),
	"GoalWireConnectsPowerSourceAndAnyLightBulb": wireBetween(isSource, isBulb),
}

// number is a number that the goal is about.
func (t trial) number(i int) float64 {
	n, err := strconv.ParseFloat(t.about[i], 64)
	if err != nil {
		panic(err) // the table of tasks is ours
	}
	return n
}

func findAnswerBox(t trial) goalTest {
	switch {
	case t.focus == nil || t.focus.kind != AnswerBox:
		return unmet
	case sameWord(t.focus.name, t.about[0]):
		return met
	}
	return failed
}

func (o *Object) isPlane() bool { return o.name == "inclined plane" && o.kind == InclinedPlane }

// isAt reports whether an object is a living thing of a form in a stage.
func (o *Object) isAt(form, stage string) bool {
	return o.inGroup(aLiving) && o.life.form == form && sameWord(o.stageName(), stage)
}

func focusNonliving(t trial) goalTest {
	switch {
	case t.focus == nil:
		return unmet
	case t.focus.inGroup(aLiving):
		return failed
	}
	return verdictOf(t.focus.movable)
}

// ancestorDepth is how many containers upwards the reference looks.
const ancestorDepth = 20

// inside reports whether one of the containers of a thing passes a test.
func inside(x *Object, test func(c *Object) bool) bool {
	c := x.container
	for i := 0; c != nil && i < ancestorDepth; i++ {
		if test(c) {
			return true
		}
		c = c.container
	}
	return false
}

// byTemperature wants the focus in one container if it is as hot as that, and else in another.
func byTemperature(t trial, f *Object) goalTest {
	if f.stuff == nil || f.container == nil {
		return unmet
	}
	degrees, in, high, low := t.number(0), f.container.name, t.about[1], t.about[2]
	switch {
	case in != high && in != low:
		return unmet
	case in == high && f.temp >= degrees, in == low && f.temp <= degrees:
		return met
	}
	return failed
}

// newLocation wants the agent in one room, or in another than at the first try.
func newLocation(t trial) bool {
	room := t.w.place().name
	if room != t.about[0] && !t.state.started {
		t.state.started, t.state.place = true, room
		return false
	}
	return room == t.about[0] || room != t.state.place
}

func openDoor(t trial) bool {
	return slices.ContainsFunc(t.w.place().portals.items(), func(p *Object) bool { return p.kind == Door && p.open })
}

// alone wants all that the goal is about, and nothing else, in one container.
func alone(t trial, x *Object) bool {
	n := 0
	for _, y := range x.contents.items() {
		if y.hidden {
			continue
		}
		if !slices.Contains(t.about, y.name) && !slices.Contains(t.about, y.descriptiveName()) {
			return false
		}
		n++
	}
	return n == len(t.about)
}

func directIn(t trial, x *Object) bool {
	return slices.ContainsFunc(x.contents.items(), func(y *Object) bool {
		return !y.hidden && (y.name == t.about[1] || y.descriptiveName() == t.about[1])
	})
}

// noTemperature is the stored temperature that counts as none.
const noTemperature = -999

// temperatures returns how hot the object in focus is now and was at the first try, NaN if there is none.
func (t trial) temperatures() (now, first float64) {
	if t.focus == nil || t.focus.stuff == nil {
		return math.NaN(), math.NaN()
	}
	if !t.state.started || t.state.degrees == noTemperature {
		t.state.started, t.state.degrees = true, t.focus.temp
	}
	return t.focus.temp, t.state.degrees
}

// stay counts tries, not steps.
func stay(t trial) bool {
	if t.w.place().name != t.about[0] {
		t.state.count = 0
		return false
	}
	t.state.count++
	return t.state.count >= int(t.number(1))
}

// past wants an action after the first try.
func past(test func(t trial, d deed) bool) criterion {
	return plainly(func(t trial) bool {
		if !t.state.started {
			t.state.started, t.state.count = true, len(t.w.history)
		}
		return slices.ContainsFunc(t.w.history[t.state.count:], func(d deed) bool { return test(t, d) })
	})
}

// wireBetween wants a wire between parts that pass the tests.
func wireBetween(testA, testB func(t trial, x *Object) bool) criterion {
	return onScene(func(t trial, x *Object) bool {
		if x.kind != Wire {
			return false
		}
		a, b := false, false
		for _, end := range x.terminals {
			if p := end.partner; p != nil {
				a, b = a || testA(t, p.owner), b || testB(t, p.owner)
			}
		}
		return a && b
	})
}

func isNamedPart(t trial, x *Object) bool { return called(x, t.about[0]) }

func isSource(_ trial, x *Object) bool { return x.inGroup(aGenerator) }

func isBulb(_ trial, x *Object) bool { return x.kind == LightBulb }

// stageAnywhere wants a number of living things of a form in a stage.
func stageAnywhere(t trial) bool {
	found := 0
	for _, x := range t.w.visibleBelow() {
		if x.isAt(t.about[0], t.about[1]) {
			found++
		}
	}
	return found >= int(t.number(2))
}
