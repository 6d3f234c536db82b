package scienceworld

import "slices"

// registryNumbers is how many object numbers the reference's tables of tasks take
// before a world is made (core §3).
const registryNumbers = 17196

// furnish makes the additional objects that the constructor of a kind makes.
func (w *World) furnish(o *Object) {
	in := func(c *Object, ks ...ObjectKind) *Object {
		for _, k := range ks {
			x := w.new(k)
			w.put(x, c)
			c = x
		}
		return c
	}
	switch o.kind {
	case Agent:
		in(o, InventoryContainer, Orange)
	case Bed:
		in(o, Mattress, Pillow)
	case Couch:
		in(o, Pillow)
	case Counter, Cupboard, Desk:
		in(o, Drawer)
	case Room:
		in(o, Air).temp = airTemp
	case Outside:
		in(o, Air).temp = airTemp
		in(o, Ground)
	case Ice:
		o.temp = -10
	case InclinedPlane:
		o.plane = &plane{degrees: 45, surface: defaultFriction, positions: map[int32]float64{}}
	case Sandwich, Recipe, Paper, ColoredPaper, Document, Picture:
		o.page = &document{}
	case Flower, Pollen:
		o.flower = &flower{}
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

// airTemp is the temperature of the air of new places.
const airTemp = 25

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
	o.page.Text = "To make " + product + ", you need to mix " + join(things, ", ") + "."
	return o
}

// newSandwich makes a sandwich of a type, such as "jam".
func (w *World) newSandwich(filling string) *Object {
	o := w.newNamed(Sandwich, filling+" sandwich")
	o.page.Title = o.name
	return o
}

// newUnknownConductor makes an unknown substance that conducts electricity or
// does not.
func (w *World) newUnknownConductor(letter string, conducts bool) *Object {
	o := w.newNamed(UnknownSubstanceElectricalConductivity, "unknown substance "+letter)
	o.stuff = new(*materials["metal"])
	o.stuff.Electric = conducts
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

// liquidCups are the containers of which one is drawn for a liquid.
var liquidCups = [...]ObjectKind{MetalPot, GlassCup, PlasticCup, TinCup, PaperCup, CeramicCup, Jug}

// randomCup puts something into a container that is drawn. It also makes a wood
// cup and discards it.
func (w *World) randomCup(content *Object) *Object {
	n := w.random.intn(len(liquidCups))
	w.new(WoodCup)
	cup := w.new(liquidCups[n])
	cup.open = true
	cup.temp = content.temp
	w.put(content, cup)
	return cup
}

// The words that are drawn for pictures.
var (
	pictureNames = [...]string{"picture", "drawing", "painting", "finger painting"}
	subjects     = [...]string{"a cow", "a chicken", "a farm", "a lush green meadow", "rolling hills",
		"a wintery mountain",
		"a boat crossing a river", "the moon", "abstract shapes", "two people playing"}
	artists = [...]string{"Alexandra", "Owen", "Bob", "Lily"}
)

func (w *World) newPicture() *Object {
	o := w.new(Picture)
	o.name = pictureNames[w.random.intn(len(pictureNames))]
	o.page.Title = subjects[w.random.intn(len(subjects))]
	o.page.Author = artists[w.random.intn(len(artists))]
	return o
}

// books are the kinds of books in the order in which they are drawn.
var books = [...]ObjectKind{BookMobyDick, BookFrankenstein, BookSherlockHolmes, BookPrideAndPrejudice, BookBeowulf,
	BookOriginOfSpecies}

// newShelf makes a shelf with up to three books.
func (w *World) newShelf() *Object {
	n := w.random.intn(4)
	shelf := w.new(BookShelf)
	for range n {
		k := w.random.intn(10)
		for k >= len(books) {
			k = w.random.intn(10)
		}
		w.put(w.new(books[k]), shelf)
	}
	return shelf
}

var randomTables = [...]ObjectKind{WoodTable, SteelTable, Desk}

// builder fills places. Things are made in the order in which the reference makes
// them, which decides their numbers, and added in its order (objects §5).
type builder struct {
	*World
	sewer *Object
}

// build makes the universe with its ten places, sewer and agent. The generator
// has been seeded.
func (w *World) build() {
	w.universe = w.newNamed(Universe, "universe")
	b := builder{w, w.newNamed(Sewer, "sewer")}
	w.put(b.sewer, w.universe)
	places := map[string]*Object{}
	for _, p := range []struct {
		kind ObjectKind
		name string
		fill func(*Object)
	}{
		{Room, "kitchen", b.kitchen}, {Room, "living room", b.livingRoom}, {Room, "bedroom", b.bedroom},
		{Room, "bathroom", b.bathroom},
		{Room, "workshop", b.workshop}, {Room, "greenhouse", b.greenhouse}, {Room, "art studio", b.artStudio},
		{Room, "hallway", b.hallway},
		{Outside, "outside", b.outside}, {Room, "foundry", b.foundry},
	} {
		o := w.newNamed(p.kind, p.name)
		places[p.name] = o
		p.fill(o)
		w.put(o, w.universe)
	}
	shovel := w.new(Shovel)
	w.put(shovel, places[[...]string{"outside", "greenhouse"}[w.random.intn(2)]])
	for _, ends := range [][2]string{
		{"kitchen", "hallway"}, {"living room", "hallway"}, {"bedroom", "hallway"}, {"bathroom", "kitchen"},
		{"workshop", "hallway"},
		{"greenhouse", "hallway"}, {"art studio", "hallway"}, {"kitchen", "outside"}, {"greenhouse", "outside"},
		{"foundry", "outside"},
	} {
		src, dst := places[ends[0]], places[ends[1]]
		d := w.newPortal(Door, src, dst)
		src.portals.append(d)
		dst.portals.append(d)
	}
	w.agent = w.new(Agent)
	w.inventory = w.agent.contents.items()[2]
	names := make([]string, 0, len(places))
	for name := range places {
		names = append(names, name)
	}
	slices.Sort(names)
	w.put(w.agent, places[names[w.random.intn(len(names))]])
}

// add makes an object and adds it to a container.
func (b builder) add(c *Object, k ObjectKind) *Object {
	o := b.new(k)
	b.put(o, c)
	return o
}

// addTap makes a thing with a drain and adds it to a place.
func (b builder) addTap(place *Object, k ObjectKind) { b.put(b.newTap(k, b.sewer), place) }

func (b builder) kitchen(room *Object) {
	b.addTap(room, Sink)
	b.add(room, Stove)
	fridge := b.add(room, Fridge)
	b.add(room, Freezer)
	b.add(room, Oven)
	cupboard := b.add(room, Cupboard)
	b.add(cupboard, MetalPot)
	b.add(cupboard, TinCup)
	b.add(cupboard, CeramicCup)
	bowl := b.add(b.add(room, Counter), WoodBowl)
	for _, fruit := range []ObjectKind{Apple, Banana, Orange, Potato} {
		b.add(bowl, fruit)
	}
	b.add(b.add(fridge, WoodCup), OrangeJuice)
	b.add(room, Thermometer)
	b.put(b.newPicture(), room)
	b.add(b.add(room, WoodTable), GlassCup)
	b.add(room, Chair)
	b.add(room, Lighter)
	b.add(b.add(room, GlassJar), SodiumChloride)
	b.add(room, Soap)
	b.add(room, StopWatch)
}

func (b builder) livingRoom(room *Object) {
	b.add(room, Couch)
	b.add(room, Chair)
	b.add(room, randomTables[b.random.intn(len(randomTables))])
	b.put(b.newPicture(), room)
	b.perhapsShelf(room)
}

func (b builder) perhapsShelf(room *Object) {
	if b.random.boolean() {
		b.put(b.newShelf(), room)
	}
}

func (b builder) bedroom(room *Object) {
	b.add(room, Bed)
	b.add(room, WoodTable)
	b.add(room, Closet)
	b.put(b.newPicture(), room)
	b.perhapsShelf(room)
}

func (b builder) bathroom(room *Object) {
	b.addTap(room, Sink)
	b.addTap(room, Toilet)
	b.addTap(room, Bathtub)
	b.add(room, GlassCup)
	b.put(b.newPicture(), room)
}

func (b builder) workshop(room *Object) {
	bulbs := []string{"red", "green", "blue", "yellow", "orange", "violet"}
	shuffle(&b.random, bulbs)
	wires := []string{"red", "green", "blue", "yellow", "orange", "black"}
	shuffle(&b.random, wires)
	table := b.add(room, WoodTable)
	for _, color := range bulbs[:3] {
		b.add(table, LightBulb).name = color + " light bulb"
	}
	for _, color := range wires[:3] {
		b.add(table, Wire).name = color + " wire"
	}
	b.add(table, Switch)
	b.add(table, Battery)
	b.add(room, UltraColdFreezer)
}

func (b builder) greenhouse(room *Object) {
	b.add(room, Jug)
	hive := b.add(room, BeeHive)
	for _, name := range []string{"bee 0", "bee 1", "bee 2", "bee 3", "bee 4"} {
		b.add(hive, Bee).name = name
	}
	b.addTap(room, Sink)
}

func (b builder) artStudio(room *Object) {
	table := b.add(room, WoodTable)
	mixing := []*Object{b.new(GlassCup), b.new(WoodBowl), b.new(Jug)}
	shuffle(&b.random, mixing)
	b.put(mixing[0], table)
	b.paints(room)
	cupboard := b.add(room, Cupboard)
	cupboard.name = "large cupboard"
	b.paints(cupboard)
}

// paints adds three wood cups with paint.
func (b builder) paints(c *Object) {
	paints := []*Object{b.new(RedPaint), b.new(BluePaint), b.new(YellowPaint)}
	for _, paint := range paints {
		b.put(paint, b.add(c, WoodCup))
	}
}

func (b builder) hallway(room *Object) { b.put(b.newPicture(), room) }

func (b builder) outside(place *Object) {
	for _, k := range []ObjectKind{FirePit, Wood, Axe, Fountain} {
		b.add(place, k)
	}
}

func (b builder) foundry(room *Object) {
	b.add(room, BlastFurnace)
	b.addTap(room, Sink)
	b.add(room, SteelTable)
}
