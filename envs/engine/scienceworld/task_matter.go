package scienceworld

// This file has the tasks of changing the state of matter (tasks §5.1).

func makeMatter(w *World, v int) variation {
	row := func(substance string, modifiers ...modifier) tableRow {
		return tableRow{modifiers: modifiers, facts: facts{"objectName": substance}}
	}
	anywhere := []string{"cupboard", "table", "desk"}
	cold := func(room, name string, o *Object, inside ...string) tableRow {
		return row(name, putIn(room, o, name, inside...))
	}
	substances := []tableRow{
		row("water"),
		row("water", disable("kitchen", "sink")),
		cold("kitchen", "ice", w.new(Ice), "freezer"),
		cold("kitchen", "orange juice", w.randomCup(w.new(OrangeJuice)), "fridge"),
		cold("kitchen", "apple juice", w.randomCup(w.new(AppleJuice)), "fridge"),
		cold("kitchen", "chocolate", w.new(Chocolate), "fridge"),
		cold("kitchen", "marshmallow", w.new(Marshmallow), anywhere...),
		cold("kitchen", "ice cream", w.randomCup(w.new(IceCream)), "freezer"),
		cold("kitchen", "soap", w.new(Soap), anywhere...),
		cold("workshop", "rubber", w.new(Rubber), "table", "desk"),
	}
	for _, metal := range []ObjectKind{Lead, Tin, Mercury, Gallium, Caesium} {
		name := kinds[metal].Name
		substances = append(substances, row(name, putIn("workshop", w.randomCup(w.new(metal)), name, "table",
			"desk").forced()))
	}
	tools := []tableRow{
		{modifiers: []modifier{putIn("kitchen", w.new(Stove), "stove")}},
		{modifiers: []modifier{disable("kitchen", "stove")}},
	}
	return combine(substances[v/2], tools[v%2])
}
