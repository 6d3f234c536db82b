package scienceworld

import (
	"slices"
	"strconv"
	"strings"
)

// This file has the tasks of Mendelian genetics (tasks §5.14 and §5.15).

var knownGenesTask = taskType{
	name: "mendelian-genetics-known-plant", variations: 120, first: 11878,
	draws:    []draws{{100, []int{2}}, {5, shuffleOf9}},
	make:     makeKnownGenes,
	describe: func(w *World, v *variation) string { return describeGenes(v, "pea plant") },
	goals:    geneGoals,
}

var unknownGenesTask = taskType{
	name: "mendelian-genetics-unknown-plant", variations: 480, first: 12238,
	draws:    []draws{{1040, []int{2}}, {5, shuffleOf9}},
	make:     makeUnknownGenes,
	describe: func(w *World, v *variation) string { return describeGenes(v, v.facts["plantName"]) },
	goals:    geneGoals,
}

func makeKnownGenes(w *World, v int) variation {
	for range 4 {
		w.random.intn(2)
	}
	var seeds []tableRow
	for _, name := range []string{"plant height", "seed shape", "seed color", "seed shape"} {
		t := traitOf(PeaPlant, name)
		for _, value := range []string{t.Dominant, t.Recessive} {
			first := w.newPlant(PeaPlant, w.genesWith(PeaPlant, name, dominant))
			second := w.newPlant(PeaPlant, w.genesWith(PeaPlant, name, recessive))
			jar := w.newNamed(CeramicCup, "seed jar")
			seeds = append(seeds, w.seedEntry(jar, first, second,
				facts{"traitName": name, "traitValue": value, "seedType": "pea"}))
		}
	}
	pots, boxes := w.genePots(), w.geneBoxes()
	return combine(seeds[v/15], pots[v/3%5], boxes[v%3])
}

func traitOf(k ObjectKind, name string) trait {
	return kinds[k].Traits[slices.IndexFunc(kinds[k].Traits[:], func(t trait) bool { return t.Name == name })]
}

// seedEntry fills a jar with two seeds.
func (w *World) seedEntry(jar, first, second *Object, f facts) tableRow {
	w.put(first, jar)
	w.put(second, jar)
	return tableRow{modifiers: []modifier{putIn("greenhouse", jar, "seed jar").forced()}, facts: f}
}

func makeUnknownGenes(w *World, v int) variation {
	var seeds []tableRow
	for _, k := range []ObjectKind{RandomGeneticsPlantsE, RandomGeneticsPlantsB, RandomGeneticsPlantsC,
		RandomGeneticsPlantsD} {
		for range 4 { // traits of which only names are used
			w.random.intn(2)
		}
		w.newPlant(k, nil)
		w.newPlant(k, nil)
		form := kinds[k].Form
		for _, t := range kinds[k].Traits {
			for _, value := range []string{t.Dominant, t.Recessive} {
				jar := w.newNamed(CeramicCup, "seed jar")
				first := w.newPlant(k, w.genesWith(k, t.Name, dominant))
				second := w.newPlant(k, w.genesWith(k, t.Name, recessive))
				seeds = append(seeds, w.seedEntry(jar, first, second, facts{
					"traitName": t.Name, "traitValue": value, "seedType": form, "plantName": form + " plant",
				}))
			}
		}
	}
	pots, boxes := w.genePots(), w.geneBoxes()
	return combine(seeds[v/15], pots[v/3%5], boxes[v%3])
}

// genePots makes five choices of six pots out of nine.
func (w *World) genePots() []tableRow {
	var out []tableRow
	for range 5 {
		var pots []*Object
		for n := 1; n <= 9; n++ {
			pot := w.newNamed(FlowerPot, "flower pot "+strconv.Itoa(n))
			w.put(w.new(Soil), pot)
			pots = append(pots, pot)
		}
		shuffle(&w.random, pots)
		e := tableRow{}
		var names []string
		for _, pot := range pots[:6] {
			e.modifiers = append(e.modifiers, putIn("greenhouse", pot, pot.name))
			names = append(names, pot.name)
		}
		e.facts = facts{"flowerPotNames": strings.Join(names, ",")}
		out = append(out, e)
	}
	return out
}

// geneBoxes makes the boxes for both answers.
func (w *World) geneBoxes() []tableRow {
	var out []tableRow
	for _, pair := range [][2]string{{"red", "green"}, {"green", "blue"}, {"blue", "orange"}} {
		a, b := pair[0]+" box", pair[1]+" box"
		out = append(out, tableRow{
			modifiers: []modifier{putIn("greenhouse", w.box(pair[0]), a), putIn("greenhouse", w.box(pair[1]), b)},
			facts:     facts{"answerBoxDom": a, "answerBoxRec": b},
		})
	}
	return out
}

func describeGenes(v *variation, plant string) string {
	return "Your task is to determine whether " + v.facts["traitValue"] + " " + v.facts["traitName"] +
		" is a dominant or recessive trait in the " + plant +
		". If the trait is dominant, focus on the " + v.facts["answerBoxDom"] +
		". If the trait is recessive, focus on the " + v.facts["answerBoxRec"] + ". "
}

// isDominant reports whether the value asked for is the dominant one.
func isDominant(f facts) bool {
	for _, k := range []ObjectKind{PeaPlant, RandomGeneticsPlantsB, RandomGeneticsPlantsC, RandomGeneticsPlantsD,
		RandomGeneticsPlantsE} {
		if kinds[k].Form == f["seedType"] {
			return traitOf(k, f["traitName"]).Dominant == f["traitValue"]
		}
	}
	return false
}

func geneGoals(v *variation) (ordered, unordered []goal) {
	f := v.facts
	right := f["answerBoxRec"]
	if isDominant(f) {
		right = f["answerBoxDom"]
	}
	t := f["seedType"]
	return []goal{find(right, "focus on the correct answer box").clearing()},
		slices.Concat(jarGoals(), greenhouseGoals(), potGoals(t, strings.Split(f["flowerPotNames"], ",")),
			stageGoals(t, 6), []goal{
				containerOpen("bee hive", "bee hive open (after reprod. life stage)").once("atLeast2Reproducing"),
				roomHas("adult bee", "be in same location as pollinator (after reprod. life stage)").once(
					"atLeast2Reproducing"),
				roomHas(t, "be in same location as grown seed").once("atLeast2Reproducing"),
			})
}
