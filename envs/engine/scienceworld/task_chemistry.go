package scienceworld

import (
	"slices"
	"strings"
)

// This file has the tasks of mixing things (tasks §5.7 and §5.8).

// recipe is what a mixture needs.
type recipe struct {
	Result string
	Inputs []ObjectKind
}

func makeChemistry(w *World, v int) variation {
	var table []variation
	for _, block := range lists().Recipes {
		for _, room := range []string{"kitchen", "workshop"} {
			for _, r := range block {
				table = append(table, w.recipeEntry(r, room))
			}
		}
	}
	return combine(table[v])
}

func (w *World) recipeEntry(r recipe, room string) (e variation) {
	var names []string
	for _, k := range r.Inputs {
		o := w.new(k)
		names = append(names, o.name)
		if !slices.Contains(lists().Fetched, k) {
			e.modifiers = append(e.modifiers, putIn(room, o, o.name))
		}
	}
	e.modifiers = append(e.modifiers, putIn(room, w.newRecipe(r.Result, names), "recipe"))
	e.facts = facts{"inputChemicals": strings.Join(names, ","), "result": r.Result, "location": room}
	return e
}

func makePaint(w *World, v int) variation {
	mixers := w.newMixers()
	var places []variation
	for _, room := range []string{"art studio", "workshop"} {
		paints := w.newAll(lists().Paints)
		for i, f := range lists().PaintPlaces {
			furniture := w.newNamed(f.Kind, f.Name)
			for _, p := range paints { // each moves on to the last of the three
				cup := w.new(f.Cup)
				w.put(p, cup)
				w.put(cup, furniture)
			}
			e := variation{modifiers: []modifier{putIn(room, furniture, f.Name)}, facts: facts{"location": room}}
			if room == "workshop" {
				e.modifiers = append(e.modifiers, putIn(room, mixers[i], mixers[i].name))
			}
			places = append(places, e)
		}
	}
	return combine(variation{facts: lists().Paintings[v/6]}, places[v%6])
}
