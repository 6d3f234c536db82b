package scienceworld

import (
	"fmt"
	"slices"
	"strconv"
)

// This file has the tasks of growing plants and fruit (tasks §5.6).

var growPlantTask = taskType{
	name: "grow-plant", variations: 126, first: 5857,
	make: makeGrow,
	describe: func(w *World, v *variation) string {
		return "Your task is to grow a " + v.facts["seedType"] + " plant from seed. Seeds can be found in the " +
			v.facts["location"] +
			". First, focus on a seed. Then, make changes to the environment that grow the plant until it reaches " +
			"the reproduction life stage."
	},
	goals: func(v *variation) (ordered, unordered []goal) {
		t := v.facts["seedType"]
		for _, s := range plantStages {
			ordered = append(ordered, lifeStage(t, s, "focus plant is in "+s+" stage"))
		}
		return ordered, growGoals(t)
	},
}

var growFruitTask = taskType{
	name: "grow-fruit", variations: 126, first: 6658,
	make: makeGrow,
	describe: func(w *World, v *variation) string {
		t := v.facts["seedType"]
		return "Your task is to grow a " + t +
			". This will require growing several plants, and them being crosspollinated to produce fruit.  Seeds can " +
			"be found in the " +
			v.facts["location"] + ". To complete the task, focus on the grown " + t + "."
	},
	goals: func(v *variation) (ordered, unordered []goal) {
		t := v.facts["seedType"]
		unordered = append(growGoals(t), stageGoals(t, 2)...)
		return []goal{find(t, "focus on the grown fruit")}, append(unordered,
			containerOpen("bee hive", "bee hive open (after reprod. life stage)"),
			roomHas("adult bee", "be in same location as pollinator (after reprod. life stage)").once(
				"atLeast2Reproducing"),
			roomHas(t, "be in same location as fruit"),
		)
	},
}

// plantStages are the stages of a living plant.
var plantStages = []string{"seed", "seedling", "adult", "reproducing"}

// potNames are the names of the pots in which things grow.
var potNames = []string{"flower pot 1", "flower pot 2", "flower pot 3"}

func makeGrow(w *World, v int) variation {
	var seeds []tableRow
	for _, room := range []string{"kitchen", "bathroom", "living room", "bedroom", "workshop", "greenhouse"} {
		for _, k := range []ObjectKind{AppleTree, AvocadoTree, BananaTree, CherryTree, LemonTree, OrangeTree,
			PeachTree} {
			jar := w.newNamed(CeramicCup, "seed jar")
			for range 5 {
				w.put(w.new(k), jar)
			}
			seeds = append(seeds, tableRow{
				modifiers: []modifier{putIn(room, jar, "seed jar")},
				facts:     facts{"seedType": kinds[k].Form, "location": room},
			})
		}
	}
	sortBy(seeds, "seedType")
	pots := []tableRow{{}, {}, {}}
	for _, name := range potNames { // pots with soil
		pot := w.newNamed(FlowerPot, name)
		w.put(w.new(Soil), pot)
		pots[0].modifiers = append(pots[0].modifiers, putIn("greenhouse", pot, name))
	}
	for _, name := range potNames { // soil beside pots
		pot := w.newNamed(FlowerPot, name)
		pots[1].modifiers = append(pots[1].modifiers, putIn("greenhouse", pot, name),
			putIn("greenhouse", w.new(Soil), "soil"))
	}
	for _, name := range potNames { // no soil
		pots[2].modifiers = append(pots[2].modifiers, putIn("greenhouse", w.newNamed(FlowerPot, name), name))
	}
	return combine(seeds[v/3], pots[v%3])
}

// jarGoals are about getting seeds to the greenhouse.
func jarGoals() []goal {
	return []goal{
		roomHas("seed jar", "be in same location as seed jar"),
		directIn("inventory", "seed jar", "have seed jar in inventory").keyed("haveSeedJar"),
	}
}

func greenhouseGoals() []goal {
	return []goal{
		newLocation("", "move to a new location"),
		atLocation("greenhouse", "move to the greenhouse").keyed("move1"),
		atLocation("greenhouse", "move to the greenhouse (after having seed jar)").keyed("move2").once("haveSeedJar"),
	}
}

// potGoals want soil, water and seeds in the pots.
func potGoals(seed string, pots []string) []goal {
	var out []goal
	for _, what := range []struct{ name, text string }{{"soil", "soil"}, {"water", "water"}, {seed + " seed", "seed"}} {
		for i, pot := range pots {
			out = append(out, directIn(pot, what.name, fmt.Sprintf("have %s in flower pot (%d)", what.text, i+1)))
		}
	}
	return out
}

func growGoals(seed string) []goal {
	return slices.Concat(jarGoals(), []goal{
		directIn("inventory", "shovel", "have shovel in inventory"),
		directIn("inventory", "soil", "have soil in inventory"),
		roomHas("soil", "be in same location as soil"),
	}, greenhouseGoals(), potGoals(seed, potNames))
}

// stageGoals want 1 to n plants in each stage.
func stageGoals(form string, n int) []goal {
	var out []goal
	for m := 1; m <= n; m++ {
		for i, text := range []string{"seeds", "seedlings", "adult plants", "reproducing plants"} {
			g := stageAnywhere(form, plantStages[i], m, fmt.Sprintf("have at least %d plants as %s", m, text))
			if plantStages[i] == "reproducing" {
				g = g.keyed("atLeast" + strconv.Itoa(m) + "Reproducing")
			}
			out = append(out, g)
		}
	}
	return out
}
