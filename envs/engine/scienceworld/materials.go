package scienceworld

// Stuff is what something is made of: a row of the table of materials.
type Stuff uint8

// The materials.
const (
	ofNothing Stuff = iota
	ofAir
	ofSodium
	ofMetal
	ofAluminum
	ofBrass
	ofBronze
	ofCaesium
	ofCopper
	ofGallium
	ofGold
	ofIron
	ofLead
	ofMercury
	ofPlatinum
	ofSilicon
	ofSteel
	ofTin
	ofTitanium
	ofZinc
	ofGlass
	ofRust
	ofPlastic
	ofCeramic
	ofWood
	ofPaper
	ofSandpaper
	ofCottonCloth
	ofRubber
	ofWater
	ofOrangeJuice
	ofAppleJuice
	ofSoil
	ofPlantMatter
	ofFlowerMatter
	ofPollenMatter
	ofChocolate
	ofSugar
	ofMarshmallow
	ofSoap
	ofIceCream
	ofFlour
	ofJam
	ofDough
	ofNut
	ofAsh
	ofSodiumChloride
	ofAceticAcid
	ofSodiumBicarbonate
	ofSodiumAcetate
	ofSaltWater
	ofSoapyWater
	ofSugarWater
	ofBrick
	ofGenericPaint
	ofWhitePaint
	ofBlackPaint
	ofRedPaint
	ofBluePaint
	ofYellowPaint
	ofVioletPaint
	ofGreenPaint
	ofOrangePaint
	ofBrownPaint
	ofYellowOrangePaint
	ofRedOrangePaint
	ofVioletRedPaint
	ofBlueVioletPaint
	ofGreenBluePaint
	ofYellowGreenPaint
	ofUnknownA
	ofUnknownB
	ofUnknownC
	ofUnknownD
	ofUnknownE
	ofUnknownF
	ofUnknownG
	ofUnknownH
	ofUnknownJ
	ofDefaultFriction
)

// phase is a state of matter.
type phase uint8

const (
	solid phase = iota
	liquid
	gas
)

// String is the word by which goals name the state.
func (s phase) String() string { return [...]string{"solid", "liquid", "gas"}[s] }

// material holds what all things made of it have in common (processes §2).
// Temperatures are in degrees Celsius.
type material struct {
	substance           string
	names               [3]string // by state, all empty if a change of state does not rename
	state               phase     // at creation
	melts, boils, burns float64
	conductivity        float64 // of heat
	electric            bool
	friction            float64
	start               float64 // temperature at creation, if not defaultStart
}

const (
	defaultStart = 10.0
	// burnTicks is how long a thing burns.
	burnTicks = 100
)

// materials is the table of materials.
var materials = [...]material{
	ofNothing: {},
	ofAir: {substance: "air", names: [3]string{"solid air", "liquid air", "air"}, state: gas, melts: -215,
		boils: -194, burns: 100000, conductivity: 0.01, friction: 0},
	ofSodium: {substance: "sodium", names: [3]string{"sodium", "liquid sodium", "gaseous sodium"},
		state: solid, melts: 98, boils: 881, burns: 100000, conductivity: 0.2, friction: 0, electric: true},
	ofMetal: {substance: "metal", names: [3]string{"metal", "liquid metal", "gaseous metal"}, state: solid,
		melts: 1000, boils: 2000, burns: 100000, conductivity: 1, friction: 0.5, electric: true},
	ofAluminum: {substance: "aluminum", names: [3]string{"aluminum", "liquid aluminum", "gaseous aluminum"},
		state: solid, melts: 660, boils: 2470, burns: 100000, conductivity: 1, friction: 0.45, electric: true},
	ofBrass: {substance: "brass", names: [3]string{"brass", "liquid brass", "gaseous brass"}, state: solid,
		melts: 900, boils: 1100, burns: 100000, conductivity: 1, friction: 0.5, electric: true},
	ofBronze: {substance: "bronze", names: [3]string{"bronze", "liquid bronze", "gaseous bronze"},
		state: solid, melts: 910, boils: 2300, burns: 100000, conductivity: 1, friction: 0.4, electric: true},
	ofCaesium: {substance: "caesium", names: [3]string{"solid caesium", "liquid caesium", "gaseous caesium"},
		state: solid, melts: 29, boils: 671, burns: 100000, conductivity: 1, friction: 0.5, electric: true},
	ofCopper: {substance: "copper", names: [3]string{"copper", "liquid copper", "gaseous copper"},
		state: solid, melts: 1083, boils: 2500, burns: 100000, conductivity: 1, friction: 0.6, electric: true},
	ofGallium: {substance: "gallium", names: [3]string{"gallium", "liquid gallium", "gaseous gallium"},
		state: liquid, melts: 30, boils: 2400, burns: 100000, conductivity: 1, friction: 0, electric: true},
	ofGold: {substance: "gold", names: [3]string{"gold", "liquid gold", "gaseous gold"}, state: solid,
		melts: 1063, boils: 2700, burns: 100000, conductivity: 1, friction: 0, electric: true},
	ofIron: {substance: "iron", names: [3]string{"iron", "liquid iron", "gaseous iron"}, state: solid,
		melts: 1538, boils: 2862, burns: 100000, conductivity: 1, friction: 0.7, electric: true},
	ofLead: {substance: "lead", names: [3]string{"lead", "liquid lead", "gaseous lead"}, state: solid,
		melts: 327, boils: 1740, burns: 100000, conductivity: 1, friction: 0.43, electric: true},
	ofMercury: {substance: "mercury", names: [3]string{"solid mercury", "liquid mercury", "gaseous mercury"},
		state: liquid, melts: -39, boils: 357, burns: 100000, conductivity: 1, friction: 0.1, electric: true},
	ofPlatinum: {substance: "platinum", names: [3]string{"platinum", "liquid platinum", "gaseous platinum"},
		state: solid, melts: 1770, boils: 4400, burns: 100000, conductivity: 1, friction: 0.8, electric: true},
	ofSilicon: {substance: "silicon", names: [3]string{"silicon", "liquid silicon", "gaseous silicon"},
		state: solid, melts: 1420, boils: 2600, burns: 100000, conductivity: 1, friction: 0, electric: true},
	ofSteel: {substance: "steel", names: [3]string{"steel", "liquid steel", "gaseous steel"}, state: solid,
		melts: 1400, boils: 2900, burns: 100000, conductivity: 1, friction: 0.6, electric: true},
	ofTin: {substance: "tin", names: [3]string{"tin", "liquid tin", "gaseous tin"}, state: solid,
		melts: 232, boils: 2602, burns: 100000, conductivity: 1, friction: 0.3, electric: true},
	ofTitanium: {substance: "titanium", names: [3]string{"titanium", "liquid titanium", "gaseous titanium"},
		state: solid, melts: 1670, boils: 3200, burns: 100000, conductivity: 1, friction: 0, electric: true},
	ofZinc: {substance: "zinc", names: [3]string{"zinc", "liquid zinc", "gaseous zinc"}, state: solid,
		melts: 419, boils: 906, burns: 100000, conductivity: 1, friction: 0.62, electric: true},
	ofGlass: {substance: "glass", names: [3]string{"glass", "liquid glass", "gaseous glass"}, state: solid,
		melts: 1400, boils: 2200, burns: 100000, conductivity: 1, friction: 0.2},
	ofRust: {substance: "rust", state: solid, melts: 100000, boils: 100001, burns: 100000,
		conductivity: 0.9, friction: 0.7},
	ofPlastic: {substance: "plastic", names: [3]string{"plastic", "liquid plastic", "gaseous plastic"},
		state: solid, melts: 200, boils: 300, burns: 100000, conductivity: 1, friction: 0.1},
	ofCeramic: {substance: "ceramic", names: [3]string{"ceramic", "liquid ceramic", "gaseous ceramic"},
		state: solid, melts: 2000, boils: 10001, burns: 10000, conductivity: 0.02, friction: 0.65},
	ofWood: {substance: "wood", state: solid, melts: 10000, boils: 10001, burns: 350, conductivity: 0.5,
		friction: 0.2},
	ofPaper: {substance: "paper", state: solid, melts: 10000, boils: 10001, burns: 210, conductivity: 0.5,
		friction: 0.2},
	ofSandpaper: {substance: "sandpaper", state: solid, melts: 10000, boils: 10001, burns: 230,
		conductivity: 0.5, friction: 0.98},
	ofCottonCloth: {substance: "cloth", state: solid, melts: 10000, boils: 10001, burns: 300, conductivity: 0.1,
		friction: 0.3},
	ofRubber: {substance: "rubber", names: [3]string{"rubber", "liquid rubber", "gaseous rubber"},
		state: solid, melts: 180, boils: 10001, burns: 260, conductivity: 0.5, friction: 0.95},
	ofWater: {substance: "water", names: [3]string{"ice", "water", "steam"}, state: liquid, melts: 0,
		boils: 100, burns: 100000, conductivity: 0.5, friction: 0.1},
	ofOrangeJuice: {substance: "orange juice", names: [3]string{
		"solid orange juice", "orange juice", "gaseous orange juice"}, state: liquid, melts: 0, boils: 100,
		burns: 100000, conductivity: 0.5, friction: 0.1},
	ofAppleJuice: {substance: "apple juice", names: [3]string{
		"solid apple juice", "apple juice", "gaseous apple juice"}, state: liquid, melts: -2, boils: 160, burns: 100000,
		conductivity: 0.5, friction: 0.1},
	ofSoil: {substance: "soil", state: solid, melts: 10000, boils: 10001, burns: 10000, conductivity: 0.5,
		friction: 0.3},
	ofPlantMatter: {substance: "plant matter", state: solid, melts: 10000, boils: 10001, burns: 200,
		conductivity: 0.5, friction: 0.3},
	ofFlowerMatter: {substance: "flower matter", state: solid, melts: 10000, boils: 10001, burns: 200,
		conductivity: 0.5, friction: 0.3},
	ofPollenMatter: {substance: "pollen matter", state: solid, melts: 10000, boils: 10001, burns: 200,
		conductivity: 0.5, friction: 0.5},
	ofChocolate: {substance: "chocolate", names: [3]string{"solid chocolate", "liquid chocolate",
		"gaseous chocolate"}, state: solid, melts: 30, boils: 100000, burns: 95, conductivity: 0.5, friction: 0.32},
	ofSugar: {substance: "sugar", state: solid, melts: 186, boils: 100000, burns: 350, conductivity: 0.5,
		friction: 0.7},
	ofMarshmallow: {substance: "marshmallow", names: [3]string{
		"marshmallow", "liquid marshmallow", "gaseous marshmallow"}, state: solid, melts: 36, boils: 100000, burns: 350,
		conductivity: 0.5, friction: 0.7},
	ofSoap: {substance: "soap", names: [3]string{"soap", "liquid soap", "gaseous soap"}, state: solid,
		melts: 140, boils: 100000, burns: 537, conductivity: 0.5, friction: 0.05},
	ofIceCream: {substance: "ice cream", names: [3]string{
		"ice cream", "liquid ice cream", "gaseous ice cream"}, state: solid, melts: -10, boils: 101, burns: 100000,
		conductivity: 0.5, friction: 0.1, start: -15},
	ofFlour: {substance: "flour", state: solid, melts: 10000, boils: 10001, burns: 380, conductivity: 0.5,
		friction: 0.5},
	ofJam: {substance: "jam", state: solid, melts: 10000, boils: 10001, burns: 400, conductivity: 0.5,
		friction: 0.5},
	ofDough: {substance: "dough", state: solid, melts: 10000, boils: 10001, burns: 380, conductivity: 0.5,
		friction: 0.5},
	ofNut: {substance: "nut", state: solid, melts: 10000, boils: 10001, burns: 400, conductivity: 0.5,
		friction: 0.5},
	ofAsh: {substance: "ash", state: solid, melts: 10000, boils: 10001, burns: 10002, conductivity: 0.5,
		friction: 0.9},
	ofSodiumChloride: {substance: "sodium chloride", names: [3]string{"sodium chloride", "liquid sodium chloride",
		"gaseous sodium chloride"}, state: solid, melts: 801, boils: 1465, burns: 100000, conductivity: 0.2,
		friction: 0.73},
	ofAceticAcid: {substance: "acetic acid", names: [3]string{
		"solid acetic acid", "acetic acid", "gaseous acetic acid"}, state: solid, melts: 17, boils: 119, burns: 100000,
		conductivity: 0.2, friction: 0.1},
	ofSodiumBicarbonate: {substance: "sodium bicarbonate", state: solid, melts: 10000, boils: 10001, burns: 100,
		conductivity: 0.2, friction: 0.73},
	ofSodiumAcetate: {substance: "sodium acetate", names: [3]string{"sodium bicarbonate", "sodium bicarbonate",
		"sodium bicarbonate"}, state: solid, melts: 324, boils: 881, burns: 100000, conductivity: 0.5, friction: 0.5},
	ofSaltWater: {substance: "salt water",
		names: [3]string{"solid salt water", "salt water", "gaseous salt water"}, state: solid, melts: -2, boils: 110,
		burns: 100000, conductivity: 0.2, friction: 0.15, electric: true},
	ofSoapyWater: {substance: "soapy water", names: [3]string{
		"solid soapy water", "soapy water", "gaseous soapy water"}, state: solid, melts: -1, boils: 105, burns: 100000,
		conductivity: 0.2, friction: 0.06},
	ofSugarWater: {substance: "sugar water", names: [3]string{
		"solid sugar water", "sugar water", "gaseous sugar water"}, state: solid, melts: -3, boils: 112, burns: 100000,
		conductivity: 0.2, friction: 0.06},
	ofBrick: {substance: "brick", state: solid, melts: 1500, boils: 100001, burns: 100000,
		conductivity: 0.1, friction: 0.9},
	ofGenericPaint: {substance: "whitepaint",
		names: [3]string{"dried white paint", "white paint", "gaseous white paint"}, state: liquid, melts: 0,
		boils: 10000, burns: 293, conductivity: 0.2, friction: 0.3},
	ofWhitePaint: {substance: "whitepaint",
		names: [3]string{"dried white paint", "white paint", "gaseous white paint"}, state: liquid, melts: 0,
		boils: 10000, burns: 293, conductivity: 0.2, friction: 0.3},
	ofBlackPaint: {substance: "blackpaint",
		names: [3]string{"dried black paint", "black paint", "gaseous black paint"}, state: liquid, melts: 0,
		boils: 10000, burns: 293, conductivity: 0.2, friction: 0.3},
	ofRedPaint: {substance: "redpaint", names: [3]string{"dried red paint", "red paint", "gaseous red paint"},
		state: liquid, melts: 0, boils: 10000, burns: 293, conductivity: 0.2, friction: 0.3},
	ofBluePaint: {substance: "bluepaint", names: [3]string{"dried blue paint", "blue paint",
		"gaseous blue paint"}, state: liquid, melts: 0, boils: 10000, burns: 293, conductivity: 0.2, friction: 0.3},
	ofYellowPaint: {substance: "yellowpaint", names: [3]string{
		"dried yellow paint", "yellow paint", "gaseous yellow paint"}, state: liquid, melts: 0, boils: 10000,
		burns: 293, conductivity: 0.2, friction: 0.3},
	ofVioletPaint: {substance: "violetpaint", names: [3]string{
		"dried violet paint", "violet paint", "gaseous violet paint"}, state: liquid, melts: 0, boils: 10000,
		burns: 293, conductivity: 0.2, friction: 0.3},
	ofGreenPaint: {substance: "greenpaint",
		names: [3]string{"dried green paint", "green paint", "gaseous green paint"}, state: liquid, melts: 0,
		boils: 10000, burns: 293, conductivity: 0.2, friction: 0.3},
	ofOrangePaint: {substance: "orangepaint", names: [3]string{
		"dried orange paint", "orange paint", "gaseous orange paint"}, state: liquid, melts: 0, boils: 10000,
		burns: 293, conductivity: 0.2, friction: 0.3},
	ofBrownPaint: {substance: "brownpaint",
		names: [3]string{"dried brown paint", "brown paint", "gaseous brown paint"}, state: liquid, melts: 0,
		boils: 10000, burns: 293, conductivity: 0.2, friction: 0.3},
	ofYellowOrangePaint: {substance: "yellow-orangepaint",
		names: [3]string{"dried yellow-orange paint", "yellow-orange paint", "gaseous yellow-orange paint"},
		state: liquid, melts: 0, boils: 10000, burns: 293, conductivity: 0.2, friction: 0.3},
	ofRedOrangePaint: {substance: "red-orangepaint", names: [3]string{"dried red-orange paint", "red-orange paint",
		"gaseous red-orange paint"}, state: liquid, melts: 0, boils: 10000, burns: 293, conductivity: 0.2,
		friction: 0.3},
	ofVioletRedPaint: {substance: "violet-redpaint", names: [3]string{"dried violet-red paint", "violet-red paint",
		"gaseous violet-red paint"}, state: liquid, melts: 0, boils: 10000, burns: 293, conductivity: 0.2,
		friction: 0.3},
	ofBlueVioletPaint: {substance: "blue-violetpaint", names: [3]string{"dried blue-violet paint", "blue-violet paint",
		"gaseous blue-violet paint"}, state: liquid, melts: 0, boils: 10000, burns: 293, conductivity: 0.2,
		friction: 0.3},
	ofGreenBluePaint: {substance: "green-bluepaint", names: [3]string{"dried green-blue paint", "green-blue paint",
		"gaseous green-blue paint"}, state: liquid, melts: 0, boils: 10000, burns: 293, conductivity: 0.2,
		friction: 0.3},
	ofYellowGreenPaint: {substance: "yellow-greenpaint", names: [3]string{
		"dried yellow-green paint", "yellow-green paint", "gaseous yellow-green paint"}, state: liquid, melts: 0,
		boils: 10000, burns: 293, conductivity: 0.2, friction: 0.3},
	ofUnknownA: {substance: "unknown material A", state: solid, melts: 100001, boils: 100002, burns: 100000,
		conductivity: 0.1, friction: 0.1},
	ofUnknownB: {substance: "unknown material B", state: solid, melts: 100001, boils: 100002, burns: 100000,
		conductivity: 0.1, friction: 0.7},
	ofUnknownC: {substance: "unknown material C", state: solid, melts: 100001, boils: 100002, burns: 100000,
		conductivity: 0.1, friction: 0.4},
	ofUnknownD: {substance: "unknown material D", state: solid, melts: 100001, boils: 100002, burns: 100000,
		conductivity: 0.1, friction: 0.6},
	ofUnknownE: {substance: "unknown material E", state: solid, melts: 100001, boils: 100002, burns: 100000,
		conductivity: 0.1, friction: 0.2},
	ofUnknownF: {substance: "unknown material F", state: solid, melts: 100001, boils: 100002, burns: 100000,
		conductivity: 0.1, friction: 0.8},
	ofUnknownG: {substance: "unknown material G", state: solid, melts: 100001, boils: 100002, burns: 100000,
		conductivity: 0.1, friction: 0.3},
	ofUnknownH: {substance: "unknown material H", state: solid, melts: 100001, boils: 100002, burns: 100000,
		conductivity: 0.1, friction: 0.9},
	ofUnknownJ: {substance: "unknown material J", state: solid, melts: 100001, boils: 100002, burns: 100000,
		conductivity: 0.1, friction: 0.9},
	ofDefaultFriction: {substance: "unknown material J", state: solid, melts: 100001, boils: 100002, burns: 100000,
		conductivity: 0.1, friction: 0.5},
}
