package scienceworld

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// taskType is one of the 30 tasks. Its variations come from a table of entries that
// the reference makes at every load, with sample objects and random draws.
type taskType struct {
	name       string
	variations int
	draws      []draws // that its table makes
	first      int     // the number of its first sample object
	make       func(w *World, v int) variation
	describe   func(w *World, v *variation) string
	goals      func(v *variation) (ordered, unordered []goal)
}

// variation is what a task changes in the building, and the words of its text
// and goals.
type variation struct {
	task      string
	modifiers []modifier
	facts     facts
	degrees   float64 // temperature or melting point asked for
	melts     float64 // the melting point of the substance
}

// facts are the data of a variation by the reference's keys.
type facts map[string]string

// modifier changes the building: it places an object or, without one, breaks
// the devices of a name.
type modifier struct {
	object *Object
	name   string
	room   string
	inside []string // place it into one of these containers
	force  bool     // place it even if there is something of that name
}

// putIn places an object in a room.
func putIn(room string, o *Object, name string, inside ...string) modifier {
	return modifier{object: o, name: name, room: room, inside: inside}
}

// forced places it in any case.
func (m modifier) forced() modifier { m.force = true; return m }

// disable breaks devices.
func disable(room, name string) modifier { return modifier{name: name, room: room} }

// draws is a sequence of bounds, drawn some times.
type draws struct {
	times  int
	bounds []int // 2 stands for booleans and floats too: one step of the generator
}

// skip draws numbers and discards them.
func (r *random) skip(list []draws) {
	for _, d := range list {
		for range d.times {
			for _, n := range d.bounds {
				r.intn(n)
			}
		}
	}
}

// shuffleOf9 are the bounds of shuffling nine things.
var shuffleOf9 = []int{9, 8, 7, 6, 5, 4, 3, 2}

// registry are the tasks in the order in which the reference makes their tables
// (tasks §2.2).
var registry = []taskType{
	matterTask("change-the-state-of-matter-of", 1, "change the state of matter of", changeGoals),
	matterTask("melt", 91, "melt", meltGoals),
	matterTask("boil", 181, "boil", boilGoals),
	matterTask("freeze", 271, "freeze", freezeGoals),
	powerTask("power-component", 361, false),
	powerTask("power-component-renewable-vs-nonrenewable-energy", 391, true),
	conductivityTask,
	unknownConductivityTask,
	findTask("find-living-thing", 697, "living thing",
		focusKind("GoalFocusOnLivingThing", aLiving, "focus on a living thing")),
	findTask("find-non-living-thing", 1987, "non-living thing", focusNonliving("focus on a non-living thing")),
	findTask("find-plant", 3277, "plant", focusKind("GoalFocusOnPlant", aPlant, "focus on a plant")),
	findTask("find-animal", 4567, "animal", focusKind("GoalFocusOnAnimal", aAnimal, "focus on an animal")),
	growPlantTask,
	growFruitTask,
	chemistryTask,
	paintTask("chemistry-mix-paint-secondary-color", 7771, false),
	paintTask("chemistry-mix-paint-tertiary-color", 7882, true),
	lifespanTask("lifespan-longest-lived", 7993, "longest"),
	lifespanTask("lifespan-shortest-lived", 8038, "shortest"),
	lifespanTask("lifespan-longest-lived-then-shortest-lived", 8083, "longest", "shortest"),
	animalStagesTask,
	plantStagesTask,
	planesTask("inclined-plane-friction-named-surfaces", 1386, 11608, namedPlanes),
	planesTask("inclined-plane-friction-unnamed-surfaces", 162, 11758, unnamedPlanes),
	planesTask("inclined-plane-determine-angle", 168, 11818, anglePlanes),
	knownGenesTask,
	unknownGenesTask,
	thermometerTask,
	knownMeltingTask,
	unknownMeltingTask,
}

// oldNumbering is the prefix of the tasks' old names, such as "task-2a-".
var oldNumbering = regexp.MustCompile(`task-(\d|a|b)+-`)

// findTaskNamed finds the index of a task in the registry, by its current or its
// old name; -1 if there is none.
func findTaskNamed(name string) int {
	index := func(want string) int {
		return slices.IndexFunc(registry, func(t taskType) bool { return t.name == want })
	}
	if i := index(name); i >= 0 {
		return i
	}
	name = strings.Replace(name, "mendellian", "mendelian", 1)
	if m := oldNumbering.FindStringIndex(name); m != nil {
		name = name[:m[0]] + name[m[1]:]
	}
	return index(strings.NewReplacer("(", "", ")", "").Replace(name))
}

// setUp makes the building and sets the task up (tasks §2.3). It returns the text
// of an error, empty if there is none. After an error, the world has the task of
// finding nothing.
func (w *World) setUp(name string, number int) string {
	trouble := w.trySetUp(name, number)
	if trouble == "" {
		return ""
	}
	w.description = "unknown"
	w.goals = newGoals([]goal{find("random_object_name", "")}, nil)
	return fmt.Sprintf("ERROR: Task (%s): %s", name, trouble)
}

func (w *World) trySetUp(name string, number int) string {
	i := findTaskNamed(name)
	var v variation
	inRange := i >= 0 && number < registry[i].variations
	if inRange {
		v = w.makeTable(i, number)
	}
	w.numbers = registryNumbers
	w.random.seed(int64(number))
	w.build()
	switch {
	case i < 0:
		return fmt.Sprintf("ERROR: Unknown task (%s).", name)
	case !inRange:
		return fmt.Sprintf("ERROR: The requested variation (%d) exceeds the total number of variations (%d).", number,
			registry[i].variations)
	}
	w.random.seed(int64(number))
	for _, m := range v.modifiers {
		if !w.apply(m) {
			return "ERROR: Error running one or more modifiers while setting up task environment."
		}
	}
	v.task, v.modifiers = registry[i].name, nil
	w.variation = v
	ordered, unordered := registry[i].goals(&v)
	w.goals = newGoals(ordered, unordered)
	w.description = registry[i].describe(w, &v)
	return ""
}

// makeTable makes the table of a task and returns one variation of it.
func (w *World) makeTable(i, number int) variation {
	w.random.seed(int64(number))
	for _, before := range registry[:i] {
		w.random.skip(before.draws)
	}
	w.numbers = int32(registry[i].first) - 1
	return registry[i].make(w, number)
}

// apply runs a modifier and reports whether it found its room or device.
func (w *World) apply(m modifier) bool {
	if m.object == nil {
		return w.breakDevices(m.room, m.name)
	}
	places := w.universe.contents.items()
	i := slices.IndexFunc(places, func(x *Object) bool { return x.name == m.room })
	if i < 0 {
		return false
	}
	room := places[i]
	if len(m.inside) == 0 {
		if m.force || !hasBelow(room, m.name) {
			w.put(m.object, room)
		}
		return true
	}
	if !m.force {
		for _, c := range room.contents.items() {
			if slices.Contains(m.inside, c.name) && hasBelow(c, m.name) {
				return true
			}
		}
	}
	objects := slices.Clone(allContents(room))
	slices.SortFunc(objects, func(a, b *Object) int { return int(a.id - b.id) })
	shuffle(&w.random, objects)
	for _, c := range objects {
		if slices.Contains(m.inside, c.name) {
			w.put(m.object, c)
			break
		}
	}
	return true
}

// hasBelow reports whether there is something of a name in a thing, at any
// depth.
func hasBelow(root *Object, name string) bool {
	return slices.ContainsFunc(root.contents.chain, func(x *Object) bool { return x.name == name || hasBelow(x, name) })
}

// breakDevices breaks the devices of a name somewhere in a room.
func (w *World) breakDevices(room, name string) bool {
	found := false
	for _, x := range descendants(w.universe, false, false) {
		if x.name == name && x.isDevice && inside(x, func(c *Object) bool { return c.name == room }) {
			x.broken, found = true, true
		}
	}
	return found
}

// colours are the colours of answer boxes.
var colours = []string{"red", "green", "blue", "orange", "yellow", "purple"}

// box makes an answer box.
func (w *World) box(colour string) *Object { return w.newNamed(AnswerBox, colour+" box") }

// tableRow is one row of a table from which variations are combined.
type tableRow struct {
	modifiers []modifier
	facts     facts
	degrees   float64
	melts     float64
}

// combine joins entries to a variation. If several entries have the same fact,
// the first counts.
func combine(entries ...tableRow) variation {
	v := variation{facts: facts{}}
	for _, e := range entries {
		v.modifiers = append(v.modifiers, e.modifiers...)
		for k, s := range e.facts {
			if _, exists := v.facts[k]; !exists {
				v.facts[k] = s
			}
		}
		if e.degrees != 0 {
			v.degrees = e.degrees
		}
		if e.melts != 0 {
			v.melts = e.melts
		}
	}
	return v
}

// boxPairs makes the five pairs of neighbouring colours in a room. The keys name
// the first and the second box.
func (w *World) boxPairs(room, first, second string, extra facts) []tableRow {
	var out []tableRow
	for i := range 5 {
		a, b := colours[i]+" box", colours[i+1]+" box"
		e := tableRow{facts: facts{first: a, second: b}}
		for k, s := range extra {
			e.facts[k] = s
		}
		e.modifiers = []modifier{putIn(room, w.box(colours[i]), a), putIn(room, w.box(colours[i+1]), b)}
		out = append(out, e)
	}
	return out
}

// sortBy sorts a table stably by a fact.
func sortBy(table []tableRow, key string) {
	slices.SortStableFunc(table, func(a, b tableRow) int { return strings.Compare(a.facts[key], b.facts[key]) })
}
