package scienceworld

import (
	"slices"
	"strings"
	"sync"
)

// This file has the tasks of changing the state of matter, and of measuring temperatures and melting points (tasks
// §5.1, §5.16 to §5.18).

func makeMatter(w *World, v int) variation {
	row := func(substance string, modifiers ...modifier) variation {
		return variation{modifiers: modifiers, facts: facts{"objectName": substance}}
	}
	anywhere := []string{"cupboard", "table", "desk"}
	cold := func(room, name string, o *Object, inside ...string) variation {
		return row(name, putIn(room, o, name, inside...))
	}
	substances := []variation{
		row("water"),
		row("water", disable("kitchen", "sink")),
		cold("kitchen", "ice", w.new(Ice), "freezer"),
		cold("kitchen", "orange juice", w.randomCup(w.new(OrangeJuice)), "fridge"),
		cold("kitchen", "apple juice", w.randomCup(w.new(AppleJuice)), "fridge"),
		cold("kitchen", "chocolate", w.new(Chocolate), "fridge"),
		cold("kitchen", "marshmallow", w.new(Marshmallow), anywhere...),
		cold("kitchen", "ice cream", w.randomCup(w.new(IceCream)), "freezer"),
		cold("kitchen", "soap", w.new(Soap), anywhere...),
		cold("workshop", "rubber", w.new(Rubber), "table", "desk"),
	}
	for _, metal := range lists().Metals {
		name := kinds[metal].Name
		substances = append(substances, row(name, putIn("workshop", w.randomCup(w.new(metal)), name, "table",
			"desk").forced()))
	}
	tools := append(w.placed("kitchen", "tool", Stove), variation{modifiers: []modifier{disable("kitchen", "stove")}})
	return combine(substances[v/2], tools[v%2])
}

// subsample keeps a share of n combinations: of the first half, the next quarter and the last, each shuffled.
func subsample(n int, share float64) []int {
	r := seeded(5)
	var sample []int
	cuts := []int{0, n / 2, int(float64(n) * 0.75), n}
	for i := range 3 {
		var part []int
		for k := cuts[i]; k < cuts[i+1]; k++ {
			part = append(part, k)
		}
		shuffle(r, part)
		sample = append(sample, part[:int(float64(len(part))*share)]...)
	}
	return sample
}

// The combinations that are variations.
var (
	thermometerSample    = sync.OnceValue(func() []int { return subsample(360*5*15, 0.02) })
	knownMeltingSample   = sync.OnceValue(func() []int { return subsample(35*5*5, 0.5) })
	unknownMeltingSample = sync.OnceValue(func() []int { return subsample(600*5*5, 0.02) })
)

func makeThermometer(w *World, v int) variation {
	instrument := w.placed("kitchen", "instrument", Thermometer)[0]
	table := make([]measured, 0, 360)
	rooms := []string{"living room", "bedroom", "bathroom"}
	for _, room := range rooms {
		for _, p := range []int{-50, 0, 50, 100, 200} {
			table = w.addWarmThings(table, room, p)
		}
	}
	sortByName(table)
	var boxes []variation
	for _, room := range rooms {
		boxes = append(boxes, w.boxPairs(room, "boxAbove", "boxBelow")...)
	}
	i := thermometerSample()[v]
	points := []float64{-50, 0, 50, 100, 200}
	chosen := table[i/75]
	placed := putIn(chosen.room, chosen.thing, chosen.thing.name)
	placed.force = chosen.thing.kind == SodiumChloride
	return combine(instrument, chosen.row(placed), variation{degrees: points[i/15%5]}, boxes[i%15])
}

// measured is an entry of a long table of things to measure, of which one is used.
type measured struct {
	thing *Object
	room  string
}

func sortByName(table []measured) {
	slices.SortStableFunc(table, func(a, b measured) int { return strings.Compare(a.thing.name, b.thing.name) })
}

func (m measured) row(placed modifier) variation {
	return variation{modifiers: []modifier{placed}, facts: facts{"objectName": m.thing.name, "location": m.room}}
}

// addWarmThings makes things with temperatures near a given one.
func (w *World) addWarmThings(table []measured, room string, degrees int) []measured {
	chosen := []ObjectKind{SodiumChloride, ForkMetal, Wood, Wire}
	for range 20 {
		chosen = append(chosen, UnknownSubstanceThermal)
	}
	for _, k := range chosen {
		o := w.new(k)
		if k == UnknownSubstanceThermal {
			o.name = "unknown substance B"
		}
		offset := 50 + w.random.intn(100)
		if w.random.boolean() {
			offset = -offset
		}
		o.temp = float64(degrees + offset)
		table = append(table, measured{o, room})
	}
	return table
}

// liquidLetters are the unknown substances that are in cups.
const liquidLetters = "DEJMTVX"

// meltingPoints are the melting points between which the tasks ask.
var meltingPoints = []float64{-10, 10, 50, 150, 200}

func makeKnownMelting(w *World, v int) variation {
	instrument := w.placed("kitchen", "instrument", Thermometer)[0]
	var table []variation
	row := func(name string, degrees float64, modifiers ...modifier) {
		table = append(table, variation{modifiers: modifiers, facts: facts{"objectName": name, "location": "kitchen"},
			melts: degrees})
	}
	for range meltingPoints {
		w.new(Water)
		row("water", 0)
		w.new(OrangeJuice)
		row("orange juice", 0, putIn("kitchen", w.randomCup(w.new(OrangeJuice)), "orange juice", "fridge"))
		row("chocolate", 30, putIn("kitchen", w.new(Chocolate), "chocolate", "fridge"))
		row("mercury", -39, putIn("kitchen", w.randomCup(w.new(Mercury)), "mercury"))
		row("gallium", 30, putIn("kitchen", w.randomCup(w.new(Gallium)), "gallium"))
		row("tin", 232, putIn("kitchen", w.randomCup(w.new(Tin)), "tin"))
		row("lead", 327, putIn("kitchen", w.randomCup(w.new(Lead)), "lead"))
	}
	sortBy(table, "objectName")
	i := knownMeltingSample()[v]
	return w.meltingVariation(instrument, table[i/25], i)
}

func makeUnknownMelting(w *World, v int) variation {
	instrument := w.placed("kitchen", "instrument", Thermometer)[0]
	table := make([]measured, 0, 600)
	for range 25 {
		for _, letter := range letters {
			w.random.boolean() // drawn but unused
			o := w.newUnknownThermal(letter)
			if strings.ContainsRune(liquidLetters, letter) {
				w.randomCup(o)
			}
			table = append(table, measured{o, "kitchen"})
		}
	}
	sortByName(table)
	i := unknownMeltingSample()[v]
	chosen := table[i/25]
	placed := chosen.thing
	if placed.container != nil {
		placed = placed.container // the cup
	}
	row := chosen.row(putIn("kitchen", placed, placed.name).forced())
	row.melts = chosen.thing.stuff.Melts
	return w.meltingVariation(instrument, row, i)
}

func (w *World) meltingVariation(instrument, row variation, i int) variation {
	boxes := w.boxPairs("kitchen", "boxAbove", "boxBelow")
	v := combine(instrument, row, boxes[i%5])
	v.degrees = meltingPoints[i/5%5]
	v.facts["right"] = "boxBelow"
	if v.melts >= v.degrees {
		v.facts["right"] = "boxAbove"
	}
	return v
}
