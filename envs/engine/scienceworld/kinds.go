package scienceworld

// ObjectKind is what an object is. Its number is that of the reference's class in its
// table of object types (core, appendix A).
type ObjectKind uint8

// The kinds, by the names of the reference's classes.
const (
	Agent ObjectKind = iota
	InventoryContainer
	BookShelf
	CeramicCup
	Container
	Cup
	FlowerPot
	GlassCup
	GlassJar
	Jug
	MetalPot
	PaperCup
	PlasticCup
	SelfWateringFlowerPot
	Sewer
	TinCup
	WoodBowl
	WoodCup
	Bed
	BeeHive
	Chair
	Closet
	Couch
	Counter
	Cupboard
	Desk
	Drawer
	Mattress
	Pillow
	Sittable
	SteelTable
	WoodTable
	Axe
	Bathtub
	BlastFurnace
	CoolingSource
	Device
	Freezer
	Fridge
	HeatSource
	HotPlate
	Lighter
	Oven
	Shovel
	Sink
	StopWatch
	Stove
	Thermometer
	Toilet
	UltraColdFreezer
	Book
	BookBeowulf
	BookFrankenstein
	BookMobyDick
	BookOriginOfSpecies
	BookPrideAndPrejudice
	BookSherlockHolmes
	ColoredPaper
	Document
	Paper
	Recipe
	Anode
	Battery
	Cathode
	ElectricBuzzer
	ElectricMotor
	ElectricalComponent
	GasGenerator
	Generator
	LightBulb
	NuclearGenerator
	PolarizedElectricalComponent
	RenewableOutdoorGenerator
	SolarPanel
	Switch
	Terminal
	UnpolarizedElectricalComponent
	WindGenerator
	Wire
	FirePit
	Fountain
	Ground
	Hole
	LivingThing
	Animal
	Ant
	Beaver
	Bee
	BlueJay
	BrownBear
	Butterfly
	Chameleon
	Chipmunk
	Crocodile
	Dove
	Dragonfly
	Elephant
	Frog
	GiantTortoise
	Hedgehog
	Moth
	Mouse
	Parrot
	Rabbit
	Toad
	Turtle
	WanderingAnimal
	Wolf
	AppleTree
	ApricotTree
	AvocadoTree
	BananaTree
	CherryTree
	Flower
	FruitingTree
	GrapefruitTree
	LemonTree
	OrangeTree
	PeaPlant
	PeachTree
	PearTree
	Plant
	Pollen
	RandomGeneticsPlants
	RandomGeneticsPlantsB
	RandomGeneticsPlantsC
	RandomGeneticsPlantsD
	RandomGeneticsPlantsE
	Soil
	Tree
	Location
	Outside
	Room
	Universe
	AluminumFoil
	ForkMetal
	ForkPlastic
	InclinedPlane
	PaperClip
	Picture
	Door
	LiquidDrain
	Portal
	AceticAcid
	Air
	Ash
	Brick
	Caesium
	Gallium
	Ice
	IronBlock
	Lead
	Mercury
	Rubber
	Rust
	SaltWater
	Soap
	SoapyWater
	Sodium
	SodiumAcetate
	SodiumBicarbonate
	SodiumChloride
	SteelBlock
	Substance
	Sugar
	SugarWater
	Tin
	Water
	Wood
	WoodBlock
	Almond
	Apple
	AppleJuice
	Apricot
	Avocado
	Banana
	Bread
	Cashew
	Cherry
	Chocolate
	Dough
	Flour
	Food
	Fruit
	FruitSalad
	Garlic
	Grapefruit
	IceCream
	Jam
	Lemon
	Marshmallow
	MixedNuts
	Onion
	Orange
	OrangeJuice
	Peach
	Peanut
	Pear
	Potato
	Sandwich
	Smores
	BluePaint
	BlueVioletPaint
	BrownPaint
	GreenBluePaint
	GreenPaint
	OrangePaint
	Paint
	RedOrangePaint
	RedPaint
	VioletPaint
	VioletRedPaint
	YellowGreenPaint
	YellowOrangePaint
	YellowPaint
	AnswerBox
	UnknownSubstanceElectricalConductivity
	UnknownSubstanceThermal
)

// kindSet is a set of kinds that some rules treat alike.
type kindSet uint16

const (
	aLocation kindSet = 1 << iota
	aLiving
	aAnimal
	aPlant
	aTree // every plant that an axe fells
	aCup
	aContainer
	aDocument
	aGenerator
	aPolarized // has anode and cathode
	aFood
	aFruit
	aPaint
	aPortal
)

// vessel is how a kind holds things at creation (objects §1.3).
type vessel uint8

const (
	noVessel   vessel = iota // no container property
	alwaysOpen               // open, cannot be closed
	closable                 // closed, can be opened
	neverOpen                // no container, but has the property
)

// deviceState is the device property of a kind at creation (objects §1.3).
type deviceState uint8

const (
	noDevice  deviceState = iota
	deviceOff             // can be activated, is off
	deviceOn              // can be activated, is on
	idle                  // cannot be activated, is off
	running               // cannot be activated, is on
	tool                  // can be used on things
)

// kindRow is what all objects of a kind have in common (objects §2).
type kindRow struct {
	class      string // after "scienceworld.objects."
	name       string // at creation; empty if the caller gives it
	stuff      Stuff
	vessel     vessel
	device     deviceState
	fixed      bool // not movable
	edible     bool
	desc       string // the whole description, or empty if text tells it
	text       textCode
	refs       string // referents, separated by "; "
	containing bool   // referents are extended by what is inside
	plain      bool   // referents are the default ones
	form       string // life form
	cycle      cycle
	groups     kindSet
}

// kinds is the table of kinds. Slots in braces: n the name, d the name with fire
// words, d:x the same of x, m the substance, t a title with fire words.
var kinds = [...]kindRow{
	Agent: {class: "agent.Agent", name: "agent", fixed: true, desc: "the agent",
		refs: "agent; self"},
	InventoryContainer: {class: "agent.InventoryContainer", name: "inventory", vessel: alwaysOpen,
		fixed: true, text: textHolder, refs: "inventory; {n}"},
	BookShelf: {class: "containers.BookShelf", name: "book shelf", stuff: ofWood,
		vessel: alwaysOpen, text: textHolder, containing: true, refs: "shelf; book shelf; {n}; {d}",
		groups: aContainer},
	CeramicCup: {class: "containers.CeramicCup", name: "ceramic cup", stuff: ofCeramic,
		vessel: alwaysOpen, text: textHolder, containing: true, refs: "cup; ceramic cup; {n}; {d}",
		groups: aCup | aContainer},
	Container: {class: "containers.Container", name: "container", vessel: closable,
		text: textHolder, refs: "container; {n}; {d}", groups: aContainer},
	Cup: {class: "containers.Cup", name: "container", vessel: closable,
		text: textHolder, refs: "container; {n}; {d}", groups: aCup | aContainer},
	FlowerPot: {class: "containers.FlowerPot", name: "flower pot", stuff: ofCeramic,
		vessel: alwaysOpen, text: textHolder, containing: true, refs: "pot; flower pot; {n}; {d}", groups: aContainer},
	GlassCup: {class: "containers.GlassCup", name: "glass cup", stuff: ofGlass,
		vessel: alwaysOpen, text: textHolder, containing: true, refs: "cup; glass cup; {n}; {d}",
		groups: aCup | aContainer},
	GlassJar: {class: "containers.GlassJar", name: "glass jar", stuff: ofGlass,
		vessel: closable, text: textHolder, containing: true, refs: "jar; glass jar; {n}; {d}",
		groups: aCup | aContainer},
	Jug: {class: "containers.Jug", name: "jug", stuff: ofPlastic, vessel: alwaysOpen,
		text: textHolder, containing: true, refs: "jug; {n}; {d}", groups: aCup | aContainer},
	MetalPot: {class: "containers.MetalPot", name: "metal pot", stuff: ofSteel,
		vessel: alwaysOpen, text: textHolder, containing: true, refs: "pot; metal pot; {n}; {d}",
		groups: aCup | aContainer},
	PaperCup: {class: "containers.PaperCup", name: "paper cup", stuff: ofPaper,
		vessel: alwaysOpen, text: textHolder, containing: true, refs: "cup; paper cup; {n}; {d}",
		groups: aCup | aContainer},
	PlasticCup: {class: "containers.PlasticCup", name: "plastic cup", stuff: ofPlastic,
		vessel: alwaysOpen, text: textHolder, containing: true, refs: "cup; plastic cup; {n}; {d}",
		groups: aCup | aContainer},
	SelfWateringFlowerPot: {class: "containers.SelfWateringFlowerPot",
		name: "self watering flower pot", stuff: ofCeramic, vessel: alwaysOpen, text: textHolder, containing: true,
		refs: "pot; flower pot; {n}; {d}", groups: aContainer},
	Sewer: {class: "containers.Sewer", name: "sewer", stuff: ofSteel,
		vessel: alwaysOpen, text: textHolder, refs: "{n}; {d}", groups: aContainer},
	TinCup: {class: "containers.TinCup", name: "tin cup", stuff: ofTin,
		vessel: alwaysOpen, text: textHolder, containing: true, refs: "cup; tin cup; {n}; {d}",
		groups: aCup | aContainer},
	WoodBowl: {class: "containers.WoodBowl", name: "bowl", stuff: ofWood,
		vessel: alwaysOpen, text: textHolder, containing: true, refs: "bowl; {m} bowl; {n}; {d}",
		groups: aCup | aContainer},
	WoodCup: {class: "containers.WoodCup", name: "wood cup", stuff: ofWood,
		vessel: alwaysOpen, text: textHolder, containing: true, refs: "cup; wood cup; {n}; {d}",
		groups: aCup | aContainer},
	Bed: {class: "containers.furniture.Bed", name: "bed", stuff: ofWood,
		vessel: alwaysOpen, text: textSeat, refs: "sittable; {m} sittable; {n}; {d}"},
	BeeHive: {class: "containers.furniture.BeeHive", name: "bee hive", stuff: ofWood,
		vessel: closable, text: textDoored, refs: "bee hive; hive; beehive; {n}; {d}"},
	Chair: {class: "containers.furniture.Chair", name: "chair", stuff: ofWood,
		vessel: alwaysOpen, text: textSeat, refs: "sittable; {m} sittable; {n}; {d}"},
	Closet: {class: "containers.furniture.Closet", name: "closet", stuff: ofWood,
		vessel: closable, text: textDoored, refs: "closet; {m} closet; {n}; {d}"},
	Couch: {class: "containers.furniture.Couch", name: "couch", stuff: ofCottonCloth,
		vessel: alwaysOpen, text: textSeat, refs: "sittable; {m} sittable; {n}; {d}"},
	Counter: {class: "containers.furniture.Counter", name: "counter", stuff: ofWood,
		vessel: alwaysOpen, text: textTop, refs: "counter; {m} counter; {n}; {d}"},
	Cupboard: {class: "containers.furniture.Cupboard", name: "cupboard", stuff: ofWood,
		vessel: closable, text: textDoored, refs: "cupboard; {m} cupboard; {n}; {d}"},
	Desk: {class: "containers.furniture.Desk", name: "desk", stuff: ofWood,
		vessel: alwaysOpen, text: textTop, refs: "desk; {m} desk; {n}; {d}"},
	Drawer: {class: "containers.furniture.Drawer", name: "drawer", stuff: ofWood,
		vessel: closable, text: textDrawer, refs: "drawer; {m} table; {n}; {d}"},
	Mattress: {class: "containers.furniture.Mattress", name: "mattress",
		stuff: ofCottonCloth, vessel: alwaysOpen, text: textSeat, refs: "sittable; {m} sittable; {n}; {d}"},
	Pillow: {class: "containers.furniture.Pillow", name: "pillow", stuff: ofCottonCloth,
		desc: "a white {d}", plain: true, refs: "object; {n}; {d}"},
	Sittable: {class: "containers.furniture.Sittable", name: "sittable", stuff: ofWood,
		vessel: alwaysOpen, text: textSeat, refs: "sittable; {m} sittable; {n}; {d}"},
	SteelTable: {class: "containers.furniture.SteelTable", name: "table", stuff: ofSteel,
		vessel: alwaysOpen, text: textTop, refs: "table; {m} table; {n}; {d}"},
	WoodTable: {class: "containers.furniture.WoodTable", name: "table", stuff: ofWood,
		vessel: alwaysOpen, text: textTop, refs: "table; {m} table; {n}; {d}"},
	Axe: {class: "devices.Axe", name: "axe", stuff: ofSteel, vessel: neverOpen,
		device: tool, desc: "an {d}", refs: "axe; {n}; {d}"},
	Bathtub: {class: "devices.Bathtub", name: "bathtub", stuff: ofCeramic,
		vessel: alwaysOpen, device: deviceOff, fixed: true, text: textTap, refs: "bathtub; {n}; {d}"},
	BlastFurnace: {class: "devices.BlastFurnace", name: "blast furnace", vessel: closable,
		device: deviceOff, fixed: true, text: textOven, refs: "furnace; {n}; {d}"},
	CoolingSource: {class: "devices.CoolingSource", name: "cooling source", device: deviceOff,
		desc: "a {d}", refs: "object; {n}; {d}"},
	Device: {class: "devices.Device", name: "device", device: deviceOff, desc: "a {d}",
		refs: "object; {n}; {d}"},
	Freezer: {class: "devices.Freezer", name: "freezer", vessel: closable,
		device: deviceOn, fixed: true, text: textFreezer, refs: "freezer; {n}; {d}"},
	Fridge: {class: "devices.Fridge", name: "fridge", vessel: closable,
		device: deviceOn, fixed: true, text: textFreezer, refs: "fridge; {n}; {d}"},
	HeatSource: {class: "devices.HeatSource", name: "heat source", device: deviceOff,
		desc: "a {d}", refs: "object; {n}; {d}"},
	HotPlate: {class: "devices.HotPlate", name: "hot plate", vessel: alwaysOpen,
		device: deviceOff, fixed: true, text: textHob, refs: "hot plate; {n}"},
	Lighter: {class: "devices.Lighter", name: "lighter", stuff: ofMetal,
		vessel: neverOpen, device: tool, desc: "a {d}", refs: "lighter; {n}; {d}"},
	Oven: {class: "devices.Oven", name: "oven", vessel: closable, device: deviceOff,
		fixed: true, text: textOven, refs: "oven; {n}; {d}"},
	Shovel: {class: "devices.Shovel", name: "shovel", stuff: ofSteel, vessel: neverOpen,
		device: tool, desc: "a {d}", refs: "shovel; {n}; {d}"},
	Sink: {class: "devices.Sink", name: "sink", stuff: ofSteel, vessel: alwaysOpen,
		device: deviceOff, fixed: true, text: textTap, refs: "sink; {n}; {d}"},
	StopWatch: {class: "devices.StopWatch", name: "stopwatch", vessel: neverOpen,
		device: deviceOff, text: textStopwatch, refs: "stopwatch; watch; timer; {n}; {d}"},
	Stove: {class: "devices.Stove", name: "stove", vessel: alwaysOpen,
		device: deviceOff, fixed: true, text: textHob, refs: "stove; {n}"},
	Thermometer: {class: "devices.Thermometer", name: "thermometer", stuff: ofGlass,
		vessel: neverOpen, device: tool, text: textThermometer, refs: "thermometer; {n}; {d}"},
	Toilet: {class: "devices.Toilet", name: "toilet", stuff: ofSteel,
		vessel: alwaysOpen, device: deviceOff, fixed: true, text: textToilet, refs: "toilet; {n}; {d}"},
	UltraColdFreezer: {class: "devices.UltraColdFreezer", name: "ultra low temperature freezer",
		vessel: closable, device: deviceOn, fixed: true, text: textFreezer, refs: "freezer; {n}; {d}"},
	Book: {class: "document.Book", stuff: ofPaper, vessel: neverOpen, text: textBook,
		refs:   "book; {title}; book by {author}; {title} book; {n}; {d}; {d} by {author}; {d} called {title}",
		groups: aDocument},
	BookBeowulf: {class: "document.BookBeowulf", name: "book (Beowulf)", stuff: ofPaper,
		vessel: neverOpen, text: textBook,
		refs:   "book; {title}; book by {author}; {title} book; {n}; {d}; {d} by {author}; {d} called {title}",
		groups: aDocument},
	BookFrankenstein: {class: "document.BookFrankenstein", name: "book (Frankenstein)",
		stuff: ofPaper, vessel: neverOpen, text: textBook,
		refs:   "book; {title}; book by {author}; {title} book; {n}; {d}; {d} by {author}; {d} called {title}",
		groups: aDocument},
	BookMobyDick: {class: "document.BookMobyDick", name: "book (Moby Dick)", stuff: ofPaper,
		vessel: neverOpen, text: textBook,
		refs:   "book; {title}; book by {author}; {title} book; {n}; {d}; {d} by {author}; {d} called {title}",
		groups: aDocument},
	BookOriginOfSpecies: {class: "document.BookOriginOfSpecies",
		name: "book (The Foundations of the Origin of Species)", stuff: ofPaper, vessel: neverOpen, text: textBook,
		refs:   "book; {title}; book by {author}; {title} book; {n}; {d}; {d} by {author}; {d} called {title}",
		groups: aDocument},
	BookPrideAndPrejudice: {class: "document.BookPrideAndPrejudice",
		name: "book (Pride and Prejudice)", stuff: ofPaper, vessel: neverOpen, text: textBook,
		refs:   "book; {title}; book by {author}; {title} book; {n}; {d}; {d} by {author}; {d} called {title}",
		groups: aDocument},
	BookSherlockHolmes: {class: "document.BookSherlockHolmes", name: "book (Sherlock Holmes)",
		stuff: ofPaper, vessel: neverOpen, text: textBook,
		refs:   "book; {title}; book by {author}; {title} book; {n}; {d}; {d} by {author}; {d} called {title}",
		groups: aDocument},
	ColoredPaper: {class: "document.ColoredPaper", name: "paper", stuff: ofPaper,
		vessel: neverOpen, desc: "A {d}", refs: "{n}; {title}; {n} called {title}; {d}; {d} called {title}",
		groups: aDocument},
	Document: {class: "document.Document", name: "document", stuff: ofPaper,
		vessel: neverOpen, text: textDocument, refs: "{n}; {title}; {n} called {title}; {d}; {d} called {title}",
		groups: aDocument},
	Paper: {class: "document.Paper", name: "paper", stuff: ofPaper, vessel: neverOpen,
		text: textPaper, refs: "{n}; {title}; {n} called {title}; {d}; {d} called {title}", groups: aDocument},
	Recipe: {class: "document.Recipe", name: "recipe", stuff: ofPaper,
		vessel: neverOpen, text: textDocument, refs: "{n}; {title}; {n} called {title}; {d}; {d} called {title}",
		groups: aDocument},
	Anode: {class: "electricalcomponent.Anode", name: "anode", fixed: true,
		text: textTerminal, refs: "terminal; {n}; {n} on {parent}; {parent} {n}; {d}; {d} on {parent}"},
	Battery: {class: "electricalcomponent.Battery", name: "battery", device: running,
		text: textBattery, refs: "generator; {n}; {d}", groups: aGenerator | aPolarized},
	Cathode: {class: "electricalcomponent.Cathode", name: "cathode", fixed: true,
		text: textTerminal, refs: "terminal; {n}; {n} on {parent}; {parent} {n}; {d}; {d} on {parent}"},
	ElectricBuzzer: {class: "electricalcomponent.ElectricBuzzer", name: "electric buzzer",
		device: idle, text: textComponent, refs: "buzzer; electric buzzer; {n}; {d}", groups: aPolarized},
	ElectricMotor: {class: "electricalcomponent.ElectricMotor", name: "electric motor",
		device: idle, text: textComponent, refs: "motor; electric motor; {n}; {d}", groups: aPolarized},
	ElectricalComponent: {class: "electricalcomponent.ElectricalComponent"},
	GasGenerator: {class: "electricalcomponent.GasGenerator", name: "gas generator",
		device: deviceOff, text: textComponent, refs: "generator; {n}; {d}", groups: aGenerator | aPolarized},
	Generator: {class: "electricalcomponent.Generator", name: "generator",
		device: deviceOn, text: textComponent, refs: "generator; {n}; {d}", groups: aGenerator | aPolarized},
	LightBulb: {class: "electricalcomponent.LightBulb", name: "light bulb", device: idle,
		text: textComponent, refs: "light; light bulb; {n}; {d}", groups: aPolarized},
	NuclearGenerator: {class: "electricalcomponent.NuclearGenerator", name: "nuclear generator",
		device: deviceOff, text: textComponent, refs: "generator; {n}; {d}", groups: aGenerator | aPolarized},
	PolarizedElectricalComponent: {class: "electricalcomponent.PolarizedElectricalComponent",
		name: "component", device: idle, text: textComponent, refs: "component; {n}; {d}", groups: aPolarized},
	RenewableOutdoorGenerator: {class: "electricalcomponent.RenewableOutdoorGenerator",
		name: "renewable generator", device: idle, text: textComponent, refs: "generator; {n}; {d}",
		groups: aGenerator | aPolarized},
	SolarPanel: {class: "electricalcomponent.SolarPanel", name: "solar panel", device: idle,
		text: textComponent, refs: "generator; {n}; {d}", groups: aGenerator | aPolarized},
	Switch: {class: "electricalcomponent.Switch", name: "switch", device: deviceOff,
		text: textComponent, refs: "component; {n}; {d}", groups: aPolarized},
	Terminal: {class: "electricalcomponent.Terminal", name: "terminal", fixed: true,
		text: textTerminal, refs: "terminal; {n}; {n} on {parent}; {parent} {n}; {d}; {d} on {parent}"},
	UnpolarizedElectricalComponent: {class: "electricalcomponent.UnpolarizedElectricalComponent",
		name: "component", device: idle, text: textWire, refs: "component; {n}; {d}"},
	WindGenerator: {class: "electricalcomponent.WindGenerator", name: "wind generator",
		device: idle, text: textComponent, refs: "generator; {n}; {d}", groups: aGenerator | aPolarized},
	Wire: {class: "electricalcomponent.Wire", name: "wire", stuff: ofMetal,
		device: idle, text: textWire, refs: "component; {n}; {d}"},
	FirePit: {class: "environmentoutside.FirePit", name: "fire pit", stuff: ofCeramic,
		vessel: alwaysOpen, text: textHolder, refs: "fire pit; {n}; {d}"},
	Fountain: {class: "environmentoutside.Fountain", name: "fountain", stuff: ofCeramic,
		vessel: alwaysOpen, text: textHolder, refs: "fountain; {n}; {d}"},
	Ground: {class: "environmentoutside.Ground", name: "ground", stuff: ofSoil,
		vessel: alwaysOpen, desc: "the {d}", refs: "ground; {n}; {d}"},
	Hole: {class: "environmentoutside.Hole", name: "hole", vessel: alwaysOpen,
		text: textHolder, refs: "hole; {n}; {d}"},
	LivingThing: {class: "livingthing.LivingThing", name: "living thing", text: textAnimal,
		refs: "living thing; organism; {n}; {d}"},
	Animal: {class: "livingthing.animals.Animal", name: "animal", form: "animal",
		cycle: cycleAnimal, text: textAnimal, groups: aLiving | aAnimal},
	Ant: {class: "livingthing.animals.Ant", name: "ant", form: "ant",
		cycle: cycleAnimal, text: textAnimal, groups: aLiving | aAnimal},
	Beaver: {class: "livingthing.animals.Beaver", name: "beaver", form: "beaver",
		cycle: cycleAnimal, text: textAnimal, groups: aLiving | aAnimal},
	Bee: {class: "livingthing.animals.Bee", name: "bee", form: "bee",
		cycle: cycleAdultForever, text: textBee, groups: aLiving | aAnimal},
	BlueJay: {class: "livingthing.animals.BlueJay", name: "blue jay", form: "blue jay",
		cycle: cycleBird, text: textAnimal, groups: aLiving | aAnimal},
	BrownBear: {class: "livingthing.animals.BrownBear", name: "brown bear",
		form: "brown bear", cycle: cycleAnimal, text: textAnimal, groups: aLiving | aAnimal},
	Butterfly: {class: "livingthing.animals.Butterfly", name: "butterfly",
		form: "butterfly", cycle: cycleButterfly, text: textAnimal, groups: aLiving | aAnimal},
	Chameleon: {class: "livingthing.animals.Chameleon", name: "chameleon",
		form: "chameleon", cycle: cycleTortoise, text: textAnimal, groups: aLiving | aAnimal},
	Chipmunk: {class: "livingthing.animals.Chipmunk", name: "chipmunk", form: "chipmunk",
		cycle: cycleAnimal, text: textAnimal, groups: aLiving | aAnimal},
	Crocodile: {class: "livingthing.animals.Crocodile", name: "crocodile",
		form: "crocodile", cycle: cycleTortoise, text: textAnimal, groups: aLiving | aAnimal},
	Dove: {class: "livingthing.animals.Dove", name: "dove", form: "dove",
		cycle: cycleBird, text: textAnimal, groups: aLiving | aAnimal},
	Dragonfly: {class: "livingthing.animals.Dragonfly", name: "dragonfly",
		form: "dragonfly", cycle: cycleAnimal, text: textAnimal, groups: aLiving | aAnimal},
	Elephant: {class: "livingthing.animals.Elephant", name: "elephant", form: "elephant",
		cycle: cycleAnimal, text: textAnimal, groups: aLiving | aAnimal},
	Frog: {class: "livingthing.animals.Frog", name: "frog", form: "frog",
		cycle: cycleFrog, text: textAnimal, groups: aLiving | aAnimal},
	GiantTortoise: {class: "livingthing.animals.GiantTortoise", name: "giant tortoise",
		form: "giant tortoise", cycle: cycleTortoise, text: textAnimal, groups: aLiving | aAnimal},
	Hedgehog: {class: "livingthing.animals.Hedgehog", name: "hedgehog", form: "hedgehog",
		cycle: cycleAnimal, text: textAnimal, groups: aLiving | aAnimal},
	Moth: {class: "livingthing.animals.Moth", name: "moth", form: "moth",
		cycle: cycleButterfly, text: textAnimal, groups: aLiving | aAnimal},
	Mouse: {class: "livingthing.animals.Mouse", name: "mouse", form: "mouse",
		cycle: cycleAnimal, text: textAnimal, groups: aLiving | aAnimal},
	Parrot: {class: "livingthing.animals.Parrot", name: "parrot", form: "parrot",
		cycle: cycleBird, text: textAnimal, groups: aLiving | aAnimal},
	Rabbit: {class: "livingthing.animals.Rabbit", name: "rabbit", form: "rabbit",
		cycle: cycleAnimal, text: textAnimal, groups: aLiving | aAnimal},
	Toad: {class: "livingthing.animals.Toad", name: "common toad",
		form: "common toad", cycle: cycleFrog, text: textAnimal, groups: aLiving | aAnimal},
	Turtle: {class: "livingthing.animals.Turtle", name: "turtle", form: "turtle",
		cycle: cycleTortoise, text: textAnimal, groups: aLiving | aAnimal},
	WanderingAnimal: {class: "livingthing.animals.WanderingAnimal", name: "wandering animal",
		form: "animal", cycle: cycleAnimal, text: textAnimal, groups: aLiving | aAnimal},
	Wolf: {class: "livingthing.animals.Wolf", name: "wolf", form: "wolf",
		cycle: cycleAnimal, text: textAnimal, groups: aLiving | aAnimal},
	AppleTree: {class: "livingthing.plant.AppleTree", name: "plant", form: "apple",
		cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	ApricotTree: {class: "livingthing.plant.ApricotTree", name: "plant", form: "apricot",
		cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	AvocadoTree: {class: "livingthing.plant.AvocadoTree", name: "plant", form: "avocado",
		cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	BananaTree: {class: "livingthing.plant.BananaTree", name: "plant", form: "banana",
		cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	CherryTree: {class: "livingthing.plant.CherryTree", name: "plant", form: "cherry",
		cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	Flower: {class: "livingthing.plant.Flower", name: "flower", stuff: ofFlowerMatter,
		vessel: alwaysOpen, text: textFlower},
	FruitingTree: {class: "livingthing.plant.FruitingTree", name: "plant", form: "plant",
		cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	GrapefruitTree: {class: "livingthing.plant.GrapefruitTree", name: "plant",
		form: "grapefruit", cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	LemonTree: {class: "livingthing.plant.LemonTree", name: "plant", form: "lemon",
		cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	OrangeTree: {class: "livingthing.plant.OrangeTree", name: "plant", form: "orange",
		cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	PeaPlant: {class: "livingthing.plant.PeaPlant", name: "pea", form: "pea",
		cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	PeachTree: {class: "livingthing.plant.PeachTree", name: "plant", form: "peach",
		cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	PearTree: {class: "livingthing.plant.PearTree", name: "plant", form: "pear",
		cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	Plant: {class: "livingthing.plant.Plant", name: "plant", form: "plant",
		cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, text: textPlant, groups: aLiving | aPlant},
	Pollen: {class: "livingthing.plant.Pollen", name: "pollen", stuff: ofPollenMatter,
		vessel: neverOpen, text: textPollen, refs: "pollen; {n}; {form} pollen; {d}"},
	RandomGeneticsPlants: {class: "livingthing.plant.RandomGeneticsPlants", name: "unknown",
		form: "pea", cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	RandomGeneticsPlantsB: {class: "livingthing.plant.RandomGeneticsPlantsB", name: "unknown B",
		form: "unknown B", cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	RandomGeneticsPlantsC: {class: "livingthing.plant.RandomGeneticsPlantsC", name: "unknown C",
		form: "unknown C", cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	RandomGeneticsPlantsD: {class: "livingthing.plant.RandomGeneticsPlantsD", name: "unknown D",
		form: "unknown D", cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	RandomGeneticsPlantsE: {class: "livingthing.plant.RandomGeneticsPlantsE", name: "unknown E",
		form: "unknown E", cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, edible: true, text: textPlant,
		groups: aLiving | aPlant | aTree},
	Soil: {class: "livingthing.plant.Soil", name: "soil", stuff: ofSoil, desc: "{d}",
		refs: "soil; {n}; {d}"},
	Tree: {class: "livingthing.plant.Tree", name: "plant", form: "plant",
		cycle: cyclePlant, stuff: ofPlantMatter, vessel: alwaysOpen, text: textPlant, groups: aLiving | aPlant | aTree},
	Location: {class: "location.Location", name: "location", vessel: alwaysOpen,
		fixed: true, text: textLocation, refs: "location; {n}; {d}", groups: aLocation},
	Outside: {class: "location.Outside", name: "outside", vessel: alwaysOpen,
		fixed: true, text: textOutside, refs: "outside; {n}; {d}", groups: aLocation},
	Room: {class: "location.Room", vessel: alwaysOpen, fixed: true, text: textRoom,
		refs: "room; {n}; {d}", groups: aLocation},
	Universe: {class: "location.Universe", name: "universe", vessel: alwaysOpen,
		fixed: true, text: textUniverse, refs: "universe; {d}", groups: aLocation},
	AluminumFoil: {class: "misc.AluminumFoil", name: "aluminum foil", stuff: ofAluminum,
		desc: "A {d}", refs: "{n}; {d}"},
	ForkMetal: {class: "misc.ForkMetal", name: "metal fork", stuff: ofSteel, desc: "A {d}",
		refs: "{n}; {m} fork; {d}"},
	ForkPlastic: {class: "misc.ForkPlastic", name: "plastic fork", stuff: ofPlastic,
		desc: "A {d}", refs: "{n}; {m} fork; {d}"},
	InclinedPlane: {class: "misc.InclinedPlane", name: "inclined plane", stuff: ofSteel,
		vessel: alwaysOpen, text: textPlane},
	PaperClip: {class: "misc.PaperClip", name: "paper clip", stuff: ofSteel, desc: "A {d}",
		refs: "{n}; {m} paper clip; {d}"},
	Picture: {class: "misc.Picture", stuff: ofPaper, vessel: neverOpen,
		text: textPicture, refs: "{n}; {n} of {subject}; {d}; {d} of {subject}"},
	Door: {class: "portal.Door", name: "door", fixed: true, text: textDoor,
		groups: aPortal},
	LiquidDrain: {class: "portal.LiquidDrain", name: "drain", fixed: true, text: textDrain,
		groups: aPortal},
	Portal: {class: "portal.Portal", fixed: true, text: textDoor, groups: aPortal},
	AceticAcid: {class: "substance.AceticAcid", name: "acetic acid", stuff: ofAceticAcid,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	Air: {class: "substance.Air", name: "air", stuff: ofAir,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	Ash: {class: "substance.Ash", name: "ash", stuff: ofAsh,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	Brick: {class: "substance.Brick", name: "brick", stuff: ofBrick, desc: "a {d}",
		refs: "substance; {n}; {d}"},
	Caesium: {class: "substance.Caesium", name: "caesium", stuff: ofCaesium,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	Gallium: {class: "substance.Gallium", name: "gallium", stuff: ofGallium,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	Ice: {class: "substance.Ice", name: "water", stuff: ofWater,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	IronBlock: {class: "substance.IronBlock", name: "iron block", stuff: ofIron,
		desc: "a {d}", refs: "block; {n}; {d}"},
	Lead: {class: "substance.Lead", name: "lead", stuff: ofLead,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	Mercury: {class: "substance.Mercury", name: "mercury", stuff: ofMercury,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	Rubber: {class: "substance.Rubber", name: "rubber", stuff: ofRubber,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	Rust: {class: "substance.Rust", name: "rust", stuff: ofRust,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	SaltWater: {class: "substance.SaltWater", name: "salt water", stuff: ofSaltWater,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	Soap: {class: "substance.Soap", name: "soap", stuff: ofSoap,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	SoapyWater: {class: "substance.SoapyWater", name: "soapy water", stuff: ofSoapyWater,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	Sodium: {class: "substance.Sodium", name: "sodium", stuff: ofSodium,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	SodiumAcetate: {class: "substance.SodiumAcetate", name: "sodium acetate",
		stuff: ofSodiumAcetate, desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	SodiumBicarbonate: {class: "substance.SodiumBicarbonate", name: "sodium bicarbonate",
		stuff: ofSodiumBicarbonate, desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	SodiumChloride: {class: "substance.SodiumChloride", name: "sodium chloride",
		stuff: ofSodiumChloride, desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	SteelBlock: {class: "substance.SteelBlock", name: "steel block", stuff: ofSteel,
		desc: "a {d}", refs: "block; {n}; {d}"},
	Substance: {class: "substance.Substance", name: "substance",
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	Sugar: {class: "substance.Sugar", name: "sugar", stuff: ofSugar,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	SugarWater: {class: "substance.SugarWater", name: "sugar water", stuff: ofSugar,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	Tin: {class: "substance.Tin", name: "tin", stuff: ofTin,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	Water: {class: "substance.Water", name: "water", stuff: ofWater,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	Wood: {class: "substance.Wood", name: "wood", stuff: ofWood,
		desc: "a substance called {d}", refs: "substance; {n}; {d}"},
	WoodBlock: {class: "substance.WoodBlock", name: "wood block", stuff: ofWood,
		desc: "a {d}", refs: "block; {n}; {d}"},
	Almond: {class: "substance.food.Almond", name: "almond", stuff: ofNut,
		desc: "{d:almond}", refs: "almond; {n}; {d}", edible: true, groups: aFood},
	Apple: {class: "substance.food.Apple", name: "apple", desc: "a {d:red apple}",
		refs: "apple; red apple; {n}; {d}; {d:red apple}", edible: true, groups: aFood | aFruit},
	AppleJuice: {class: "substance.food.AppleJuice", name: "apple juice",
		stuff: ofAppleJuice, desc: "{d}", refs: "apple juice; {n}; {d}", edible: true, groups: aFood},
	Apricot: {class: "substance.food.Apricot", name: "apricot", stuff: ofPlantMatter,
		desc: "a {d:orange apricot}", refs: "apricot; orange apricot; {n}; {d}; {d:orange apricot}", edible: true,
		groups: aFood | aFruit},
	Avocado: {class: "substance.food.Avocado", name: "avocado", desc: "an {d}",
		refs: "avocado; {n}; {d}", edible: true, groups: aFood | aFruit},
	Banana: {class: "substance.food.Banana", name: "banana", desc: "a {d}",
		refs: "banana; {n}; {d}", edible: true, groups: aFood | aFruit},
	Bread: {class: "substance.food.Bread", name: "bread", stuff: ofFlour,
		desc: "{d:bread}", refs: "bread; {n}; {d}; {d:white bread}", edible: true, groups: aFood},
	Cashew: {class: "substance.food.Cashew", name: "cashew", stuff: ofNut,
		desc: "{d:cashew}", refs: "cashew; {n}; {d}", edible: true, groups: aFood},
	Cherry: {class: "substance.food.Cherry", name: "cherry", desc: "a {d}",
		refs: "cherry; {n}; {d}", edible: true, groups: aFood | aFruit},
	Chocolate: {class: "substance.food.Chocolate", name: "chocolate", stuff: ofChocolate,
		desc: "{d}", refs: "chocolate; {n}; {d}", edible: true, groups: aFood},
	Dough: {class: "substance.food.Dough", name: "dough", stuff: ofFlour,
		desc: "{d:dough}", refs: "dough; {n}; {d}; {d:white dough}", edible: true, groups: aFood},
	Flour: {class: "substance.food.Flour", name: "flour", stuff: ofFlour,
		desc: "{d:flour}", refs: "flour; {n}; {d}; {d:white flour}", edible: true, groups: aFood},
	Food:  {class: "substance.food.Food", edible: true},
	Fruit: {class: "substance.food.Fruit", edible: true},
	FruitSalad: {class: "substance.food.FruitSalad", name: "fruit salad",
		stuff: ofPlantMatter, desc: "{d:fruit salad}", refs: "fruit salad; {n}; {d}", edible: true, groups: aFood},
	Garlic: {class: "substance.food.Garlic", name: "garlic", desc: "{d}",
		refs: "garlic; {n}; {d}", edible: true, groups: aFood},
	Grapefruit: {class: "substance.food.Grapefruit", name: "grapefruit", desc: "an {d}",
		refs: "grapefruit; {n}; {d}", edible: true, groups: aFood | aFruit},
	IceCream: {class: "substance.food.IceCream", name: "ice cream", stuff: ofIceCream,
		desc: "{d}", refs: "ice cream; {n}; {d}", edible: true, groups: aFood},
	Jam: {class: "substance.food.Jam", name: "jam", stuff: ofJam,
		desc: "{d:red jam}", refs: "jam; {n}; {d}; {d:red jam}", edible: true, groups: aFood},
	Lemon: {class: "substance.food.Lemon", name: "lemon", desc: "a {d}",
		refs: "lemon; {n}; {d}", edible: true, groups: aFood | aFruit},
	Marshmallow: {class: "substance.food.Marshmallow", name: "marshmallow",
		stuff: ofMarshmallow, desc: "{d}", refs: "marshmallow; {n}; {d}", edible: true, groups: aFood},
	MixedNuts: {class: "substance.food.MixedNuts", name: "mixed nuts", stuff: ofNut,
		desc: "{d:mixed nuts}", refs: "mixed nuts; {n}; {d}", edible: true, groups: aFood},
	Onion: {class: "substance.food.Onion", name: "onion", desc: "a {d:red onion}",
		refs: "onion; red onion; {n}; {d}; {d:red onion}", edible: true, groups: aFood},
	Orange: {class: "substance.food.Orange", name: "orange", desc: "an {d}",
		refs: "orange; {n}; {d}", edible: true, groups: aFood | aFruit},
	OrangeJuice: {class: "substance.food.OrangeJuice", name: "orange juice",
		stuff: ofOrangeJuice, desc: "{d}", refs: "orange juice; {n}; {d}", edible: true, groups: aFood},
	Peach: {class: "substance.food.Peach", name: "peach", desc: "a {d}",
		refs: "peach; {n}; {d}", edible: true, groups: aFood | aFruit},
	Peanut: {class: "substance.food.Peanut", name: "peanut", stuff: ofNut,
		desc: "{d:peanut}", refs: "peanut; {n}; {d}", edible: true, groups: aFood},
	Pear: {class: "substance.food.Pear", name: "pear", desc: "a {d}",
		refs: "pear; {n}; {d}", edible: true, groups: aFood | aFruit},
	Potato: {class: "substance.food.Potato", name: "potato", desc: "a {d}",
		refs: "potato; {n}; {d}", edible: true, groups: aFood},
	Sandwich: {class: "substance.food.Sandwich", name: "sandwich", stuff: ofFlour,
		desc: "{t}", refs: "sandwich; {n}; {d}; {t}", edible: true, groups: aFood},
	Smores: {class: "substance.food.Smores", name: "smores", stuff: ofMarshmallow,
		desc: "{d}", refs: "smores; {n}; {d}", edible: true, groups: aFood},
	BluePaint: {class: "substance.paint.BluePaint", name: "blue paint", stuff: ofBluePaint,
		desc: "{d}", refs: "paint; {n}; {d}", groups: aPaint},
	BlueVioletPaint: {class: "substance.paint.BlueVioletPaint", name: "blue-violet paint",
		stuff: ofBlueVioletPaint, desc: "{d}", refs: "paint; {n}; {d}", groups: aPaint},
	BrownPaint: {class: "substance.paint.BrownPaint", name: "brown paint",
		stuff: ofBrownPaint, desc: "{d}", refs: "paint; {n}; {d}", groups: aPaint},
	GreenBluePaint: {class: "substance.paint.GreenBluePaint", name: "green-blue paint",
		stuff: ofGreenBluePaint, desc: "{d}", refs: "paint; {n}; {d}", groups: aPaint},
	GreenPaint: {class: "substance.paint.GreenPaint", name: "green paint",
		stuff: ofGreenPaint, desc: "{d}", refs: "paint; {n}; {d}", groups: aPaint},
	OrangePaint: {class: "substance.paint.OrangePaint", name: "orange paint",
		stuff: ofOrangePaint, desc: "{d}", refs: "paint; {n}; {d}", groups: aPaint},
	Paint: {class: "substance.paint.Paint", name: "paint", stuff: ofGenericPaint,
		desc: "{d}", refs: "paint; {n}; {d}", groups: aPaint},
	RedOrangePaint: {class: "substance.paint.RedOrangePaint", name: "red-orange paint",
		stuff: ofRedOrangePaint, desc: "{d}", refs: "paint; {n}; {d}", groups: aPaint},
	RedPaint: {class: "substance.paint.RedPaint", name: "red paint", stuff: ofRedPaint,
		desc: "{d}", refs: "paint; {n}; {d}", groups: aPaint},
	VioletPaint: {class: "substance.paint.VioletPaint", name: "violet paint",
		stuff: ofVioletPaint, desc: "{d}", refs: "paint; {n}; {d}", groups: aPaint},
	VioletRedPaint: {class: "substance.paint.VioletRedPaint", name: "violet-red paint",
		stuff: ofVioletRedPaint, desc: "{d}", refs: "paint; {n}; {d}", groups: aPaint},
	YellowGreenPaint: {class: "substance.paint.YellowGreenPaint", name: "yellow-green paint",
		stuff: ofYellowGreenPaint, desc: "{d}", refs: "paint; {n}; {d}", groups: aPaint},
	YellowOrangePaint: {class: "substance.paint.YellowOrangePaint", name: "yellow-orange paint",
		stuff: ofYellowOrangePaint, desc: "{d}", refs: "paint; {n}; {d}", groups: aPaint},
	YellowPaint: {class: "substance.paint.YellowPaint", name: "yellow paint",
		stuff: ofYellowPaint, desc: "{d}", refs: "paint; {n}; {d}", groups: aPaint},
	AnswerBox: {class: "taskitems.AnswerBox", name: "box", stuff: ofCeramic,
		vessel: alwaysOpen, text: textHolder, refs: "{n}; {d}"},
	UnknownSubstanceElectricalConductivity: {class: "taskitems.UnknownSubstanceElectricalConductivity",
		name: "unknown substance", stuff: ofMetal, desc: "{n}", refs: "{n}; unknown substance; {d}"},
	UnknownSubstanceThermal: {class: "taskitems.UnknownSubstanceThermal", name: "unknown substance", stuff: ofMetal,
		desc: "{n}", refs: "{n}; unknown substance; {d}"},
}
