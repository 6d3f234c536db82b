package scienceworld

import (
	_ "embed"
	"slices"
	"strings"
)

// This file has the tasks of mixing things (tasks §5.7 and §5.8).

var chemistryTask = taskType{
	name: "chemistry-mix", variations: 32, first: 7459,
	make: makeChemistry,
	describe: func(w *World, v *variation) string {
		result := v.facts["result"]
		return "Your task is to use chemistry to create the substance '" + result +
			"'. A recipe and some of the ingredients might be found near the " +
			v.facts["location"] + ". When you are done, focus on the " + result + "."
	},
	goals: func(v *variation) (ordered, unordered []goal) {
		result, inputs := v.facts["result"], strings.Split(v.facts["inputChemicals"], ",")
		unordered = []goal{newLocation("", "move to a new location")}
		for _, in := range inputs {
			unordered = append(unordered, roomHas(in, "be in same location as "+in))
		}
		return []goal{find(result, "focus on result chemical ("+result+")")}, append(unordered,
			alone(inputs, "have all ingredients alone in a single container"),
			roomHas(result, "be in same location as "+result),
			readDocument("recipe", "read recipe"),
		)
	},
}

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

func paintTask(name string, first int, tertiary bool) taskType {
	t := taskType{name: name, variations: 36, first: first, draws: []draws{{1, []int{3, 2}}}, make: makePaint}
	t.describe = func(w *World, v *variation) string {
		second := v.facts["secondaryColor"]
		text := "Your task is to use chemistry to create "
		if !tertiary {
			return text + second + ". When you are done, focus on the " + second + "."
		}
		// That the end names the secondary colour is a mistake of the reference.
		return text + v.facts["tertiaryColor"] +
			". When you are part-way done, focus on the intermediate (secondary color) paint you created.  When you " +
			"are completely done, focus on the " + second + "."
	}
	t.goals = func(v *variation) (ordered, unordered []goal) { return secondaryGoals(v.facts) }
	if tertiary {
		t.goals = func(v *variation) (ordered, unordered []goal) { return tertiaryGoals(v.facts) }
	}
	return t
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

func secondaryGoals(f facts) (ordered, unordered []goal) {
	second, inputs := f["secondaryColor"], strings.Split(f["inputChemicalsSecondary"], ",")
	unordered = []goal{newLocation("", "move to a new location")}
	for _, in := range inputs {
		unordered = append(unordered, roomHas(in, "be in same location as "+in))
	}
	return []goal{find(second, "focus on the mixing result ("+second+")")}, append(unordered,
		alone(inputs, "have all ingredients alone in a single container"),
		roomHas(second, "be in same location as "+second),
	)
}

func tertiaryGoals(f facts) (ordered, unordered []goal) {
	second, third := f["secondaryColor"], f["tertiaryColor"]
	seconds, thirds := strings.Split(f["inputChemicalsSecondary"], ","), strings.Split(f["inputChemicalsTertiary"], ",")
	ordered = []goal{
		find(second, "focus on the intermediate mixing result ("+second+")").clearing(),
		find(third, "focus on the final mixing result ("+third+")"),
	}
	unordered = []goal{
		newLocation(f["location"], "move to a new location (unless starting in task location)"),
		atLocation(f["location"], "move to the location of the paint"),
	}
	for _, in := range seconds {
		unordered = append(unordered, roomHas(in, "be in same location as "+in))
	}
	unordered = append(unordered,
		alone(seconds, "have all ingredients (secondary) alone in a single container"),
		roomHas(second, "be in same location as (secondary) "+second).keyed("secondary"),
	)
	for _, in := range thirds {
		unordered = append(unordered, roomHas(in, "be in same location as (tertiary) "+in).keyed("tertiary_"+in).once(
			"secondary"))
	}
	return ordered, append(unordered,
		alone(thirds, "have all ingredients (tertiary) alone in a single container"),
		roomHas(third, "be in same location as "+third),
	)
}
