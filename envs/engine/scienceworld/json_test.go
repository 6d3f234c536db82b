package scienceworld

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// packageOf is the prefix of the reference's class names.
const packageOf = "scienceworld.objects."

// PossibleActionsWithIDs lists the templates of actions with their numbers; while
// a question is open, the choices (core §12.2).
func (w *World) PossibleActionsWithIDs() string {
	var entries []string
	add := func(text, template string) {
		entries = append(entries, `{"action_example":`+quoted(text)+`, "template_id":`+template+`}`)
	}
	if w.choices != nil {
		for i := range w.choices {
			add(strconv.Itoa(i), "100"+strconv.Itoa(i))
		}
	} else {
		for _, a := range w.actions {
			add(a.Template, strconv.Itoa(a.Number))
		}
	}
	return "[" + strings.Join(entries, ", ") + "]"
}

// numberOrder brings different numbers into the order of an immutable map that
// was filled from a mutable one (core §2.6, §2.7).
func numberOrder(ns []int) []int {
	ns = mapOrder(ns)
	if len(ns) < trieMembers {
		return ns
	}
	slices.SortStableFunc(ns, func(a, b int) int {
		return cmp.Compare(trieKey(improve(uint32(a))), trieKey(improve(uint32(b))))
	})
	return ns
}

// mapOrder brings different numbers into the order in which a mutable map enumerates them after they were put in.
func mapOrder(ns []int) []int {
	const firstBuckets, rotation = 16, 4
	place := func(n, width int) int {
		m := mix(uint32(n))
		return int((m>>rotation | m<<(32-rotation)) >> (32 - width))
	}
	width := 4
	buckets := make([][]int, firstBuckets)
	put := func(n int) {
		b := place(n, width)
		buckets[b] = slices.Insert(buckets[b], 0, n)
	}
	for i, n := range ns {
		put(n)
		if i+1 <= len(buckets)*3/4 {
			continue
		}
		old := buckets
		width++
		buckets = make([][]int, 1<<width)
		for b := len(old) - 1; b >= 0; b-- {
			for _, n := range old[b] {
				put(n)
			}
		}
	}
	out := make([]int, 0, len(ns))
	for b := len(buckets) - 1; b >= 0; b-- {
		out = append(out, buckets[b]...)
	}
	return out
}

// ObjectReferents is a table of what can be reached here: numbers of objects with referents. It draws.
func (w *World) ObjectReferents() string {
	if w.universe == nil {
		return notInitialized
	}
	texts := map[int]string{}
	var ids []int
	for _, n := range w.possible() {
		texts[int(n.object.id)] = n.text
		ids = append(ids, int(n.object.id))
	}
	var entries []string
	for _, id := range numberOrder(ids) {
		entries = append(entries, quoted(strconv.Itoa(id))+": "+quoted(texts[id]))
	}
	return "{" + strings.Join(entries, ", ") + "}"
}

// ObjectReferentsByType is the same table, by the types of the objects. It draws.
func (w *World) ObjectReferentsByType() string {
	if w.universe == nil {
		return notInitialized
	}
	byKind := map[int][]named{}
	var types []int
	for _, n := range w.possible() {
		k := int(n.object.kind)
		if byKind[k] == nil {
			types = append(types, k)
		}
		byKind[k] = append(byKind[k], n)
	}
	var entries []string
	for _, k := range numberOrder(types) {
		s := quoted(strconv.Itoa(k)) + ": {"
		for _, n := range byKind[k] {
			s += quoted(strconv.Itoa(int(n.object.id))) + ":" + quoted(n.text) + ", "
		}
		entries = append(entries, s+`"desc":`+quoted(packageOf+kinds[k].Class)+"}")
	}
	return "{" + strings.Join(entries, ", ") + "}"
}

// ObjectTypes is a table of all objects of the world with the numbers of their types.
func (w *World) ObjectTypes() string {
	if w.universe == nil {
		return notInitialized
	}
	types := map[int]ObjectKind{}
	var ids []int
	for _, o := range w.collect(w.universe, true) {
		types[int(o.id)] = o.kind
		ids = append(ids, int(o.id))
	}
	var entries []string
	for _, id := range numberOrder(ids) {
		entries = append(entries, quoted(strconv.Itoa(id))+": "+quoted(strconv.Itoa(int(types[id]))))
	}
	return "{" + strings.Join(entries, ", ") + "}"
}

// ObjectIDsTypesReferents is a table of all objects with types and referents.
func (w *World) ObjectIDsTypesReferents() string {
	if w.universe == nil {
		return notInitialized
	}
	var entries []string
	for _, o := range w.collect(w.universe, true) {
		if o.isTerminal() && w.enabled&noElectricalAction != 0 {
			continue
		}
		refs := make([]string, 0, 8)
		for _, r := range o.referents() {
			refs = append(refs, quoted(r))
		}
		entries = append(entries, quoted(strconv.Itoa(int(o.id)))+`:{ "type_id":`+strconv.Itoa(int(o.kind))+
			`, "referents":[`+strings.Join(refs, ", ")+`] }`)
	}
	return "{ " + strings.Join(entries, ", ") + " }"
}

// Combinations lists all actions with all objects, possible or not, with the
// objects' numbers (core §12.3). It draws.
func (w *World) Combinations() string {
	if w.universe == nil {
		return notInitialized
	}
	objects := w.possible()
	var entries []string
	used := map[int]string{}
	add := func(a *action, ns ...named) {
		text := a.Template
		var os []*Object
		for _, n := range ns {
			text = strings.Replace(text, "OBJ", n.text, 1)
			os = append(os, n.object)
			used[int(n.object.id)] = n.text
		}
		entries = append(entries, entry(text, a.Number, os, os))
	}
	if w.choices != nil {
		for i := range w.choices {
			entries = append(entries, entry(strconv.Itoa(i), 999, nil, nil))
		}
		for _, n := range objects {
			used[int(n.object.id)] = n.text
		}
	} else {
		for _, a := range w.actions {
			switch a.Slots {
			case 0:
				add(a)
			case 1:
				for _, x := range objects {
					add(a, x)
				}
			default:
				for i, x := range objects {
					for _, y := range objects[i+1:] {
						add(a, x, y)
						add(a, y, x)
					}
				}
			}
		}
	}
	ids := make([]int, 0, len(used))
	for id := range used {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var table []string
	for _, id := range ids {
		table = append(table, quoted(strconv.Itoa(id))+": "+quoted(used[id]))
	}
	return `{"templates": [` + strings.Join(entries, ",") + `], "lookUpTable": {` + strings.Join(table, ",") + `}}`
}

// quoted puts a text in quotes; the reference escapes nothing.
func quoted(s string) string { return `"` + s + `"` }
