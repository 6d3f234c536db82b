package scienceworld

import (
	"slices"
	"strings"
)

// This file has the tasks of electricity (tasks §5.2 to §5.4).

// partEntries makes the parts that circuits power. The key names each.
func (w *World) partEntries(key string) []variation {
	var out []variation
	for _, p := range lists().Parts {
		o := w.newNamed(p.Kind, p.Name)
		out = append(out, variation{modifiers: []modifier{putIn("workshop", o, p.Name)}, facts: facts{key: p.Name}})
	}
	return out
}

// placed places one of each kind in a room. The key names each.
func (w *World) placed(room, key string, ks ...ObjectKind) (out []variation) {
	for _, o := range w.newAll(ks) {
		out = append(out, variation{modifiers: []modifier{putIn(room, o, o.name)}, facts: facts{key: o.name}})
	}
	return out
}

func makePower(w *World, v int) variation {
	battery := w.placed("workshop", "battery", Battery)[0]
	parts := w.partEntries("componentToPower")
	renewable := w.placed("workshop", "renewableSource", lists().Renewable...)
	nonrenewable := w.placed("workshop", "nonrenewableSource", lists().Nonrenewable...)
	part := variation{facts: parts[v/4].facts}
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

func conductorFacts(name, room string, conducts bool) facts {
	f := facts{"substance": name, "substanceLocation": room, "right": "nonconductive", "wrong": "conductive"}
	if conducts {
		f["right"], f["wrong"] = f["wrong"], f["right"]
	}
	return f
}

func makeConductivity(w *World, v int) variation {
	battery := w.placed("workshop", "battery", Battery)[0]
	part := w.partEntries("partToPower")
	var table []variation
	for _, room := range []string{"workshop", "kitchen", "living room"} {
		for _, k := range lists().Tested {
			o := w.new(k)
			e := variation{facts: conductorFacts(o.name, room, slices.Contains(lists().Conductors, k))}
			if k != Water {
				e.modifiers = []modifier{putIn(room, o, o.name).forced()}
			}
			table = append(table, e)
		}
	}
	sortBy(table, "substance")
	boxes := w.boxPairs("workshop", "conductive", "nonconductive")
	return combine(battery, part[v/5%5], boxes[v%5], table[v/25])
}

// letters are the names of unknown substances.
const letters = "BCDEFGHJKLMNOPQRSTUVWXYZ"

func makeUnknownConductivity(w *World, v int) variation {
	battery := w.placed("workshop", "battery", Battery)[0]
	part := w.partEntries("partToPower")
	var table []variation
	for _, letter := range strings.Split(letters, "") {
		conducts := w.random.float() >= 0.5
		o := w.newNamed(UnknownSubstanceElectricalConductivity, "unknown substance "+letter)
		o.stuff = new(*materials["metal"])
		o.stuff.Electric = conducts
		e := variation{facts: conductorFacts(o.name, "workshop", conducts)}
		e.modifiers = []modifier{putIn("workshop", o, o.name)}
		table = append(table, e)
	}
	boxes := w.boxPairs("workshop", "conductive", "nonconductive")
	return combine(battery, part[v/5%5], table[v/25], boxes[v%5])
}
