package scienceworld

import (
	"slices"
	"strconv"
	"strings"
)

// This file has the tasks of growing plants and fruit, and of Mendelian genetics (tasks §5.6, §5.14 and §5.15).

// potNames are the names of the pots in which things grow.
var potNames = []string{"flower pot 1", "flower pot 2", "flower pot 3"}

func makeGrow(w *World, v int) variation {
	var seeds []variation
	for _, room := range []string{"kitchen", "bathroom", "living room", "bedroom", "workshop", "greenhouse"} {
		for _, k := range lists().Trees {
			jar := w.newNamed(CeramicCup, "seed jar")
			for range 5 {
				w.put(w.new(k), jar)
			}
			seeds = append(seeds, variation{
				modifiers: []modifier{putIn(room, jar, "seed jar")},
				facts: facts{"seedType": kinds[k].Form, "location": room,
					"flowerPotNames": strings.Join(potNames, ",")},
			})
		}
	}
	sortBy(seeds, "seedType")
	pots := []variation{{}, {}, {}}
	for i := range pots {
		for _, name := range potNames {
			pot := w.newNamed(FlowerPot, name)
			pots[i].modifiers = append(pots[i].modifiers, putIn("greenhouse", pot, name))
			switch i {
			case 0: // with soil
				w.put(w.new(Soil), pot)
			case 1: // beside soil
				pots[i].modifiers = append(pots[i].modifiers, putIn("greenhouse", w.new(Soil), "soil"))
			}
		}
	}
	return combine(seeds[v/3], pots[v%3])
}

func makeKnownGenes(w *World, v int) variation {
	for range 4 {
		w.random.intn(2)
	}
	var seeds []variation
	for _, name := range []string{"plant height", "seed shape", "seed color", "seed shape"} {
		traits := kinds[PeaPlant].Traits
		t := traits[slices.IndexFunc(traits[:], func(t trait) bool { return t.Name == name })]
		for _, value := range []string{t.Dominant, t.Recessive} {
			first := w.newPlant(PeaPlant, w.genesWith(PeaPlant, name, dominant))
			second := w.newPlant(PeaPlant, w.genesWith(PeaPlant, name, recessive))
			jar := w.newNamed(CeramicCup, "seed jar")
			seeds = append(seeds, w.seedEntry(jar, first, second, t, value, facts{"seedType": "pea"}))
		}
	}
	return w.geneVariation(seeds, v)
}

// seedEntry fills a jar with two seeds. It asks about a value of a trait.
func (w *World) seedEntry(jar, first, second *Object, t trait, value string, f facts) variation {
	w.put(first, jar)
	w.put(second, jar)
	f["traitName"], f["traitValue"], f["right"] = t.Name, value, "answerBoxRec"
	if value == t.Dominant {
		f["right"] = "answerBoxDom"
	}
	return variation{modifiers: []modifier{putIn("greenhouse", jar, "seed jar").forced()}, facts: f}
}

func makeUnknownGenes(w *World, v int) variation {
	var seeds []variation
	for _, k := range lists().UnknownPlants {
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

func (w *World) geneVariation(seeds []variation, v int) variation {
	pots, boxes := w.genePots(), w.boxPairs("greenhouse", "answerBoxDom", "answerBoxRec")
	return combine(seeds[v/15], pots[v/3%5], boxes[v%3])
}

// genePots makes five choices of six pots out of nine.
func (w *World) genePots() []variation {
	var out []variation
	for range 5 {
		var pots []*Object
		for n := 1; n <= 9; n++ {
			pot := w.newNamed(FlowerPot, "flower pot "+strconv.Itoa(n))
			w.put(w.new(Soil), pot)
			pots = append(pots, pot)
		}
		shuffle(&w.random, pots)
		e := variation{}
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
