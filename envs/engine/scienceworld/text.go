package scienceworld

import (
	"slices"
	"strconv"
	"strings"
)

const hiddenText = "<ERROR: attempting to view hidden object>"

// describe tells what an object looks like: in one line of a list, or in detail
// (objects §3). Portals look as seen from a place; nil is none.
func (o *Object) describe(place *Object, detailed bool) string {
	d := o.descriptiveName()
	switch kinds[o.kind].Text {
	case "holder":
		if o.contents.len()+o.portals.len() == 0 {
			return "an empty " + d
		}
		return "a " + d + " (containing " + oneLine(o.contentsAndPortals(), place) + ")"
	case "seat":
		return "a " + d + ". On the " + d + " is: " + oneLine(o.contentsAndPortals(), place) + "."
	case "top":
		if detailed {
			return "a " + d + ". On the " + d + " is: \n" + lines(o.contents.items(), place, false)
		}
		return "a " + d + ". On the " + d + " is: " + oneLine(o.contents.items(), place) + "."
	case "doored":
		return o.describeDoored(d, place, detailed)
	case "drawer":
		switch {
		case !detailed:
			return "a " + d
		case !o.open:
			return "a " + d + ".  The drawer is closed."
		}
		return "a " + d + ". In the " + d + " is: \n" + lines(o.contents.items(), place, false)
	case "hob":
		hob := "stove"
		if o.kind == HotPlate {
			hob = "hot plate"
		}
		return "a " + o.name + ", which is turned " + onOff(o.activated) + ". On the " + hob + " is: " +
			oneLine(o.contentsAndPortals(), place) + "."
	case "oven":
		s := "a " + d + ", which is turned " + onOff(o.activated) + ". The " + d + " door is " +
			openClosed(o.open) + ". "
		switch {
		case !o.open:
			return s
		case detailed:
			return s + "In the " + d + " is: \n" + lines(o.contentsAndPortals(), place, false)
		}
		return s + "In the " + d + " is: " + oneLine(o.contentsAndPortals(), place) + "."
	case "freezer":
		s := "a " + d
		if !o.activated {
			s += ", which is turned off"
		}
		s += ". The " + d + " door is " + openClosed(o.open) + ". "
		if o.open {
			s += "In the " + d + " is: " + oneLine(o.contentsAndPortals(), place) + "."
		}
		return s
	case "tap":
		s := "a " + d + ", which is turned " + onOff(o.activated) + ". In the " + d + " is: " +
			oneLine(o.contents.items(), place) + "."
		if detailed {
			for _, p := range o.portals.items() {
				s += " The " + p.name + " is " + openClosed(p.open) + "."
			}
		}
		return s
	case "toilet":
		s := "a " + d
		if o.count > 0 {
			s += ", which is flushing"
		}
		s += ". "
		if o.contents.len()+o.portals.len() > 0 {
			// the drain too, wherever one looks from
			s += "In the " + d + " is: " + oneLine(o.contentsAndPortals(), o) + "."
		}
		return s
	case "thermometer":
		return "a " + d + ", currently reading a temperature of " + degrees(o.temp) + " degrees celsius"
	case "stopwatch":
		s := "a " + d + ", which is deactivated. "
		if o.activated {
			s = "a " + d + ", which is activated. "
		}
		if detailed {
			s += "The time reads " + strconv.Itoa(o.display) + " ticks."
		}
		return s
	case "document":
		return "A " + d + " titled " + o.page.Title
	case "paper":
		if o.page.Title != "" {
			return "A " + d + " titled " + o.page.Title
		}
		return "A blank " + d
	case "book":
		return "A " + d + " titled " + o.page.Title + " by " + o.page.Author
	case "terminal":
		if detailed {
			return "a " + d + ".  it is connected to: " + o.connection() + ". "
		}
		return "a " + d + " on " + o.owner.name
	case "battery", "component":
		s := "a " + d
		if o.kind != Battery {
			s += ", which is " + onOff(o.activated)
		}
		if detailed {
			s += ". its anode is connected to: " + o.terminals[0].connection() + ". its cathode is connected to: " +
				o.terminals[1].connection() + ". "
		}
		return s
	case "wire":
		s := "a " + d
		if detailed {
			s += "its terminal 1 is connected to: " + o.terminals[0].connection() +
				". its terminal 2 is connected to: " + o.terminals[1].connection() + ". "
		}
		return s
	case "plane":
		return o.describePlane(d)
	case "portal":
		return o.describePortal(place)
	case "picture":
		if detailed {
			return "a " + d + " of " + o.page.Title + ".  The artist is listed as " + o.page.Author + ". "
		}
		return "a " + d
	case "location":
		return "A " + d + ". In this location, you see: " + lines(o.contentsAndPortals(), place, false) + "."
	case "universe":
		return "A " + d + ". In this Universe, you see: " + lines(o.contentsAndPortals(), place, false) + "."
	case "room":
		return "This room is called the " + d + ". In it, you see: \n" + lines(o.contents.items(), o, false) +
			"You also see:\n" + portalLines(o.portals.items(), o)
	case "outside":
		return "This outside location is called the " + d + ". Here you see: \n" + lines(o.contents.items(), o, false) +
			"You also see:\n" + portalLines(o.portals.items(), o)
	case "animal":
		s := "a " + d
		if !o.life.dead && o.life.sickly {
			s += " (that looks unwell)"
		}
		return s
	case "bee":
		return o.describeBee(d, detailed)
	case "plant":
		return o.describePlant(place)
	case "flower":
		return o.describeFlower(d, place, detailed)
	case "pollen":
		if detailed {
			return o.flower.plant.life.form + d
		}
		return d
	}
	return o.fill(kinds[o.kind].Desc)
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

func (o *Object) describeDoored(d string, place *Object, detailed bool) string {
	s := "a " + d + ". The " + d + " door is " + openClosed(o.open) + ". "
	switch {
	case !o.open:
		return s
	case detailed:
		return s + "In the " + d + " is: \n" + lines(o.contents.items(), place, false)
	}
	return s + "In the " + d + " is: " + oneLine(o.contents.items(), place) + "."
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

func (o *Object) describePlane(d string) string {
	s := "an " + d
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

func (o *Object) describeBee(d string, detailed bool) string {
	if o.life.dead {
		return "a dead " + d
	}
	s := "a " + d
	if o.life.sickly {
		s += " (that looks unwell)"
	}
	if detailed && len(o.carriedPollen()) > 0 {
		s += ", that is covered in pollen"
	}
	return s
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

func (o *Object) describeFlower(d string, place *Object, detailed bool) string {
	s := "a "
	if o.flower.step > 0 {
		s += "wilting "
	}
	g := o.flower.plant.genes
	s += words(g.value("flower size"), g.value("flower color")) + " " + d
	if detailed {
		s += ". Inside the flower is: " + oneLine(visible(o.contents.items()), place)
	}
	return squeezeBlanks(s)
}

// byName sorts objects by name, keeps the order of equal names, and drops hidden
// objects.
func byName(xs []*Object) []*Object {
	out := make([]*Object, 0, len(xs))
	for _, x := range xs {
		if !x.hidden {
			out = append(out, x)
		}
	}
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
