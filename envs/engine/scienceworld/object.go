package scienceworld

// Object is one thing in a world: a room, a cup, a terminal of a battery. It belongs to one World.
//
// Most objects are terminals, so what terminals lack stands apart.
type Object struct {
	id    int32 // the reference's number of the object
	index int32 // by order of creation in this world
	kind  ObjectKind

	hidden  bool
	deleted bool
	ticked  bool
	live    bool // a terminal that has a voltage

	name      string // changes with state, stage and fire
	container *Object

	// What terminals have (processes §7); owner is nil for other things.
	owner   *Object
	partner *Object // the connected terminal
	voltage float64

	refs *refList // what it is called by itself; nil until it is asked for, and after a change
	*body
}

// body is what things have that are not terminals. Terminals share one, noBody, and nobody writes to it.
type body struct {
	contents set
	portals  set // doors and drains

	movable bool
	edible  bool

	// The container property.
	isVessel bool // has it
	holds    bool // its flag for containers
	open     bool // also of portals
	closable bool

	// The device property.
	isDevice  bool
	activable bool
	activated bool
	usable    bool
	broken    bool

	// Matter; stuff is nil for things without a material.
	stuff   *material
	temp    float64
	state   phase
	burning bool
	burned  bool
	fuel    int // ticks that it can still burn

	// terminals are terminal 1 and 2, or anode and cathode; nil for terminals.
	terminals [2]*Object

	// What only some kinds have.
	door    *door
	page    *document
	life    *life
	genes   *genes // of plants with genes
	flower  *flower
	plane   *plane
	count   int // stopwatch: ticks counted; toilet: stage of the flush
	display int // stopwatch: the ticks that it shows

	lists *placeLists // nil: none were made
	inner uint32      // counts what is moved in it, at any depth
}

// noBody is the body of terminals.
var noBody body

func (o *Object) isTerminal() bool { return o.owner != nil }

// door has the two ends of a portal.
type door struct{ src, dst *Object }

// document is the text of documents and pictures. The title of a sandwich is its first name.
type document struct{ Title, Author, Text string }

// The voltages (processes §7.1).
const (
	ground  = 0.0
	powered = 9.0
)

func (o *Object) inGroup(g kindSet) bool { return kinds[o.kind].Groups&g != 0 }

// new makes an object of a kind, with the numbers and members that the
// reference's constructor takes and makes (objects §2).
func (w *World) new(k ObjectKind) *Object {
	row := &kinds[k]
	o := &Object{kind: k, name: row.Name, index: w.created, body: &body{movable: !row.Fixed, edible: row.Edible}}
	w.created++
	polarized := row.Groups&aPolarized != 0
	if polarized {
		o.id = w.number()
		o.terminals = [2]*Object{w.newTerminal(Anode, "anode", o), w.newTerminal(Cathode, "cathode", o)}
	} else {
		o.terminals = [2]*Object{w.newTerminal(Terminal, "terminal 1", o), w.newTerminal(Terminal, "terminal 2", o)}
		o.id = w.number()
		hidden := row.Groups&aWire == 0
		o.terminals[0].hidden, o.terminals[1].hidden = hidden, hidden
	}
	o.contents = set{append(make([]*Object, 0, leastChain), o.terminals[:]...), firstCapacity}
	o.terminals[0].container, o.terminals[1].container = o, o
	if row.Stuff != "" {
		o.makeOf(materials[row.Stuff])
	}
	o.setVessel(row.Vessel)
	o.setDevice(row.Device)
	w.furnish(o)
	return o
}

func (w *World) newTerminal(k ObjectKind, name string, owner *Object) *Object {
	t := &Object{kind: k, name: name, index: w.created, id: w.number(), owner: owner, body: &noBody}
	w.created++
	return t
}

// number takes the next object number.
func (w *World) number() int32 {
	w.numbers++
	return w.numbers
}

// makeOf gives the object a material, as new.
func (o *Object) makeOf(m *material) {
	o.stuff, o.state, o.temp, o.fuel = m, m.State, defaultStart, burnTicks
	if m.Start != 0 {
		o.temp = m.Start
	}
	if m == materials["ash"] {
		o.fuel, o.burned = 0, true
	}
}

func (o *Object) setVessel(v string) {
	switch v {
	case "open":
		o.isVessel, o.holds, o.open, o.closable = true, true, true, false
	case "closed":
		o.isVessel, o.holds, o.open, o.closable = true, true, false, true
	case "none":
		o.isVessel, o.holds, o.open, o.closable = true, false, false, false
	}
}

func (o *Object) setDevice(d string) {
	o.isDevice = d != ""
	o.activable = d == "off" || d == "on"
	o.activated = d == "on" || d == "running"
	o.usable = d == "tool"
}

// dn is the descriptive name for a text: the text with the words of fire (objects §1.4).
func (o *Object) dn(base string) string {
	switch {
	case o.burning:
		return base + " (on fire)"
	case o.burned:
		return "burned " + base
	}
	return base
}

// descriptiveName is DN, the name that many texts use.
func (o *Object) descriptiveName() string {
	switch {
	case o.door != nil:
		return "door between " + o.door.src.name + " and " + o.door.dst.name
	case o.plane != nil:
		return o.planeName()
	case o.inGroup(aAnimal):
		return o.dn(o.canonicalName())
	}
	return o.dn(o.name)
}

// leadsTo is the place to which a portal leads, seen from a place; nil if it does not say.
func (o *Object) leadsTo(place *Object) *Object {
	_, far := o.sides(place)
	return far
}

// sides are the side of a portal that belongs to a place, and the other one.
func (o *Object) sides(p *Object) (own, far *Object) {
	d := o.door
	switch {
	case p == nil:
		return nil, nil
	case p == d.src || p != d.dst && d.src.container == p:
		return d.src, d.dst
	case p == d.dst || d.dst.container == p:
		return d.dst, d.src
	}
	return nil, nil
}

// put adds an object to a container: it leaves its old one and becomes the last of the new one (core §5.2).
func (w *World) put(x, c *Object) {
	if x == c {
		return
	}
	w.take(x)
	c.contents.append(x)
	x.container = c
	w.moved(x, c)
	if c.plane != nil {
		c.plane.positions[x.id] = 1
	}
}

// take removes an object from its container, if it has one.
func (w *World) take(x *Object) {
	c := x.container
	if c == nil || !c.contents.remove(x) {
		return
	}
	x.container = nil
	w.moved(x, c)
}

// putAll moves all contents, hidden ones too.
func (w *World) putAll(src, dst *Object) {
	for _, x := range src.contents.items() {
		w.put(x, dst)
	}
}

// delete deletes an object; if expel is set, what is inside moves to the container (core §5.6).
func (w *World) delete(o *Object, expel bool) {
	if expel && o.container != nil {
		w.putAll(o, o.container)
	}
	o.disconnect()
	w.take(o)
	w.rename(o, o.name+" (deleted)")
	o.deleted = true
}

// disconnect ends the connections of both terminals, on both sides.
func (o *Object) disconnect() {
	for _, t := range o.terminals {
		if t != nil && t.partner != nil {
			t.partner.partner = nil
			t.partner = nil
		}
	}
}

// connected reports whether something is connected to the object.
func (o *Object) connected() bool {
	for _, t := range o.terminals {
		if t != nil && t.partner != nil {
			return true
		}
	}
	return false
}

// rename gives an object another name.
func (w *World) rename(o *Object, name string) {
	if o.name != name {
		o.name = name
		w.renamed(o)
	}
}
