package scienceworld

// This file has the tasks of inclined planes (tasks §5.12 and §5.13).

// surface is the property by which the inclined planes of a table are compared.
type surface struct {
	label string // substance or letter
	value float64
	call  string // the plane's name
}

// planeSet is a table of planes.
type planeSet struct {
	kind     string   // "friction" or "angle"
	smaller  string   // how the task calls what has the smaller value
	greater  string   // and the greater one
	distance float64  // pairs that are not further apart are left out
	stuffs   []string // surfaces of planes at 45 degrees
	shuffled int      // the seed with which these are shuffled
	angles   []angle  // planes of different angles
	named    bool     // whether the texts of goals name the planes
}

// angle is a plane of a letter.
type angle struct {
	letter  string
	degrees int
}

var namedPlanes = planeSet{
	kind: "friction", smaller: "least", greater: "most", distance: 0.05, shuffled: 3, named: true,
	stuffs: []string{
		"aluminum", "brass", "bronze", "caesium", "copper", "iron", "lead", "platinum", "steel", "tin", "titanium",
		"zinc", "glass", "plastic", "ceramic",
		"wood", "paper", "sandpaper", "cotton cloth", "rubber", "chocolate", "soapy water", "green paint",
	},
}

var unnamedPlanes = planeSet{
	kind: "friction", smaller: "least", greater: "most", distance: 0.05, shuffled: 4,
	stuffs: []string{"unknown B", "unknown C", "unknown D", "unknown E", "unknown F", "unknown G", "unknown H",
		"unknown J"},
}

var anglePlanes = planeSet{
	kind: "angle", smaller: "shallowest", greater: "steepest", distance: 5,
	angles: []angle{{"B", 70}, {"C", 80}, {"D", 20}, {"E", 10}, {"F", 60}, {"G", 40}, {"H", 30}, {"J", 50}},
}

// planeOf is a plane that is made for a surface.
type planeOf struct {
	surface
	object *Object
}

// variation makes all pairs of planes and returns one.
func (set *planeSet) variation(w *World, v int) variation {
	x, y := set.make(w), set.make(w)
	blocks := []*Object{w.new(WoodBlock), w.new(SteelBlock), w.new(Brick)}
	watch := w.new(StopWatch)
	count := 0
	for _, a := range x {
		for _, b := range y {
			if gap := a.value - b.value; max(gap, -gap) <= set.distance {
				continue
			}
			if v < count+len(blocks) {
				return set.combine(a, b, blocks[v-count], watch, v)
			}
			count += len(blocks)
		}
	}
	panic("lab: there are fewer pairs of planes than variations")
}

// make makes all planes of a table.
func (set *planeSet) make(w *World) []planeOf {
	var out []planeOf
	for _, a := range set.angles {
		s := surface{a.letter, float64(a.degrees), "inclined plane " + a.letter}
		out = append(out, planeOf{s, w.newPlane(a.degrees, defaultFriction, a.letter)})
	}
	for _, stuff := range set.stuffs {
		m := materials[stuff]
		s := surface{m.Substance, m.Friction, "inclined plane with a " + m.Substance + " surface"}
		out = append(out, planeOf{s, w.newPlane(45, m, "")})
	}
	if set.stuffs != nil {
		shuffle(seeded(set.shuffled), out)
	}
	return out
}

func (set *planeSet) combine(a, b planeOf, block, watch *Object, v int) variation {
	low, high := a, b
	if low.value > high.value {
		low, high = high, low
	}
	mode, answer := set.greater, high.label
	if (v%2 == 0) == (set.kind == "angle") {
		mode, answer = set.smaller, low.label
	}
	planes, named := low.label+","+high.label, [2]string{}
	if set.angles != nil {
		planes = high.label + "," + low.label
	}
	if set.named {
		named = [2]string{" (plane 1)", " (plane 2)"}
	}
	return combine(tableRow{
		modifiers: []modifier{
			putIn("workshop", a.object, a.call).forced(), putIn("workshop", b.object, b.call).forced(),
			putIn("workshop", block, block.name).forced(), putIn("workshop", watch, "stopwatch"),
		},
		facts: facts{
			"planes": planes, "mode": mode, "answer": answer, "blockName": block.name,
			"planeName1": a.call, "planeName2": b.call, "named1": named[0], "named2": named[1],
		},
	})
}
