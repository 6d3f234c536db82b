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

func makePower(w *World, v int) variation {
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
	return out
}

// makeChosenPower wants one of the sources; else any will do.
func makeChosenPower(w *World, v int) variation {
	out := makePower(w, v)
	out.facts["wanted"] = out.facts[out.facts["kind"]+"Source"]
	return out
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

// conductivity joins entries to a variation, and says which boxes are right and wrong.
func conductivity(entries ...tableRow) variation {
	v := combine(entries...)
	v.facts["rightBox"], v.facts["wrongBox"] = v.facts[v.facts["right"]], v.facts[v.facts["wrong"]]
	return v
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
	return conductivity(battery, part[v/5%5], boxes[v%5], table[v/25])
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
	return conductivity(battery, part[v/5%5], boxes[v%5], table[v/25])
}
