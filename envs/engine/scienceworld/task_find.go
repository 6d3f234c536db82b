package scienceworld

import (
	"slices"
	"strconv"
)

// This file has the tasks of finding living and other things (tasks §5.5).

// animals are the animals that tasks place.
var animals = []ObjectKind{Butterfly, Moth, Frog, Toad, GiantTortoise, Turtle, Crocodile, Parrot, Dove, BlueJay,
	Elephant,
	BrownBear, Beaver, Wolf}

// makeAnimals makes one of each animal and shuffles them with a seed.
func (w *World) makeAnimals(seed int) []*Object {
	var out []*Object
	for _, k := range animals {
		out = append(out, w.new(k))
	}
	shuffle(seeded(seed), out)
	return out
}

// seeded is a generator of its own.
func seeded(s int) *random {
	r := &random{}
	r.seed(int64(s))
	return r
}

func makeFind(w *World, v int) variation {
	var groups []tableRow
	for i := range 10 {
		groups = append(groups, w.livingEntry(i))
	}
	var boxes []tableRow
	for _, room := range []string{"kitchen", "bathroom", "living room", "bedroom", "workshop"} {
		for _, c := range colours {
			name := c + " box"
			boxes = append(boxes, tableRow{
				modifiers: []modifier{putIn(room, w.box(c), name)},
				facts:     facts{"location": room, "answerBox": name},
			})
		}
	}
	return combine(groups[v/30], boxes[v%30])
}

// livingEntry makes a group of animals and plants.
func (w *World) livingEntry(i int) (e tableRow) {
	for _, a := range w.makeAnimals(i)[:3] {
		e.modifiers = append(e.modifiers, putIn("outside", a, kinds[a.kind].Name))
	}
	var plants []*Object
	for _, k := range []ObjectKind{AppleTree, AvocadoTree, BananaTree, CherryTree, LemonTree, OrangeTree, PeachTree,
		PeaPlant} {
		plants = append(plants, w.new(k))
	}
	numbers := []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
	shuffle(&w.random, numbers)
	var pots []*Object
	for _, p := range plants {
		pot := w.new(FlowerPot)
		w.setStageNamed(p, "adult")
		w.put(p, pot)
		w.put(w.new(Soil), pot)
		pots = append(pots, pot)
	}
	shuffle(seeded(i), pots)
	pots = slices.Concat(pots[:3], []*Object{w.new(FlowerPot), w.new(FlowerPot)})
	for k, pot := range pots {
		pot.name = "flower pot " + strconv.Itoa(numbers[k])
		e.modifiers = append(e.modifiers, putIn("greenhouse", pot, pot.name).forced())
	}
	return e
}
