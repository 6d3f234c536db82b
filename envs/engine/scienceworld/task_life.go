package scienceworld

import (
	"fmt"
	"strconv"
)

// This file has the tasks of life spans and life stages (tasks §5.9 to §5.11).

// lifespanTask asks for the animals of these life spans, one after the other.
func lifespanTask(name string, first int, spans ...string) taskType {
	return taskType{
		name: name, variations: 125, first: first,
		make: makeLifespan,
		describe: func(w *World, v *variation) string {
			if len(spans) > 1 {
				return "Your task is to find the animal with the longest life span, then the shortest life span. " +
					"First, focus on the animal with the longest life span.  Then, focus on the animal with the " +
					"shortest life span. The animals are in the 'outside' location. "
			}
			return "Your task is to find the animal with the " + spans[0] +
				" life span.  The animals are in the 'outside' location.  Focus on the animal with the " + spans[0] +
				" life span."
		},
		goals: func(v *variation) (ordered, unordered []goal) {
			for i, span := range spans {
				g := find(v.facts[span], "focus on animal with "+span+" life span")
				if i < len(spans)-1 {
					g = g.clearing()
				}
				ordered = append(ordered, g)
			}
			return ordered, outsideGoals("outside")
		},
	}
}

// outsideGoals are about being where the animals are, unless that is where the
// agent starts.
func outsideGoals(unless string) []goal {
	return []goal{
		newLocation(unless, "Move to a new location (unless starting in task location)"),
		atLocation("outside", "Move to the location asked by the task"),
	}
}

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

var animalStagesTask = taskType{
	name: "identify-life-stages-1", variations: 14, first: 8128,
	make: makeAnimalStages,
	describe: func(w *World, v *variation) string {
		return fmt.Sprintf("Your task is to focus on the %d life stages of the %s, starting from earliest to latest.",
			len(v.stages()), v.facts["name"])
	},
	goals: func(v *variation) (ordered, unordered []goal) {
		return stagesInOrder(v, "animal"), append(outsideGoals("outside"), stayGoals()...)
	},
}

var plantStagesTask = taskType{
	name: "identify-life-stages-2", variations: 10, first: 8758, draws: []draws{{10, shuffleOf9}},
	make: makePlantStages,
	describe: func(w *World, v *variation) string {
		return "Your task is to focus on the life stages of the " + v.facts["name"] +
			" plant, starting from earliest to latest. The plants are located outside."
	},
	goals: func(v *variation) (ordered, unordered []goal) {
		// The name of the fruit as the room to start in is a mistake of the reference.
		return stagesInOrder(v, "plant"), append(outsideGoals(v.facts["name"]), stayGoals()...)
	},
}

// stages are the stages asked for.
func (v *variation) stages() (out []string) {
	for k := 1; v.facts["stage"+strconv.Itoa(k)] != ""; k++ {
		out = append(out, v.facts["stage"+strconv.Itoa(k)])
	}
	return out
}

func stagesInOrder(v *variation, thing string) (ordered []goal) {
	for i, s := range v.stages() {
		ordered = append(ordered, findStage(v.facts["name"], s,
			fmt.Sprintf("focus on %s in life stage %d", thing, i+1)).clearing())
	}
	return ordered
}

func stayGoals() (out []goal) {
	for _, n := range []int{10, 20, 30} {
		out = append(out, stay("outside", n, fmt.Sprintf("Stay in goal location for %d steps", n)))
	}
	return out
}

func makeAnimalStages(w *World, v int) variation {
	var table []tableRow
	for i, k := range animals {
		a := w.new(k)
		e := tableRow{modifiers: []modifier{putIn("outside", a, a.life.form)}, facts: facts{"name": a.life.form}}
		stages := cycles[kinds[a.kind].Cycle]
		for n, s := range stages[:len(stages)-1] {
			e.facts["stage"+strconv.Itoa(n+1)] = s.Name
		}
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
	e := tableRow{facts: facts{"name": tree.life.form}}
	for i, s := range plantStages {
		e.facts["stage"+strconv.Itoa(i+1)] = s
	}
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
