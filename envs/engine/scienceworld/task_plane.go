package scienceworld

// This file has the tasks of inclined planes (tasks §5.12 and §5.13).

// planeSet is a table of planes.
type planeSet struct {
	Smaller  string   // how the task calls what has the smaller value
	Greater  string   // and the greater one
	Distance float64  // pairs that are not further apart are left out
	Stuffs   []string // surfaces of planes at 45 degrees
	Shuffled int      // the seed with which these are shuffled
	Angles   []struct {
		Letter  string
		Degrees int
	}
	Named bool // whether the texts of goals name the planes
}

// madePlane is a plane of a table.
type madePlane struct {
	label  string  // substance or letter
	value  float64 // by which planes are compared
	call   string  // its name
	object *Object
}

// makePlanes makes all pairs of planes of a table and returns one.
func makePlanes(name string) func(w *World, v int) variation {
	return func(w *World, v int) variation { return lists().Planes[name].variation(w, v) }
}

func (set *planeSet) variation(w *World, v int) variation {
	x, y := set.make(w), set.make(w)
	blocks := w.newAll(lists().Blocks)
	watch := w.new(StopWatch)
	count := 0
	for _, a := range x {
		for _, b := range y {
			if gap := a.value - b.value; max(gap, -gap) <= set.Distance {
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
func (set *planeSet) make(w *World) []madePlane {
	var out []madePlane
	for _, a := range set.Angles {
		out = append(out, madePlane{a.Letter, float64(a.Degrees), "inclined plane " + a.Letter,
			w.newPlane(a.Degrees, defaultFriction, a.Letter)})
	}
	for _, stuff := range set.Stuffs {
		m := materials[stuff]
		out = append(out, madePlane{m.Substance, m.Friction, "inclined plane with a " + m.Substance + " surface",
			w.newPlane(45, m, "")})
	}
	if set.Stuffs != nil {
		shuffle(seeded(set.Shuffled), out)
	}
	return out
}

func (set *planeSet) combine(a, b madePlane, block, watch *Object, v int) variation {
	low, high := a, b
	if low.value > high.value {
		low, high = high, low
	}
	mode, answer := set.Greater, high.label
	if (v%2 == 0) == (set.Angles != nil) {
		mode, answer = set.Smaller, low.label
	}
	planes, named := low.label+","+high.label, [2]string{}
	if set.Angles != nil {
		planes = high.label + "," + low.label
	}
	if set.Named {
		named = [2]string{" (plane 1)", " (plane 2)"}
	}
	return combine(variation{
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
