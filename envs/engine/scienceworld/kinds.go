package scienceworld

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
)

// ObjectKind is what an object is. Its number is the number of the reference's class
// in its table of object types (core, appendix A).
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

// UnmarshalText reads the words of the sets that hold a kind, in the order of the constants.
func (g *kindSet) UnmarshalText(text []byte) error {
	for i, word := range []string{"location", "living", "animal", "plant", "tree", "cup", "container", "document",
		"generator", "polarized", "food", "fruit", "paint", "portal"} {
		if slices.Contains(strings.Fields(string(text)), word) {
			*g |= 1 << i
		}
	}
	return nil
}

// kindRow is what all objects of a kind have in common (objects §2).
type kindRow struct {
	Class string // after "scienceworld.objects."
	Name  string // at creation; empty if the caller gives it
	Stuff string // a row of the materials; empty for none
	// Vessel is how the kind holds things at creation (objects §1.3): open for good, closed until it is opened,
	// or none that holds things although it has the property; empty for no container property.
	Vessel string
	// Device is the device property at creation (objects §1.3): off or on if it can be activated, idle or running
	// if it cannot, tool if it can be used on things; empty for no device.
	Device     string
	Fixed      bool // not movable
	Edible     bool
	Temp       float64   // how hot or cold a device gets
	Text       string    // how describe tells of it: a row of texts.json, or the whole text
	Refs       string    // referents, separated by "; "
	Containing bool      // referents are extended by what is inside
	Plain      bool      // referents are the default ones
	Form       string    // life form
	Cycle      string    // of life
	Traits     *genome   // of a plant with genes, in the order in which they are drawn
	Page       *document // the text of a book
	Groups     kindSet

	portrayal portrayal // what Text says
}

//go:embed kinds.json
var kindsFile []byte

// kinds is the table of kinds by their numbers. Slots in braces: n the name, d the name with fire words, d:x the same
// of x, m the substance, t a title with fire words.
var kinds = func() []kindRow {
	rows, texts := table[[]kindRow](kindsFile), table[map[string]portrayal](textsFile)
	for i := range rows {
		text, known := texts[rows[i].Text]
		if !known {
			text.Line = rows[i].Text
		}
		rows[i].portrayal = text
	}
	return rows
}()

// kindNamed is the kind whose class has a name, without its package.
func kindNamed(class string) ObjectKind {
	end := "." + class
	return ObjectKind(slices.IndexFunc(kinds, func(k kindRow) bool { return strings.HasSuffix(k.Class, end) }))
}

// table reads a table of this package's files.
func table[T any](file []byte) (rows T) {
	if err := json.Unmarshal(file, &rows); err != nil {
		panic("lab: a table of the engine: " + err.Error())
	}
	return rows
}
