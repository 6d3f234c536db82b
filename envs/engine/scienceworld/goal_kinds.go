package scienceworld

import (
	"slices"
	"strings"
)

// same reports whether the trial's object may meet a goal that continues with the
// object of the previous goal.
func (t trial) same() bool {
	last := t.goals.last
	return t.focus != nil && (last == nil || last == t.focus)
}

// called reports whether a thing has a name or a descriptive name, whatever the
// case.
func called(x *Object, name string) bool {
	return sameWord(x.name, name) || x.hasOtherName() && sameWord(x.descriptiveName(), name)
}

// sameWord compares names, which are ASCII, as Java does without regard to case.
func sameWord(a, b string) bool { return len(a) == len(b) && strings.EqualFold(a, b) }

func verdictOf(ok bool) goalTest {
	if ok {
		return met
	}
	return unmet
}

// onFocus is a goal about the focus: met or failed.
func onFocus(class, text string, test func(f *Object) bool) goal {
	return goal{class: class, text: text, test: func(t trial) goalTest {
		switch {
		case t.focus == nil:
			return unmet
		case test(t.focus):
			return met
		}
		return failed
	}}
}

// onSame is a goal about the focus, if the focus met the previous goal: met or
// not.
func onSame(class, text string, test func(t trial, f *Object) goalTest) goal {
	return goal{class: class, text: text, test: func(t trial) goalTest {
		if !t.same() {
			return unmet
		}
		return test(t, t.focus)
	}}
}

// onScene is a goal about the visible things: one of the cast passes a test.
func onScene(class, text string, cast, test func(x *Object) bool) goal {
	return goal{class: class, text: text, scene: true, test: func(t trial) goalTest {
		if slices.ContainsFunc(t.visible(), func(x *Object) bool { return cast(x) && test(x) }) {
			return met
		}
		return unmet
	}}
}

func always(*Object) bool { return true }

func find(name, text string) goal {
	return onFocus("GoalFind", text, func(f *Object) bool { return sameWord(f.name, name) })
}

func findAnswerBox(name, text string) goal {
	return goal{class: "GoalFindAnswerBox", text: text, test: func(t trial) goalTest {
		switch {
		case t.focus == nil || t.focus.kind != AnswerBox:
			return unmet
		case sameWord(t.focus.name, name):
			return met
		}
		return failed
	}}
}

func findStage(form, stage, text string) goal {
	return onFocus("GoalFindLivingThingStage", text, func(f *Object) bool {
		return f.inGroup(aLiving) && f.life.form == strings.ToLower(form) && f.stageName() == stage
	})
}

func findPlane(surface, text string) goal {
	return onFocus("GoalFindInclinedPlane", text, func(f *Object) bool {
		return f.name == "inclined plane" && f.kind == InclinedPlane && f.plane.surface.Substance == surface
	})
}

func findPlaneNamed(letter, text string) goal {
	return onFocus("GoalFindInclinedPlaneNamed", text, func(f *Object) bool {
		return f.name == "inclined plane" && f.kind == InclinedPlane && f.plane.extra == letter
	})
}

func focusKind(class string, g kindSet, text string) goal {
	return onFocus(class, text, func(f *Object) bool { return f.inGroup(g) })
}

func focusNonliving(text string) goal {
	return goal{class: "GoalFocusOnNonlivingThing", text: text, test: func(t trial) goalTest {
		switch {
		case t.focus == nil:
			return unmet
		case t.focus.inGroup(aLiving):
			return failed
		}
		return verdictOf(t.focus.movable)
	}}
}

func matter(want phase, burning bool, text string) goal {
	return onSame("GoalChangeStateOfMatter", text, func(t trial, f *Object) goalTest {
		return verdictOf(f.stuff != nil && (f.state == want || burning && f.burning))
	})
}

func anyMatter() goal {
	return onSame("GoalIsStateOfMatter", "", func(t trial, f *Object) goalTest {
		if f.stuff == nil {
			return unmet
		}
		t.goals.stored = f.state
		return met
	})
}

func otherMatter() goal {
	return onSame("GoalIsDifferentStateOfMatter", "", func(t trial, f *Object) goalTest {
		return verdictOf(f.stuff != nil && f.state != t.goals.stored)
	})
}

func toActivate(name, text string) goal {
	return goal{class: "GoalActivateDevice", text: text, test: func(t trial) goalTest {
		return verdictOf(t.focus != nil && t.focus.isDevice && t.focus.name == name && t.focus.activated)
	}}
}

func connected(source, text string) goal {
	return onSame("GoalElectricallyConnected", text, func(t trial, f *Object) goalTest {
		if f.connectedTo(source) {
			return met
		}
		return failed
	})
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

func inContainer(name, text string) goal {
	return onSame("GoalObjectInContainer", text, func(t trial, f *Object) goalTest {
		return verdictOf(inside(f, func(c *Object) bool { return sameWord(c.name, name) }))
	})
}

func inContainerNot(name, wrong, text string) goal {
	return onSame("GoalObjectInContainerByName", text, func(t trial, f *Object) goalTest {
		if inside(f, func(c *Object) bool { return c.name == wrong }) {
			return failed
		}
		return verdictOf(inside(f, func(c *Object) bool { return sameWord(c.name, name) }))
	})
}

func byTemperature(degrees float64, high, low, text string) goal {
	return onSame("GoalContainerByTemperature", text, func(t trial, f *Object) goalTest {
		if f.stuff == nil || f.container == nil {
			return unmet
		}
		in := f.container.name
		switch {
		case in != high && in != low:
			return unmet
		case in == high && f.temp >= degrees, in == low && f.temp <= degrees:
			return met
		}
		return failed
	})
}

func lifeStage(form, stage, text string) goal {
	return onSame("GoalLifeStage", text, func(t trial, f *Object) goalTest {
		return verdictOf(f.inGroup(aLiving) && f.life.form == form && sameWord(f.stageName(), stage))
	})
}

func newLocation(unless, text string) goal {
	return goal{class: "GoalMoveToNewLocation", text: text, test: func(t trial) goalTest {
		room := t.w.place().name
		switch {
		case room == unless:
			return met
		case !t.state.started:
			t.state.started, t.state.place = true, room
			return unmet
		}
		return verdictOf(room != t.state.place)
	}}
}

func atLocation(room, text string) goal {
	return goal{class: "GoalMoveToLocation", text: text, test: func(t trial) goalTest {
		return verdictOf(t.w.place().name == room)
	}}
}

func openDoor(text string) goal {
	return goal{class: "GoalInRoomWithOpenDoor", text: text, test: func(t trial) goalTest {
		return verdictOf(slices.ContainsFunc(t.w.place().portals.items(), func(p *Object) bool {
			return p.kind == Door && p.open
		}))
	}}
}

func roomHas(name, text string) goal {
	return onScene("GoalInRoomWithObject", text, func(x *Object) bool {
		return sameWord(x.name, name) || strings.ToLower(x.descriptiveName()) == name
	}, always)
}

// alone wants all these things, and no others, in one container.
func alone(names []string, text string) goal {
	return onScene("GoalObjectsInSingleContainer", text, func(x *Object) bool {
		n := 0
		for _, y := range x.contents.items() {
			if y.hidden {
				continue
			}
			if !slices.Contains(names, y.name) && !slices.Contains(names, y.descriptiveName()) {
				return false
			}
			n++
		}
		return n == len(names)
	}, always)
}

func directIn(container, name, text string) goal {
	return onScene("GoalSpecificObjectInDirectContainer", text, func(x *Object) bool {
		return called(x, container) && slices.ContainsFunc(x.contents.items(), func(y *Object) bool {
			return !y.hidden && (y.name == name || y.descriptiveName() == name)
		})
	}, always)
}

func deviceOnGoal(name, text string) goal {
	return onScene("GoalActivateDeviceWithName", text, isCalled(name), func(x *Object) bool {
		return x.isDevice && x.activated
	})
}

func deviceOffGoal(name, text string) goal {
	return onScene("GoalDeactivateDeviceWithName", text, isCalled(name), func(x *Object) bool {
		return x.isDevice && !x.activated
	})
}

func containerOpen(name, text string) goal {
	return onScene("GoalContainerOpen", text, isCalled(name), func(x *Object) bool { return x.isVessel && x.open })
}

func onFire(name, text string) goal {
	return onScene("GoalTemperatureOnFire", text, isCalled(name), func(x *Object) bool { return x.burning })
}

// noTemperature is the stored temperature that counts as none.
const noTemperature = -999

// warmer wants the focus to be warmer than at the first try by some degrees,
// or colder if they are negative.
func warmer(degrees float64, text string) goal {
	class := "GoalTemperatureIncrease"
	if degrees < 0 {
		class = "GoalTemperatureDecrease"
	}
	return goal{class: class, text: text, test: func(t trial) goalTest {
		if t.focus == nil || t.focus.stuff == nil {
			return unmet
		}
		now := t.focus.temp
		if !t.state.started || t.state.degrees == noTemperature {
			t.state.started, t.state.degrees = true, now
		}
		if degrees < 0 {
			return verdictOf(now <= t.state.degrees+degrees)
		}
		return verdictOf(now >= t.state.degrees+degrees)
	}}
}

// stay counts tries, not steps.
func stay(room string, tries int, text string) goal {
	return goal{class: "GoalStayInLocation", text: text, test: func(t trial) goalTest {
		if t.w.place().name != room {
			t.state.count = 0
			return unmet
		}
		t.state.count++
		return verdictOf(t.state.count >= tries)
	}}
}

// past wants an action after the first try.
func past(class, text string, test func(d *deed) bool) goal {
	return goal{class: class, text: text, test: func(t trial) goalTest {
		if !t.state.started {
			t.state.started, t.state.count = true, len(t.w.history)
		}
		for i := range t.w.history[t.state.count:] {
			if test(&t.w.history[t.state.count+i]) {
				return met
			}
		}
		return unmet
	}}
}

func examined(name, text string) goal {
	return past("GoalPastActionExamineObject", text, func(d *deed) bool {
		return d.id == lookAt && called(d.a, name)
	})
}

func usedOn(device, patient, text string) goal {
	return past("GoalPastActionUseObjectOnObject", text, func(d *deed) bool {
		return d.id == useOn && (sameWord(d.a.name, device) || sameWord(d.b.descriptiveName(), patient))
	})
}

func readDocument(name, text string) goal {
	return past("GoalPastActionReadObject", text, func(d *deed) bool {
		return d.id == read && called(d.a, name)
	})
}

// wireTo wants a wire at the first or second terminal of a thing.
func wireTo(name string, second bool, text string) goal {
	i := 0
	if second {
		i = 1
	}
	return onScene("GoalObjectConnectedToWire", text, isCalled(name), func(x *Object) bool {
		if x.terminals[i] == nil {
			return false
		}
		p := x.terminals[i].partner
		return p != nil && p.owner.kind == Wire
	})
}

// neighbours are the parts to which a wire's ends are connected.
func neighbours(wire *Object) []*Object {
	var parts []*Object
	for _, end := range wire.terminals {
		if p := end.partner; p != nil {
			parts = append(parts, p.owner)
		}
	}
	return parts
}

// wireBetween wants a wire whose neighbours pass both tests.
func wireBetween(class, text string, testA, testB func(x *Object) bool) goal {
	return onScene(class, text, func(x *Object) bool { return x.kind == Wire }, func(x *Object) bool {
		parts := neighbours(x)
		return slices.ContainsFunc(parts, testA) && slices.ContainsFunc(parts, testB)
	})
}

func isCalled(name string) func(x *Object) bool {
	return func(x *Object) bool { return called(x, name) }
}

func isSource(x *Object) bool { return x.inGroup(aGenerator) }

func isBulb(x *Object) bool { return x.kind == LightBulb }

// wirePower wants a wire between a thing and a power source, any one if the
// source has no name.
func wirePower(name, source, text string) goal {
	return wireBetween("GoalWireConnectsObjectAndAnyPowerSource", text, isCalled(name), func(x *Object) bool {
		return isSource(x) && (source == "" || called(x, source))
	})
}

func wireBulb(name, text string) goal {
	return wireBetween("GoalWireConnectsObjectAndAnyLightBulb", text, isCalled(name), isBulb)
}

func wirePowerBulb(text string) goal {
	return wireBetween("GoalWireConnectsPowerSourceAndAnyLightBulb", text, isSource, isBulb)
}

// stageAnywhere wants a number of living things of a form in a stage.
func stageAnywhere(form, stage string, n int, text string) goal {
	return goal{class: "GoalLifeStageAnywhere", text: text, test: func(t trial) goalTest {
		found := 0
		for _, x := range t.visible() {
			if x.inGroup(aLiving) && x.life.form == form && sameWord(x.stageName(), stage) {
				found++
			}
		}
		return verdictOf(found >= n)
	}}
}
