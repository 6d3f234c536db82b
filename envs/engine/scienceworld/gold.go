package scienceworld

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// GoldPath is the reference's own solution of a variation: the inputs of a script that plays in a world of its own
// (tasks §7). Some of them fail. It returns an error if the variation does not exist, or if the script ends in an
// exception of the reference.
func GoldPath(task string, variation int, simplifications string) ([]string, error) {
	return goldPath(task, variation, simplifications, tours{})
}

// goldPath makes a solution with the known tours, and adds the tours that it
// makes. In the reference, tours stay known as long as its process lives.
func goldPath(name string, number int, simplifications string, memo tours) (path []string, err error) {
	w := New()
	if trouble := w.Load(name, number, simplifications); trouble != "" {
		return nil, errors.New("sciworld: " + trouble)
	}
	i := findTaskNamed(name)
	w.describe(&registry()[i]) // the reference sets the goals up again, which can draw
	p := &player{w: w, tours: memo}
	defer func() {
		if r := recover(); r != nil {
			text, ok := r.(javaError)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("sciworld: the solution of %s/%d ends in an exception of the reference: %s", name,
				number, text)
		}
	}()
	plays[w.variation.task].solve(p, &w.variation)
	return p.inputs, nil
}

// player plays a script (tasks §7.2).
type player struct {
	w      *World
	inputs []string // the inputs so far
	tours  tours
}

// say plays an input and answers questions with the first choice.
func (p *player) say(format string, args ...any) {
	input := fmt.Sprintf(format, args...)
	for {
		p.inputs = append(p.inputs, input)
		p.w.Step(input)
		if p.w.choices == nil {
			return
		}
		input = "0"
	}
}

// look looks around.
func (p *player) look() { p.say("look around") }

// wait says "wait1" some times.
func (p *player) wait(times int) {
	for range times {
		p.say("wait1")
	}
}

// lookUp finds a unique referent of an object among all below a root.
func (p *player) lookUp(x, root *Object) (string, bool) {
	for _, n := range p.w.unique(descendants(root, true, true), root) {
		if n.object == x {
			return n.text, true
		}
	}
	return "", false
}

// u is a unique referent of an object here. It may draw.
func (p *player) u(x *Object) string {
	text, ok := p.lookUp(x, p.w.place())
	if !ok {
		panic(javaError("java.lang.RuntimeException: no unique referent"))
	}
	return text
}

// isNamed reports whether a thing has the name, apart from case and white space.
func isNamed(x *Object, name string) bool {
	name = strings.ToLower(javaTrim(name))
	return strings.ToLower(javaTrim(x.name)) == name || strings.ToLower(javaTrim(x.descriptiveName())) == name
}

// reach lists what is accessible in a place and has a name.
func (p *player) reach(name string, root *Object) []*Object {
	return only(accessibleContents(root, true, true), func(x *Object) bool { return isNamed(x, name) })
}

// nearby lists what is accessible here and has a name.
func (p *player) nearby(name string) []*Object { return p.reach(name, p.w.place()) }

// locate lists what is below a place, in closed containers too, and has a name.
func (p *player) locate(name string, root *Object) []*Object {
	return only(descendants(root, true, false), func(x *Object) bool { return isNamed(x, name) })
}

// first is the first of some objects. The script requires it.
func first(xs []*Object) *Object {
	if len(xs) == 0 {
		panic(javaError("java.lang.IndexOutOfBoundsException: 0"))
	}
	return xs[0]
}

// ofKind lists what is accessible in a place, not hidden, and of some kind.
func (p *player) ofKind(root *Object, test func(x *Object) bool) []*Object {
	return only(accessibleContents(root, false, true), test)
}

// kindsHere lists what is accessible here and of one of the kinds.
func (p *player) kindsHere(ks ...ObjectKind) []*Object {
	return p.ofKind(p.w.place(), func(x *Object) bool { return slices.Contains(ks, x.kind) })
}

// isEmpty reports whether nothing visible is in a thing.
func isEmpty(x *Object) bool { return len(visible(x.contents.items())) == 0 }

// emptyCup is the first cup here with nothing in it; nil if there is none.
func (p *player) emptyCup() *Object {
	return head(p.ofKind(p.w.place(), func(x *Object) bool { return x.inGroup(aCup) && isEmpty(x) }))
}

// shuffled is a copy in an order that is drawn.
func (p *player) shuffled(xs []*Object) []*Object {
	xs = slices.Clone(xs)
	shuffle(&p.w.random, xs)
	return xs
}

// byID sorts by number.
func byID(xs []*Object) []*Object {
	xs = slices.Clone(xs)
	slices.SortFunc(xs, func(a, b *Object) int { return cmp.Compare(a.id, b.id) })
	return xs
}

// openRandom opens some closed container here and reports whether there was one.
func (p *player) openRandom() bool {
	for _, x := range p.shuffled(accessibleContents(p.w.place(), false, true)) {
		if x.isVessel && x.closable && !x.open {
			p.say("open %s", p.u(x))
			return true
		}
	}
	return false
}

// waterIn is the water in a thing; nil if there is none.
func (p *player) waterIn(c *Object) *Object {
	return head(p.ofKind(c, func(x *Object) bool { return x.kind == Water }))
}

// water gets water into a cup that is carried, or into an empty one here.
func (p *player) water(carried *Object) (cup, water *Object, ok bool) {
	cup = carried
	if cup == nil {
		if cup = p.emptyCup(); cup == nil {
			return nil, nil, false
		}
	}
	back := func() {
		if carried != nil {
			p.say("pick up %s", p.u(cup))
		}
	}
	if sinks := p.kindsHere(Sink); len(sinks) > 0 {
		s := sinks[0]
		p.say("move %s to %s", p.u(cup), p.u(s))
		p.say("activate %s", p.u(s))
		p.say("deactivate %s", p.u(s))
		if x := p.waterIn(cup); x != nil {
			back()
			return cup, x, true
		}
	}
	for _, x := range p.kindsHere(Water) {
		p.say("dunk %s into %s", p.u(cup), p.u(x.container))
		if p.waterIn(cup) != nil {
			back()
			return cup, x, true
		}
	}
	back()
	return nil, nil, false
}

// waterAnywhere gets water here or on a tour.
func (p *player) waterAnywhere(carried *Object) (cup, water *Object, ok bool) {
	if cup, water, ok = p.water(carried); ok {
		return cup, water, true
	}
	for _, l := range p.tour() {
		if cup, water, ok = p.water(carried); ok {
			return cup, water, true
		}
		p.walk(l)
		p.look()
	}
	return p.water(carried)
}

// uncover opens containers until something of a name is accessible, or nothing is left to open.
func (p *player) uncover(name string, rounds int) {
	opened := true
	for range rounds {
		if len(p.nearby(name)) > 0 || !opened {
			return
		}
		opened = p.openRandom()
	}
}

// search looks for something of a name here, then on a tour; nil if there is none.
func (p *player) search(name string, rounds int) *Object {
	if p.uncover(name, rounds); len(p.nearby(name)) == 0 {
		for _, l := range p.tour() {
			if len(p.nearby(name)) > 0 {
				break
			}
			p.walk(l)
			p.look()
		}
	}
	return head(p.nearby(name))
}

// isSolid reports whether a thing is solid, or of no matter at all.
func isSolid(x *Object) bool { return x.stuff == nil || x.state == solid }
