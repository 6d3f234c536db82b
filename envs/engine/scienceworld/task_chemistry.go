package scienceworld

import (
	_ "embed"
	"slices"
	"strings"
)

// This file has the tasks of mixing things (tasks §5.7 and §5.8).

// recipe is what a mixture needs.
type recipe struct {
	Result string
	Inputs []string // kinds
}

//go:embed recipes.json
var recipesFile []byte

var mixtures = table[struct {
	Recipes [][]recipe // in three blocks, each for both rooms
	Paints  []facts    // the inputs and results of both steps
}](recipesFile)

// fetched are the inputs that tasks do not place: there is some in the building.
var fetched = []ObjectKind{Water, BluePaint, RedPaint}

func makeChemistry(w *World, v int) variation {
	var table []tableRow
	for _, block := range mixtures.Recipes {
		for _, room := range []string{"kitchen", "workshop"} {
			for _, r := range block {
				table = append(table, w.recipeEntry(r, room))
			}
		}
	}
	return combine(table[v])
}

func (w *World) recipeEntry(r recipe, room string) (e tableRow) {
	var names []string
	for _, kind := range r.Inputs {
		k := kindNamed(kind)
		o := w.new(k)
		names = append(names, o.name)
		if !slices.Contains(fetched, k) {
			e.modifiers = append(e.modifiers, putIn(room, o, o.name))
		}
	}
	e.modifiers = append(e.modifiers, putIn(room, w.newRecipe(r.Result, names), "recipe"))
	e.facts = facts{"inputChemicals": strings.Join(names, ","), "result": r.Result, "location": room}
	return e
}

func makePaint(w *World, v int) variation {
	mixers := []*Object{w.new(GlassCup), w.new(WoodBowl), w.new(Jug)}
	shuffle(&w.random, mixers)
	var places []tableRow
	for _, room := range []string{"art studio", "workshop"} {
		paints := []*Object{w.new(RedPaint), w.new(BluePaint), w.new(YellowPaint)}
		for i, f := range []struct {
			kind, cup ObjectKind
			name      string
		}{{Cupboard, WoodCup, "paint cupboard"}, {Closet, GlassCup, "paint closet"}, {Desk, TinCup, "desk"}} {
			furniture := w.newNamed(f.kind, f.name)
			for _, p := range paints { // each moves on to the last of the three
				cup := w.new(f.cup)
				w.put(p, cup)
				w.put(cup, furniture)
			}
			e := tableRow{modifiers: []modifier{putIn(room, furniture, f.name)}, facts: facts{"location": room}}
			if room == "workshop" {
				e.modifiers = append(e.modifiers, putIn(room, mixers[i], mixers[i].name))
			}
			places = append(places, e)
		}
	}
	return combine(tableRow{facts: mixtures.Paints[v/6]}, places[v%6])
}
