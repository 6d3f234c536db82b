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

// The kinds that rules name, by the names of the reference's classes. Tables name all.
const (
	Agent                                  ObjectKind = 0
	BookShelf                              ObjectKind = 2
	CeramicCup                             ObjectKind = 3
	FlowerPot                              ObjectKind = 6
	Jug                                    ObjectKind = 9
	MetalPot                               ObjectKind = 10
	SelfWateringFlowerPot                  ObjectKind = 13
	Sewer                                  ObjectKind = 14
	WoodCup                                ObjectKind = 17
	BeeHive                                ObjectKind = 19
	Axe                                    ObjectKind = 32
	Bathtub                                ObjectKind = 33
	Lighter                                ObjectKind = 41
	Shovel                                 ObjectKind = 43
	Sink                                   ObjectKind = 44
	StopWatch                              ObjectKind = 45
	Stove                                  ObjectKind = 46
	Thermometer                            ObjectKind = 47
	Toilet                                 ObjectKind = 48
	ColoredPaper                           ObjectKind = 57
	Recipe                                 ObjectKind = 60
	Anode                                  ObjectKind = 61
	Battery                                ObjectKind = 62
	Cathode                                ObjectKind = 63
	LightBulb                              ObjectKind = 69
	Switch                                 ObjectKind = 74
	Terminal                               ObjectKind = 75
	Wire                                   ObjectKind = 78
	Fountain                               ObjectKind = 80
	Ground                                 ObjectKind = 81
	Hole                                   ObjectKind = 82
	Animal                                 ObjectKind = 84
	Bee                                    ObjectKind = 87
	AppleTree                              ObjectKind = 108
	AvocadoTree                            ObjectKind = 110
	Flower                                 ObjectKind = 113
	PeaPlant                               ObjectKind = 118
	Plant                                  ObjectKind = 121
	Pollen                                 ObjectKind = 122
	RandomGeneticsPlantsE                  ObjectKind = 127
	Soil                                   ObjectKind = 128
	Tree                                   ObjectKind = 129
	Outside                                ObjectKind = 131
	Universe                               ObjectKind = 133
	InclinedPlane                          ObjectKind = 137
	Picture                                ObjectKind = 139
	Door                                   ObjectKind = 140
	LiquidDrain                            ObjectKind = 141
	Ash                                    ObjectKind = 145
	Ice                                    ObjectKind = 149
	SodiumChloride                         ObjectKind = 161
	Water                                  ObjectKind = 167
	Wood                                   ObjectKind = 168
	Apple                                  ObjectKind = 171
	OrangeJuice                            ObjectKind = 194
	Sandwich                               ObjectKind = 199
	BrownPaint                             ObjectKind = 203
	AnswerBox                              ObjectKind = 215
	UnknownSubstanceElectricalConductivity ObjectKind = 216
	UnknownSubstanceThermal                ObjectKind = 217
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
	aWire
)

// UnmarshalText reads the words of the sets that hold a kind, in the order of the constants.
func (g *kindSet) UnmarshalText(text []byte) error {
	for i, word := range []string{"location", "living", "animal", "plant", "tree", "cup", "container", "document",
		"generator", "polarized", "food", "fruit", "paint", "portal", "wire"} {
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
	Page       *document // the text of a book, or room for one
	Reads      string    // what a reader of a text is told (objects §3.10)
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
		text, found := texts[rows[i].Text]
		if !found {
			text.Line = rows[i].Text
		}
		rows[i].portrayal = text
	}
	return rows
}()

// UnmarshalText reads the name of the class of a kind, without its package. The table of kinds has been read.
func (k *ObjectKind) UnmarshalText(class []byte) error {
	end := "." + string(class)
	*k = ObjectKind(slices.IndexFunc(kinds, func(k kindRow) bool { return strings.HasSuffix(k.Class, end) }))
	return nil
}

// table reads a table of this package's files.
func table[T any](file []byte) (rows T) {
	if err := json.Unmarshal(file, &rows); err != nil {
		panic("lab: a table of the engine: " + err.Error())
	}
	return rows
}
