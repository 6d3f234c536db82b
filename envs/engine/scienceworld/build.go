package scienceworld

import (
	"cmp"
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
)

//go:embed lists.json
var listsFile []byte

// thingLists are lists of things: what is in the building, and what tasks and accidents choose from.
type thingLists struct {
	Places []struct {
		Name   string
		Kind   ObjectKind
		Things []furnishing // in the order in which the reference makes and adds them (objects §5)
	}
	Inside                        map[ObjectKind][]furnishing // what a thing of a kind is made with
	Doors                         [][2]string
	Tables, Books, Cups           []ObjectKind // one of which is drawn
	Pictures, Subjects, Artists   []string     // likewise
	Lamps, Wires                  []string     // colors, of which three are drawn
	Mixers, Paints                []ObjectKind
	Fruits                        map[string]ObjectKind // by the forms of trees whose flowers become them
	Animals, Trees, UnknownPlants []ObjectKind
	Lifespans                     [3][]ObjectKind // long, medium and short ones
	StagedTrees                   []struct {      // with the seeds of the animals beside them
		Kind ObjectKind
		Seed int
	}
	Parts                   []furnishing // that circuits power
	Renewable, Nonrenewable []ObjectKind
	Tested, Conductors      []ObjectKind // substances to test, and the ones among them that conduct
	Fetched                 []ObjectKind // inputs that tasks do not place: there is some in the building
	Planes                  map[string]*planeSet
	Recipes                 [][]recipe // in three blocks, each for both rooms
	Paintings               []facts    // the inputs and results of both steps
	PaintPlaces             []struct { // where the paints of these are, in cups of a kind
		Kind, Cup ObjectKind
		Name      string
	}
	// MixedPaints are the paints that any mixture of them turns brown, in the order in which they are used up. The
	// reference looks for a green-yellow one, but no paint ever has that name.
	MixedPaints     []string
	Blocks          []ObjectKind    // that slide on planes
	Warmed          []ObjectKind    // things whose temperature is asked for, besides unknown ones
	Changed, Molten []sample        // substances whose state is to change, and whose melting points are asked for
	Sines           map[int]float64 // of the angles in use, Java's: some differ from Go's (processes §14)
}

// lists are made when the first world is.
var lists = sync.OnceValue(func() *thingLists { return table[*thingLists](listsFile) })

// furnishing is a thing of a place.
type furnishing struct {
	Kind    ObjectKind
	Name    string     // if not the kind's
	In      ObjectKind // the last thing of the kind that was made there; without one, the place
	Special string     // what is drawn or belongs together instead of one thing
}

// registryNumbers is how many object numbers the reference's tables of tasks take before a world is made (core §3).
const registryNumbers = 17196

// furnish makes the additional objects that the constructor of a kind makes.
func (w *World) furnish(o *Object) {
	switch o.kind {
	case Ice:
		o.temp = -10
	case InclinedPlane:
		o.plane = &plane{degrees: 45, surface: defaultFriction, positions: map[int32]float64{}}
	case Flower, Pollen:
		o.flower = &flower{}
	}
	if things := lists().Inside[o.kind]; things != nil {
		w.fill(o, things, nil)
	}
	row := &kinds[o.kind]
	if row.Page != nil {
		o.page = new(*row.Page)
	}
	if row.Cycle != "" {
		o.life = &life{form: row.Form}
	}
	w.giveGenes(o)
}

// giveGenes draws the genes of a new plant, or gives it its parents' genes. Every
// unknown plant first draws genes of plant E, which remain unused.
func (w *World) giveGenes(o *Object) {
	if kinds[o.kind].Traits == nil {
		return
	}
	if o.kind != PeaPlant {
		w.randomGenes(RandomGeneticsPlantsE)
	}
	if o.genes = w.presetGenes; o.genes == nil {
		o.genes = w.randomGenes(o.kind)
	}
}

// newNamed makes an object of a kind with a name of its own.
func (w *World) newNamed(k ObjectKind, name string) *Object {
	o := w.new(k)
	o.name = name
	return o
}

// newPortal makes a door or drain between two places.
func (w *World) newPortal(k ObjectKind, src, dst *Object) *Object {
	o := w.new(k)
	o.door = &door{src: src, dst: dst}
	o.open = k == LiquidDrain
	return o
}

// newTap makes a sink, bathtub or toilet that drains into a place.
func (w *World) newTap(k ObjectKind, sewer *Object) *Object {
	o := w.new(k)
	o.portals.append(w.newPortal(LiquidDrain, o, sewer))
	if k == Toilet {
		w.put(w.new(Water), o)
	}
	return o
}

// newPlane makes an inclined plane.
func (w *World) newPlane(degrees int, surface *material, extra string) *Object {
	o := w.new(InclinedPlane)
	o.plane.degrees, o.plane.surface, o.plane.extra = degrees, surface, extra
	return o
}

// newRecipe makes a recipe for a product.
func (w *World) newRecipe(product string, things []string) *Object {
	o := w.new(Recipe)
	o.page.Title = "instructions to make " + product
	o.page.Text = "To make " + product + ", you need to mix " + strings.Join(things, ", ") + "."
	return o
}

// newUnknownThermal makes an unknown substance with a melting point of its own.
func (w *World) newUnknownThermal(letter rune) *Object {
	o := w.new(UnknownSubstanceThermal)
	o.stuff = materials["unknown substance "+string(letter)]
	o.state = o.stateAt(o.temp)
	o.name = o.stuff.Names[o.state]
	return o
}

// randomCup puts something into a container that is drawn. It also makes a wood cup and discards it.
func (w *World) randomCup(content *Object) *Object {
	n := w.random.intn(len(lists().Cups))
	w.new(WoodCup)
	cup := w.new(lists().Cups[n])
	cup.open = true
	cup.temp = content.temp
	w.put(content, cup)
	return cup
}

func drawn[T any](w *World, list []T) T { return list[w.random.intn(len(list))] }

// newShelf makes a shelf with up to three books.
func (w *World) newShelf() *Object {
	n := w.random.intn(4)
	shelf := w.new(BookShelf)
	for range n {
		k := w.random.intn(10)
		for k >= len(lists().Books) {
			k = w.random.intn(10)
		}
		w.put(w.new(lists().Books[k]), shelf)
	}
	return shelf
}

// build makes the universe with its ten places, sewer and agent. The generator has been seeded.
func (w *World) build() {
	w.universe = w.newNamed(Universe, "universe")
	sewer := w.newNamed(Sewer, "sewer")
	w.put(sewer, w.universe)
	places := map[string]*Object{}
	for _, p := range lists().Places {
		o := w.newNamed(p.Kind, p.Name)
		places[p.Name] = o
		w.fill(o, p.Things, sewer)
		w.put(o, w.universe)
	}
	shovel := w.new(Shovel)
	w.put(shovel, places[[...]string{"outside", "greenhouse"}[w.random.intn(2)]])
	for _, ends := range lists().Doors {
		src, dst := places[ends[0]], places[ends[1]]
		d := w.newPortal(Door, src, dst)
		src.portals.append(d)
		dst.portals.append(d)
	}
	w.agent = w.new(Agent)
	w.inventory = w.agent.contents.items()[2]
	w.put(w.agent, places[drawn(w, slices.Sorted(maps.Keys(places)))])
}

// fill fills a place. Things are made in the order in which the reference makes them, which decides their numbers.
func (w *World) fill(place *Object, things []furnishing, sewer *Object) {
	built := map[ObjectKind]*Object{0: place}
	for _, t := range things {
		if t.Special != "" {
			w.addSpecial(built[t.In], t.Special)
			continue
		}
		var o *Object
		switch t.Kind {
		case Sink, Toilet, Bathtub:
			o = w.newTap(t.Kind, sewer)
		default:
			o = w.new(t.Kind)
		}
		o.name = cmp.Or(t.Name, o.name)
		w.put(o, built[t.In])
		built[t.Kind] = o
	}
}

// addSpecial adds what is drawn or belongs together.
func (w *World) addSpecial(c *Object, special string) {
	switch special {
	case "picture":
		o := w.newNamed(Picture, drawn(w, lists().Pictures))
		o.page.Title, o.page.Author = drawn(w, lists().Subjects), drawn(w, lists().Artists)
		w.put(o, c)
	case "table":
		w.put(w.new(drawn(w, lists().Tables)), c)
	case "shelf":
		if w.random.boolean() {
			w.put(w.newShelf(), c)
		}
	case "lamps and wires":
		lamps, wires := w.shuffledColors(lists().Lamps), w.shuffledColors(lists().Wires)
		for _, color := range lamps[:3] {
			w.put(w.newNamed(LightBulb, color+" light bulb"), c)
		}
		for _, color := range wires[:3] {
			w.put(w.newNamed(Wire, color+" wire"), c)
		}
	case "mixer":
		w.put(w.newMixers()[0], c)
	case "paints":
		for _, paint := range w.newAll(lists().Paints) {
			cup := w.new(WoodCup)
			w.put(cup, c)
			w.put(paint, cup)
		}
	}
}

func (w *World) shuffledColors(colors []string) []string {
	colors = slices.Clone(colors)
	shuffle(&w.random, colors)
	return colors
}

// newMixers makes things to mix in, in an order that is drawn.
func (w *World) newMixers() []*Object {
	mixers := w.newAll(lists().Mixers)
	shuffle(&w.random, mixers)
	return mixers
}

// newAll makes an object of each kind.
func (w *World) newAll(ks []ObjectKind) (out []*Object) {
	for _, k := range ks {
		out = append(out, w.new(k))
	}
	return out
}
