package scienceworld

import "fmt"

// This file has the tasks of changing the state of matter (tasks §5.1).

func matterTask(name string, first int, words string,
	goals func(substance string) (ordered, unordered []goal)) taskType {
	return taskType{
		name: name, variations: 30, first: first, draws: []draws{{8, []int{7}}},
		make: makeMatter,
		describe: func(w *World, v *variation) string {
			text := "Your task is to " + words + " " + v.facts["objectName"] + ". "
			if name == "boil" {
				text += "For compounds without a boiling point, combusting the substance is also acceptable. "
			}
			return text +
				"First, focus on the substance. Then, take actions that will cause it to change its state of matter. "
		},
		goals: func(v *variation) (ordered, unordered []goal) { return goals(v.facts["objectName"]) },
	}
}

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

func boilGoals(s string) (ordered, unordered []goal) {
	return []goal{
		find(s, "focus on substance"),
		matter(liquid, false, "substance is in a liquid state"),
		matter(gas, true, "substance is in a gaseous state (or combusting)"),
	}, heatedGoals(s)
}

func meltGoals(s string) (ordered, unordered []goal) {
	return []goal{
		find(s, "focus on substance"),
		matter(solid, false, "substance is in a solid state"),
		matter(liquid, false, "substance is in a liquid state"),
	}, heatedGoals(s)
}

func freezeGoals(s string) (ordered, unordered []goal) {
	ordered = []goal{
		find(s, "focus on substance"),
		matter(liquid, false, "substance is in a liquid state"),
		matter(solid, false, "substance is in a solid state"),
	}
	unordered = append(substanceGoals(s), coolerGoals()...)
	return ordered, append(unordered, warmer(-5, "cool object by at least 5C"))
}

func changeGoals(s string) (ordered, unordered []goal) {
	ordered = []goal{find(s, "focus on substance"), anyMatter(), otherMatter()}
	unordered = append(substanceGoals(s), heaterGoals()...)
	unordered = append(unordered, onHeaterGoals("have object on heater (%s)", "")...)
	unordered = append(unordered, coolerGoals()...)
	return ordered, append(unordered, warmer(10, "heat object by at least 10C"),
		warmer(-10, "cool object by at least 10C"))
}

// heatedGoals are the unordered goals of boiling and melting.
func heatedGoals(s string) []goal {
	out := append(substanceGoals(s), heaterGoals()...)
	out = append(out, onHeaterGoals("have object on heater (%s)", "")...)
	return append(out, warmer(20, "heat object by at least 20C"))
}

func substanceGoals(s string) []goal {
	return []goal{
		roomHas(s, "be in same location as "+s),
		alone([]string{s}, "have substance alone in a single container"),
	}
}

func coolerGoals() []goal {
	return []goal{
		inContainer("fridge", "have object in cooler (fridge)"),
		inContainer("freezer", "have object in cooler (freezer)"),
	}
}

// heaters are the devices that heat.
var heaters = []string{"stove", "blast furnace", "oven", "hot plate"}

// heaterGoals are about getting something hot.
func heaterGoals() []goal {
	var out []goal
	for _, h := range heaters {
		out = append(out, deviceOnGoal(h, "activate heater ("+h+")"))
	}
	return append(out,
		directIn("inventory", "lighter", "have lighter in inventory"),
		directIn("fire pit", "wood", "move wood into fire pit").keyed("wood1"),
		onFire("wood", "ignite wood").keyed("ignite").once("wood1"),
	)
}

// onHeaterGoals want the focus on something hot. The text has a slot for its
// name.
func onHeaterGoals(text, prior string) []goal {
	var out []goal
	for _, h := range append(heaters[:len(heaters):len(heaters)], "fire pit") {
		out = append(out, inContainer(h, fmt.Sprintf(text, h)).once(prior))
	}
	return out
}
