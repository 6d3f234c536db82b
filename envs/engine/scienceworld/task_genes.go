package scienceworld

import (
	"slices"
	"strconv"
	"strings"
)

// This file has the tasks of Mendelian genetics (tasks §5.14 and §5.15).

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
			seeds = append(seeds, w.seedEntry(jar, first, second, t, value, facts{"seedType": "pea"}))
		}
	}
	return w.geneVariation(seeds, v)
}

func traitOf(k ObjectKind, name string) trait {
	return kinds[k].Traits[slices.IndexFunc(kinds[k].Traits[:], func(t trait) bool { return t.Name == name })]
}

// seedEntry fills a jar with two seeds. It asks about a value of a trait.
func (w *World) seedEntry(jar, first, second *Object, t trait, value string, f facts) tableRow {
	w.put(first, jar)
	w.put(second, jar)
	f["traitName"], f["traitValue"], f["right"] = t.Name, value, "answerBoxRec"
	if value == t.Dominant {
		f["right"] = "answerBoxDom"
	}
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
				seeds = append(seeds, w.seedEntry(jar, first, second, t, value,
					facts{"seedType": form, "plantName": form + " plant"}))
			}
		}
	}
	return w.geneVariation(seeds, v)
}

func (w *World) geneVariation(seeds []tableRow, v int) variation {
	pots, boxes := w.genePots(), w.geneBoxes()
	out := combine(seeds[v/15], pots[v/3%5], boxes[v%3])
	out.facts["rightBox"] = out.facts[out.facts["right"]]
	return out
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
