package scienceworld

import "strings"

// This file has the tasks of electricity (tasks §5.2 to §5.4).

// parts are what the circuits power.
var parts = []string{"red light bulb", "green light bulb", "blue light bulb", "electric motor", "electric buzzer"}

// partEntries makes the parts. The key names each.
func (w *World) partEntries(key string) []tableRow {
	var out []tableRow
	for i, k := range []ObjectKind{LightBulb, LightBulb, LightBulb, ElectricMotor, ElectricBuzzer} {
		o := w.newNamed(k, parts[i])
		out = append(out, tableRow{modifiers: []modifier{putIn("workshop", o, parts[i])}, facts: facts{key: parts[i]}})
	}
	return out
}

func (w *World) batteryEntry() tableRow {
	return tableRow{modifiers: []modifier{putIn("workshop", w.new(Battery), "battery")}}
}

// sourceEntry makes a power source.
func (w *World) sourceEntry(k ObjectKind, key string) tableRow {
	name := kinds[k].Name
	return tableRow{modifiers: []modifier{putIn("workshop", w.new(k), name)}, facts: facts{key: name}}
}

func powerTask(name string, first int, choose bool) taskType {
	return taskType{
		name: name, variations: 20, first: first,
		make: func(w *World, v int) variation { return makePower(w, v, choose) },
		describe: func(w *World, v *variation) string {
			part := v.facts["componentToPower"]
			text := "Your task is to turn on the " + part
			if choose {
				text += " by powering it using a " + v.facts["kind"] + " power source"
			}
			return text + ". First, focus on the " + part + ". Then, create an electrical circuit that powers it on. "
		},
		goals: func(v *variation) (ordered, unordered []goal) { return powerGoals(v.facts, choose) },
	}
}

func makePower(w *World, v int, choose bool) variation {
	battery := w.batteryEntry()
	parts := w.partEntries("componentToPower")
	renewable := []tableRow{w.sourceEntry(SolarPanel, "renewableSource"),
		w.sourceEntry(WindGenerator, "renewableSource")}
	nonrenewable := []tableRow{w.sourceEntry(GasGenerator, "nonrenewableSource"),
		w.sourceEntry(NuclearGenerator, "nonrenewableSource")}
	part := tableRow{facts: parts[v/4].facts}
	for _, e := range parts {
		part.modifiers = append(part.modifiers, e.modifiers...)
	}
	out := combine(battery, part, renewable[v/2%2], nonrenewable[v%2])
	out.facts["kind"] = "renewable"
	if v%2 == 1 {
		out.facts["kind"] = "nonrenewable"
	}
	if choose { // else any source will do
		out.facts["wanted"] = out.facts[out.facts["kind"]+"Source"]
	}
	return out
}

func powerGoals(f facts, choose bool) (ordered, unordered []goal) {
	part, source := f["componentToPower"], f["wanted"]
	ordered = []goal{find(part, "focus on task object"), toActivate(part, "power task object")}
	connect, subject := "Connect", "Task"
	if choose {
		ordered = append(ordered, connected(source, "use correct power source"))
		connect, subject = "connect", "task"
	}
	return ordered, []goal{
		newLocation("", "move to a new location"),
		roomHas(part, "be in same location as part to power"),
		wireTo(part, false, connect+" the task object's (terminal1/anode) to a wire"),
		wireTo(part, true, connect+" the task object's (terminal2/cathode) to a wire"),
		wirePower(part, source, subject+" object is at least partially connected to power source through wire"),
	}
}

var conductivityTask = taskType{
	name: "test-conductivity", variations: 900, first: 421,
	make:     makeConductivity,
	describe: describeConductivity,
	goals:    conductivityGoals,
}

var unknownConductivityTask = taskType{
	name: "test-conductivity-of-unknown-substances", variations: 600, first: 577, draws: []draws{{24, []int{2}}},
	make:     makeUnknownConductivity,
	describe: describeConductivity,
	goals:    conductivityGoals,
}

// conductors are the substances of the task with whether they conduct.
var conductors = []struct {
	kind     ObjectKind
	conducts bool
}{
	{SodiumChloride, false}, {Water, false}, {ForkPlastic, false}, {ForkMetal, true}, {Apricot, false}, {Shovel, true},
	{GlassJar, false}, {MetalPot, true}, {BookOriginOfSpecies, false}, {PaperClip, true}, {WoodBlock, false},
	{AluminumFoil, true},
}

func conductorFacts(name, room string, conducts bool) facts {
	f := facts{"substance": name, "substanceLocation": room, "right": "nonconductive", "wrong": "conductive"}
	if conducts {
		f["right"], f["wrong"] = f["wrong"], f["right"]
	}
	return f
}

func makeConductivity(w *World, v int) variation {
	battery := w.batteryEntry()
	part := w.partEntries("partToPower")
	var table []tableRow
	for _, room := range []string{"workshop", "kitchen", "living room"} {
		for _, c := range conductors {
			o := w.new(c.kind)
			e := tableRow{facts: conductorFacts(o.name, room, c.conducts)}
			if c.kind != Water {
				e.modifiers = []modifier{putIn(room, o, o.name).forced()}
			}
			table = append(table, e)
		}
	}
	sortBy(table, "substance")
	boxes := w.boxPairs("workshop", "conductive", "nonconductive", nil)
	return combine(battery, part[v/5%5], boxes[v%5], table[v/25])
}

// letters are the names of unknown substances.
const letters = "BCDEFGHJKLMNOPQRSTUVWXYZ"

func makeUnknownConductivity(w *World, v int) variation {
	battery := w.batteryEntry()
	part := w.partEntries("partToPower")
	var table []tableRow
	for _, letter := range strings.Split(letters, "") {
		conducts := w.random.float() >= 0.5
		o := w.newUnknownConductor(letter, conducts)
		e := tableRow{facts: conductorFacts(o.name, "workshop", conducts)}
		e.modifiers = []modifier{putIn("workshop", o, o.name)}
		table = append(table, e)
	}
	boxes := w.boxPairs("workshop", "conductive", "nonconductive", nil)
	return combine(battery, part[v/5%5], table[v/25], boxes[v%5])
}

func describeConductivity(w *World, v *variation) string {
	x := v.facts["substance"]
	return "Your task is to determine if " + x + " is electrically conductive. The " + x + " is located around the " +
		v.facts["substanceLocation"] +
		". First, focus on the " + x + ". If it is electrically conductive, place it in the " + v.facts["conductive"] +
		". If it is electrically nonconductive, place it in the " + v.facts["nonconductive"] + ". "
}

func conductivityGoals(v *variation) (ordered, unordered []goal) {
	x := v.facts["substance"]
	return []goal{
			find(x, "focus on task object"),
			inContainerNot(v.facts[v.facts["right"]], v.facts[v.facts["wrong"]], "put object in correct container"),
		}, []goal{
			newLocation("", "move to a new location"),
			roomHas(x, "be in same location as part to power"),
			wireTo(x, false, "connect the task object's (terminal1/anode) to a wire"),
			wireTo(x, true, "connect the task object's (terminal2/cathode) to a wire"),
			wirePower(x, "", "task object is at least partially connected to power source through wire"),
			wireBulb(x, "task object is at least partially connected to a light bulb through wire"),
			wirePowerBulb("light bulb is at least partially connected to a power source through wire"),
		}
}
