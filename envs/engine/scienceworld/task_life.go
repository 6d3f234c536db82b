package scienceworld

import (
	"slices"
	"strconv"
	"strings"
)

// This file has the tasks of finding living and other things, and of life spans and life stages (tasks §5.5, §5.9 to
// §5.11).

// makeAnimals makes one of each animal and shuffles them with a seed.
func (w *World) makeAnimals(seed int) []*Object {
	out := w.newAll(lists().Animals)
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
	var groups []variation
	for i := range 10 {
		groups = append(groups, w.livingEntry(i))
	}
	var boxes []variation
	for _, room := range []string{"kitchen", "bathroom", "living room", "bedroom", "workshop"} {
		for _, c := range colours {
			name := c + " box"
			boxes = append(boxes, variation{
				modifiers: []modifier{putIn(room, w.box(c), name)},
				facts:     facts{"location": room, "answerBox": name},
			})
		}
	}
	return combine(groups[v/30], boxes[v%30])
}

// livingEntry makes a group of animals and plants.
func (w *World) livingEntry(i int) (e variation) {
	for _, a := range w.makeAnimals(i)[:3] {
		e.modifiers = append(e.modifiers, putIn("outside", a, kinds[a.kind].Name))
	}
	plants := append(w.newAll(lists().Trees), w.new(PeaPlant))
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

func makeLifespan(w *World, v int) variation {
	spans := lists().Lifespans
	long, medium, short := w.newAll(spans[0]), w.newAll(spans[1]), w.newAll(spans[2])
	order := make([]int, 125)
	for i := range order {
		order[i] = i
	}
	shuffle(seeded(0), order)
	i := order[v]
	a, b, c := long[i/25], medium[i/5%5], short[i%5]
	return combine(variation{
		modifiers: []modifier{putIn("outside", a, a.life.form), putIn("outside", b, b.life.form),
			putIn("outside", c, c.life.form)},
		facts: facts{"longest": a.life.form, "shortest": c.life.form},
	})
}

func makeAnimalStages(w *World, v int) variation {
	var table []variation
	for i, k := range lists().Animals {
		a := w.new(k)
		e := variation{modifiers: []modifier{putIn("outside", a, a.life.form)}, facts: facts{"name": a.life.form}}
		stages := cycles[kinds[a.kind].Cycle]
		var names []string
		for _, s := range stages[:len(stages)-1] {
			names = append(names, s.Name)
		}
		e.facts["stages"], e.facts["number"] = strings.Join(names, ","), strconv.Itoa(len(names))
		for _, d := range w.makeAnimals(i)[:5] {
			e.modifiers = append(e.modifiers, putIn("outside", d, d.life.form))
		}
		table = append(table, e)
	}
	shuffle(seeded(1), table)
	return combine(table[v])
}

func makePlantStages(w *World, v int) variation {
	var table []variation
	for _, tree := range lists().StagedTrees {
		table = append(table, w.plantEntry(tree.Kind, tree.Seed))
	}
	return combine(table[v])
}

func (w *World) plantEntry(k ObjectKind, seed int) variation {
	tree := w.new(k)
	e := variation{facts: facts{"name": tree.life.form, "stages": "seed,seedling,adult,reproducing"}}
	trees := w.stages(k)
	numbers := []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
	shuffle(&w.random, numbers)
	for i, tree := range trees {
		pot := w.newNamed(SelfWateringFlowerPot, "self watering flower pot "+strconv.Itoa(numbers[i]))
		w.put(w.new(Soil), pot)
		w.put(tree, pot)
		e.modifiers = append(e.modifiers, putIn("outside", pot, pot.name).forced())
	}
	var groups [][]*Object
	for _, a := range lists().Animals {
		groups = append(groups, w.stages(a))
	}
	shuffle(seeded(seed), groups)
	for _, a := range groups[0] {
		e.modifiers = append(e.modifiers, putIn("outside", a, a.name).forced())
	}
	return e
}
