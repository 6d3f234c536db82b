package scienceworld

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
)

const hiddenText = "<ERROR: attempting to view hidden object>"

// portrayal is how things of a kind are described: in one line of a list, or in detail if that has a text of its own.
// Other texts replace these of closed things, and of things with nothing in them.
type portrayal struct {
	Line, Detail, Closed, ClosedDetail, Empty string
	FromInside                                bool // portals look as seen from the thing itself
}

//go:embed texts.json
var textsFile []byte

// describe tells what an object looks like: in one line of a list, or in detail
// (objects §3). Portals look as seen from a place; nil is none.
func (o *Object) describe(place *Object, detailed bool) string {
	p := &kinds[o.kind].portrayal
	if p.FromInside {
		place = o
	}
	switch {
	case !o.open && detailed && p.ClosedDetail != "":
		return o.fill(p.ClosedDetail, place)
	case !o.open && p.Closed != "":
		return o.fill(p.Closed, place)
	case p.Empty != "" && o.contents.len()+o.portals.len() == 0:
		return o.fill(p.Empty, place)
	case detailed && p.Detail != "":
		return o.fill(p.Detail, place)
	}
	return o.fill(p.Line, place)
}

// fill fills the slots of a text, seen from a place.
func (o *Object) fill(text string, place *Object) string {
	return fill(text, func(slot string) string { return o.slot(slot, place) })
}

// fill fills the slots of a text, which are in braces.
func fill(s string, value func(slot string) string) string {
	text, rest, found := strings.Cut(s, "{")
	if !found {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 32)
	for found {
		var slot string
		slot, rest, _ = strings.Cut(rest, "}")
		b.WriteString(text)
		b.WriteString(value(slot))
		text, rest, found = strings.Cut(rest, "{")
	}
	b.WriteString(text)
	return b.String()
}

// slot is what stands for a slot: for most, a name or what is in the thing.
func (o *Object) slot(slot string, place *Object) string {
	switch slot {
	case "n":
		return o.name
	case "d":
		return o.descriptiveName()
	case "m":
		return o.stuff.Substance
	case "t":
		return o.dn(o.page.Title)
	case "title", "subject":
		return o.page.Title
	case "author":
		return o.page.Author
	case "text":
		return o.page.Text
	case "parent":
		return o.owner.name
	case "form":
		return o.flower.plant.life.form
	case "all":
		return oneLine(o.contentsAndPortals(), place)
	case "all lines":
		return lines(o.contentsAndPortals(), place, false)
	case "inside":
		return oneLine(o.contents.items(), place)
	case "inside lines":
		return lines(o.contents.items(), place, false)
	case "portals":
		return portalLines(o.portals.items(), place)
	case "portal":
		return o.describePortal(place)
	case "plant":
		return o.describePlant(place)
	case "flower", "flower in detail":
		return o.describeFlower(place, slot != "flower")
	}
	if name, ok := strings.CutPrefix(slot, "d:"); ok {
		return o.dn(name)
	}
	return o.condition(slot)
}

// condition is a slot about how a thing is at the moment.
func (o *Object) condition(slot string) string {
	unless := func(condition bool, text string) string {
		if condition {
			return ""
		}
		return text
	}
	switch slot {
	case "on":
		return onOff(o.activated)
	case "turned off":
		return unless(o.activated, ", which is turned off")
	case "de":
		return unless(o.activated, "de")
	case "ticks":
		return strconv.Itoa(o.display)
	case "degrees":
		return degrees(o.temp)
	case "flushing":
		return unless(o.count == 0, ", which is flushing")
	case "drains":
		s := ""
		for _, p := range o.portals.items() {
			s += " The " + p.name + " is " + openClosed(p.open) + "."
		}
		return s
	case "blank":
		return unless(o.page.Title != "", "blank ")
	case "titled":
		return unless(o.page.Title == "", " titled "+o.page.Title)
	case "partner":
		return o.connection()
	case "partner 1":
		return o.terminals[0].connection()
	case "partner 2":
		return o.terminals[1].connection()
	case "lying":
		return o.onPlane()
	case "dead":
		return unless(!o.life.dead, "dead ")
	case "unwell":
		return unless(o.life.dead || !o.life.sickly, " (that looks unwell)")
	}
	return unless(o.life.dead || len(o.carriedPollen()) == 0, ", that is covered in pollen") // covered
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func openClosed(open bool) string {
	if open {
		return "open"
	}
	return "closed"
}

func (o *Object) describePortal(place *Object) string {
	if place == nil {
		return portalReferent
	}
	if o.kind == LiquidDrain {
		return "A " + o.name + ", which is " + openClosed(o.open)
	}
	if far := o.leadsTo(place); far != nil {
		return "A " + o.name + " to the " + far.name + " (that is " + openClosed(o.open) + ")"
	}
	return "A " + o.name + " that connects the " + o.door.src.name + " to the " + o.door.dst.name + " (that is " +
		openClosed(o.open) + ")"
}

// connection tells what a terminal is connected to.
func (o *Object) connection() string {
	if o.partner == nil {
		return "nothing"
	}
	return o.partner.describe(nil, false)
}

// planeName is the descriptive name of an inclined plane.
func (o *Object) planeName() string {
	s := o.name + " " + o.plane.extra
	if o.plane.surface != defaultFriction {
		s += " with a " + o.plane.surface.Substance + " surface"
	}
	return o.dn(squeezeBlanks(s))
}

// onPlane tells what lies on an inclined plane.
func (o *Object) onPlane() string {
	s := ""
	for i, x := range o.visibleAndVisiblePortals() {
		if i == 0 {
			s += ", with: "
		} else {
			s += ","
		}
		s += " a " + x.descriptiveName()
		p, placed := o.plane.positions[x.id]
		switch {
		case !placed:
		case p == 0:
			s += " at the bottom of the plane"
		case p >= topOfPlane:
			s += " at the top of the plane"
		default:
			s += " approximately " + degrees(100-float64(100*p)) + "% down the plane"
		}
	}
	return s
}

// topOfPlane is the reference's 32-bit constant.
const topOfPlane = 0.9900000095367432

func (o *Object) visibleAndVisiblePortals() []*Object {
	var l listing
	l.addAll(visible(o.contents.items()))
	l.addAll(visible(o.portals.items()))
	return l.items()
}

func (o *Object) describePlant(place *Object) string {
	p := o.plantName()
	switch {
	case o.life.dead:
		return "a dead " + p
	case o.life.stage == seed && o.genes == nil:
		return "a " + p
	case o.life.stage == seed:
		return "a " + o.traits() + " " + p
	}
	s := "a " + p + " in the " + o.stageName() + " stage" + o.traits()
	if o.life.sickly {
		s += " (that looks unwell)"
	}
	if inside := visible(o.contents.items()); len(inside) > 0 {
		s += ". On the " + p + " you see: " + oneLine(inside, place) + ". "
	}
	return s
}

func (o *Object) describeFlower(place *Object, detailed bool) string {
	s := "a "
	if o.flower.step > 0 {
		s += "wilting "
	}
	g := o.flower.plant.genes
	s += words(g.value("flower size"), g.value("flower color")) + " " + o.descriptiveName()
	if detailed {
		s += ". Inside the flower is: " + oneLine(visible(o.contents.items()), place)
	}
	return squeezeBlanks(s)
}

// byName sorts objects by name, keeps the order of equal names, and drops hidden objects.
func byName(xs []*Object) []*Object {
	out := only(xs, func(x *Object) bool { return !x.hidden })
	slices.SortStableFunc(out, func(a, b *Object) int { return strings.Compare(a.name, b.name) })
	return out
}

// oneLine is the list L of objects §1.5.
func oneLine(xs []*Object, place *Object) string {
	xs = byName(xs)
	if len(xs) == 0 {
		return "nothing"
	}
	var b strings.Builder
	for i, x := range xs {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(x.describe(place, false))
	}
	return b.String()
}

// lines is the list M of objects §1.5.
func lines(xs []*Object, place *Object, detailed bool) string {
	xs = byName(xs)
	if len(xs) == 0 {
		return "\tnothing"
	}
	var b strings.Builder
	for _, x := range xs {
		b.WriteString("\t" + x.describe(place, detailed) + "\n")
	}
	return b.String()
}

// portalLines is the list PL of objects §1.5.
func portalLines(ps []*Object, place *Object) string {
	var texts []string
	for _, p := range ps {
		if !p.hidden {
			texts = append(texts, p.describe(place, false))
		}
	}
	if len(texts) == 0 {
		return "\tnothing"
	}
	slices.Sort(texts)
	var b strings.Builder
	for _, t := range slices.Compact(texts) {
		b.WriteString("\t" + t + "\n")
	}
	return b.String()
}

// degrees prints a number without decimals as Java does: rounded half up on its
// decimal digits, with the sign even of zero (objects §3.6).
func degrees(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	integer, fraction, _ := strings.Cut(s, ".")
	if fraction == "" || fraction[0] < '5' {
		return integer
	}
	sign := ""
	if integer[0] == '-' {
		sign, integer = "-", integer[1:]
	}
	n, err := strconv.ParseInt(integer, 10, 64)
	if err != nil { // more digits than any temperature has
		return sign + integer
	}
	return sign + strconv.FormatInt(n+1, 10)
}
