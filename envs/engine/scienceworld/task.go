package scienceworld

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// taskType is one of the 30 tasks. Its variations come from a table of entries that
// the reference makes at every load, with sample objects and random draws.
type taskType struct {
	Name               string
	Variations         int
	Draws              []draws // that its table makes
	First              int     // the number of its first sample object
	Text               string  // with the slots of its goals
	Ordered, Unordered []goal
}

//go:embed tasks.json
var tasksFile []byte

// taskTables has the tasks in the order in which the reference makes their tables
// (tasks §2.2), and groups of goals that several have.
type taskTables struct {
	Groups map[string][]goal
	Tasks  []taskType
}

var taskTable = sync.OnceValue(func() *taskTables { return table[*taskTables](tasksFile) })

func registry() []taskType { return taskTable().Tasks }

// plays are what makes a variation of each task, and the script that solves it. It ends early if the reference's
// script gives up.
var plays = map[string]struct {
	make  func(w *World, v int) variation
	solve func(p *player, v *variation)
}{
	"change-the-state-of-matter-of": {makeMatter, changeState},
	"melt":                          {makeMatter, changeState},
	"boil":                          {makeMatter, changeState},
	"freeze":                        {makeMatter, changeState},
	"power-component":               {makePower, powerPart},
	"power-component-renewable-vs-nonrenewable-energy": {makeChosenPower, powerPart},
	"test-conductivity":                          {makeConductivity, testConductivity},
	"test-conductivity-of-unknown-substances":    {makeUnknownConductivity, testConductivity},
	"find-living-thing":                          {makeFind, findAlive},
	"find-non-living-thing":                      {makeFind, findDead},
	"find-plant":                                 {makeFind, findAlive},
	"find-animal":                                {makeFind, findAlive},
	"grow-plant":                                 {makeGrow, growPlant},
	"grow-fruit":                                 {makeGrow, growFruit},
	"chemistry-mix":                              {makeChemistry, mixChemicals},
	"chemistry-mix-paint-secondary-color":        {makePaint, mixPaint},
	"chemistry-mix-paint-tertiary-color":         {makePaint, mixPaint},
	"lifespan-longest-lived":                     {makeLifespan, focusOnAnimals},
	"lifespan-shortest-lived":                    {makeLifespan, focusOnAnimals},
	"lifespan-longest-lived-then-shortest-lived": {makeLifespan, focusOnAnimals},
	"identify-life-stages-1":                     {makeAnimalStages, focusOnStages},
	"identify-life-stages-2":                     {makePlantStages, focusOnStages},
	"inclined-plane-friction-named-surfaces":     {makePlanes("named"), comparePlanes},
	"inclined-plane-friction-unnamed-surfaces":   {makePlanes("unnamed"), comparePlanes},
	"inclined-plane-determine-angle":             {makePlanes("angles"), comparePlanes},
	"mendelian-genetics-known-plant":             {makeKnownGenes, determineGenes},
	"mendelian-genetics-unknown-plant":           {makeUnknownGenes, determineGenes},
	"use-thermometer":                            {makeThermometer, useThermometer},
	"measure-melting-point-known-substance":      {makeKnownMelting, measureMelting},
	"measure-melting-point-unknown-substance":    {makeUnknownMelting, measureMelting},
}

// variation is what a task changes in the building, and the words of its text
// and goals; or a row of a table from which it is combined.
type variation struct {
	task      string
	modifiers []modifier
	facts     facts
	degrees   float64 // temperature or melting point asked for
	melts     float64 // the melting point of the substance
}

// facts are the data of a variation by the reference's keys.
type facts map[string]string

// modifier changes the building: it places an object or, without one, breaks the devices of a name.
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
	Times  int
	Bounds []int // 2 stands for booleans and floats too: one step of the generator
}

// skip draws numbers and discards them.
func (r *random) skip(list []draws) {
	for _, d := range list {
		for range d.Times {
			for _, n := range d.Bounds {
				r.intn(n)
			}
		}
	}
}

// oldNumbering is the prefix of the tasks' old names, such as "task-2a-".
var oldNumbering = regexp.MustCompile(`task-(\d|a|b)+-`)

// findTaskNamed finds the index of a task in the registry, by its current or its old name; -1 if there is none.
func findTaskNamed(name string) int {
	index := func(want string) int {
		return slices.IndexFunc(registry(), func(t taskType) bool { return t.Name == want })
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

// setUp makes the building and sets the task up (tasks §2.3). It returns the text of an error, empty if there is
// none. After an error, the world has the task of finding nothing.
func (w *World) setUp(name string, number int) string {
	trouble := w.trySetUp(name, number)
	if trouble == "" {
		return ""
	}
	w.description = "unknown"
	never := new(variation).goal(goal{Goal: "GoalFind", About: []string{"random_object_name"}}, noItem)
	w.goals = newGoals([]goal{never}, nil)
	return fmt.Sprintf("ERROR: Task (%s): %s", name, trouble)
}

func (w *World) trySetUp(name string, number int) string {
	i := findTaskNamed(name)
	var v variation
	inRange := i >= 0 && number < registry()[i].Variations
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
			registry()[i].Variations)
	}
	w.random.seed(int64(number))
	for _, m := range v.modifiers {
		if !w.apply(m) {
			return "ERROR: Error running one or more modifiers while setting up task environment."
		}
	}
	v.task, v.modifiers, v.facts["degrees"] = registry()[i].Name, nil, javaDouble(v.degrees)
	w.variation = v
	w.goals = newGoals(v.goals(registry()[i].Ordered, noItem), v.goals(registry()[i].Unordered, noItem))
	w.description = w.describe(&registry()[i])
	return ""
}

// describe makes the text of a task of the world's variation. It names two planes in an order that it draws.
func (w *World) describe(t *taskType) string {
	if planes := w.variation.facts["planes"]; planes != "" {
		pair := strings.Split(planes, ",")
		shuffle(&w.random, pair)
		w.variation.facts["pair"] = strings.Join(pair, ", ")
	}
	return w.variation.fill(t.Text)
}

// fill fills the slots of a text with the facts of the variation.
func (v *variation) fill(text string) string {
	return fill(text, func(key string) string {
		if name, ok := strings.CutPrefix(key, "*"); ok { // the fact that a fact names
			key = v.facts[name]
		}
		return v.facts[key]
	})
}

// javaDouble is how Java prints a number that is a whole one or has few digits.
func javaDouble(x float64) string {
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// makeTable makes the table of a task and returns one variation of it.
func (w *World) makeTable(i, number int) variation {
	w.random.seed(int64(number))
	for _, table := range registry()[:i] {
		w.random.skip(table.Draws)
	}
	w.numbers = int32(registry()[i].First) - 1
	return plays[registry()[i].Name].make(w, number)
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

// hasBelow reports whether there is something of a name in a thing, at any depth.
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

// combine joins entries to a variation. If several entries have the same fact, the first counts.
func combine(entries ...variation) variation {
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

// boxPairs makes the five pairs of neighbouring colours in a room. The keys name the first and the second box.
func (w *World) boxPairs(room, first, second string) []variation {
	var out []variation
	for i := range 5 {
		a, b := colours[i]+" box", colours[i+1]+" box"
		out = append(out, variation{
			modifiers: []modifier{putIn(room, w.box(colours[i]), a), putIn(room, w.box(colours[i+1]), b)},
			facts:     facts{first: a, second: b, "locationAnswerBox": room},
		})
	}
	return out
}

// sortBy sorts a table stably by a fact.
func sortBy(table []variation, key string) {
	slices.SortStableFunc(table, func(a, b variation) int { return strings.Compare(a.facts[key], b.facts[key]) })
}
