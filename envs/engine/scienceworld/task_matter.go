package scienceworld

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// This file has the tasks of changing the state of matter, and of measuring temperatures and melting points (tasks
// §5.1, §5.16 to §5.18).

// sample is a substance of tasks and where it is put, in a cup or not.
type sample struct {
	Kind   ObjectKind
	Name   string // if not the kind's
	Room   string
	Inside []string // things of the room
	Cup    bool
	Forced bool
	Melts  float64
}

// sampleRow makes a substance and places it.
func (w *World) sampleRow(s sample) variation {
	name, o := cmp.Or(s.Name, kinds[s.Kind].Name), w.new(s.Kind)
	if s.Cup {
		o = w.randomCup(o)
	}
	placed := putIn(s.Room, o, name, s.Inside...)
	placed.force = s.Forced
	return variation{modifiers: []modifier{placed}, facts: facts{"objectName": name}, melts: s.Melts}
}

func makeMatter(w *World, v int) variation {
	water := variation{facts: facts{"objectName": "water"}}
	substances := []variation{water, combine(water, variation{modifiers: []modifier{disable("kitchen", "sink")}})}
	for _, s := range lists().Changed {
		substances = append(substances, w.sampleRow(s))
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
	for _, k := range slices.Concat(lists().Warmed, slices.Repeat([]ObjectKind{UnknownSubstanceThermal}, 20)) {
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
	for range meltingPoints {
		w.new(Water)
		table = append(table, variation{facts: facts{"objectName": "water"}})
		w.new(OrangeJuice)
		for _, s := range lists().Molten {
			table = append(table, w.sampleRow(s))
		}
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
	v.facts["location"], v.facts["right"] = "kitchen", "boxBelow"
	if v.melts >= v.degrees {
		v.facts["right"] = "boxAbove"
	}
	return v
}
