package scienceworld

import (
	"strconv"
	"strings"
)

// This file has the tasks of life spans and life stages (tasks §5.9 to §5.11).

func makeLifespan(w *World, v int) variation {
	row := func(kinds ...ObjectKind) (out []*Object) {
		for _, k := range kinds {
			out = append(out, w.new(k))
		}
		return out
	}
	long := row(GiantTortoise, Parrot, Elephant, Crocodile, BrownBear)
	medium := row(Beaver, Wolf, Chipmunk, Toad, Rabbit)
	short := row(Hedgehog, Mouse, Chameleon, Dragonfly, Ant)
	order := make([]int, 125)
	for i := range order {
		order[i] = i
	}
	shuffle(seeded(0), order)
	i := order[v]
	a, b, c := long[i/25], medium[i/5%5], short[i%5]
	return combine(tableRow{
		modifiers: []modifier{putIn("outside", a, a.life.form), putIn("outside", b, b.life.form),
			putIn("outside", c, c.life.form)},
		facts: facts{"longest": a.life.form, "shortest": c.life.form},
	})
}

func makeAnimalStages(w *World, v int) variation {
	var table []tableRow
	for i, k := range animals {
		a := w.new(k)
		e := tableRow{modifiers: []modifier{putIn("outside", a, a.life.form)}, facts: facts{"name": a.life.form}}
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

// plantRows are the plants with the seeds of the animals beside them.
var plantRows = []struct {
	kind ObjectKind
	seed int
}{
	{AppleTree, 0}, {ApricotTree, 6}, {AvocadoTree, 1}, {BananaTree, 2}, {CherryTree, 3},
	{GrapefruitTree, 6}, {LemonTree, 4}, {OrangeTree, 5}, {PeachTree, 6}, {PearTree, 6},
}

func makePlantStages(w *World, v int) variation {
	var table []tableRow
	for _, row := range plantRows {
		table = append(table, w.plantEntry(row.kind, row.seed))
	}
	return combine(table[v])
}

func (w *World) plantEntry(k ObjectKind, seed int) tableRow {
	tree := w.new(k)
	e := tableRow{facts: facts{"name": tree.life.form, "stages": "seed,seedling,adult,reproducing"}}
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
	for _, a := range animals {
		groups = append(groups, w.stages(a))
	}
	shuffle(seeded(seed), groups)
	for _, a := range groups[0] {
		e.modifiers = append(e.modifiers, putIn("outside", a, a.name).forced())
	}
	return e
}
