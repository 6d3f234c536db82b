package scienceworld

import "strings"

// This file has the tasks of growing plants and fruit (tasks §5.6).

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
				facts:     facts{"seedType": kinds[k].Form, "location": room, "flowerPotNames": strings.Join(potNames, ",")},
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
