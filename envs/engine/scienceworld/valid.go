package scienceworld

import (
	"slices"
	"strconv"
	"strings"
)

// ValidList is a list of the actions that are valid now, with the referents that
// were drawn for it. It is invalid after the next step.
type ValidList struct {
	world            *World
	nearby, universe referents
}

// DrawValidActions draws the referents of a list of valid actions. Both searches
// always run.
func (w *World) DrawValidActions() ValidList {
	l := ValidList{world: w}
	if w.universe != nil && w.choices == nil {
		nearby, universe := w.validLists()
		l.nearby, l.universe = nearby.run(w), universe.run(w)
	}
	return l
}

// In is the list of the same moment in a fork of its world.
func (l ValidList) In(fork *World) ValidList { return ValidList{fork, l.nearby, l.universe} }

// Sorted lists the actions, sorted; while a question is open, the numbers of the
// choices. The caller does not change the list, which may be given again.
func (l ValidList) Sorted() []string {
	w := l.world
	if w.universe == nil || w.choices != nil {
		return sorted(l.Texts())
	}
	list := l.lister()
	defer list.release()
	return list.sorted()
}

// Texts lists them in the order in which the reference makes its list.
func (l ValidList) Texts() (out []string) {
	w := l.world
	if w.universe == nil {
		return []string{notInitialized}
	}
	if w.choices != nil {
		for i := range w.choices {
			out = append(out, strconv.Itoa(i))
		}
		return out
	}
	list := l.lister()
	defer list.release()
	for d := range list.deeds() {
		out = append(out, string(list.append(nil, d)))
	}
	return out
}

// Contains reports whether an action is on the list.
func (l ValidList) Contains(text string) bool {
	if l.world.universe == nil || l.world.choices != nil {
		return slices.Contains(l.Texts(), text)
	}
	list := l.lister()
	defer list.release()
	for i := range actions {
		a := &actions[i]
		if words, ok := strings.CutPrefix(text, a.listed); ok && list.contains(a, words) {
			return true
		}
	}
	return false
}

// ValidActions lists what can be done now, sorted; while a question is open, the
// numbers of the choices. It draws.
func (w *World) ValidActions() []string { return w.DrawValidActions().Sorted() }

// ValidActionsJSON is the list of valid actions with the numbers of the objects
// (core §12.4). It draws.
func (w *World) ValidActionsJSON() string {
	if w.universe == nil {
		return notInitialized
	}
	var entries []string
	if w.choices != nil {
		for i, d := range w.choices {
			entries = append(entries, entry(strconv.Itoa(i), 100+i, d.variables(), nil))
		}
	} else {
		list := w.DrawValidActions().lister()
		defer list.release()
		for v := range list.deeds() {
			objects := list.objectsOf(v)
			entries = append(entries, entry(string(list.append(nil, v)), actions[v.id].number, objects, objects))
		}
	}
	return `{"validActions": [` + join(entries, ",") + `]}`
}

// variables lists the objects of a deed as the reference's map of variables
// enumerates them (core §9.3).
func (d deed) variables() []*Object {
	switch {
	case d.a == nil:
		return nil
	case actions[d.id].slots < 2:
		return []*Object{d.a}
	}
	return []*Object{d.b, d.a}
}

// entry is an action in a JSON list.
func entry(text string, template int, objects, types []*Object) string {
	ids := make([]string, len(objects))
	for i, o := range objects {
		ids[i] = strconv.Itoa(int(o.id))
	}
	kinds := make([]string, len(types))
	for i, o := range types {
		kinds[i] = strconv.Itoa(int(o.kind))
	}
	return `{ "action":"` + text + `", "template_id":` + strconv.Itoa(template) + `, "obj_ids":[` + join(ids, ", ") +
		`], "type_ids":[` + join(kinds, ", ") + `] }`
}

// possible searches referents of what can be reached here. It draws.
func (w *World) possible() []named { return w.unique(accessible(w.place(), false), w.place()) }

// PossibleObjects lists what can be spoken of here, sorted. It draws.
func (w *World) PossibleObjects() []string {
	if w.universe == nil {
		return []string{notInitialized}
	}
	var out []string
	for _, n := range w.possible() {
		out = append(out, n.text)
	}
	return out
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
		text := a.template
		var os []*Object
		for _, n := range ns {
			text = strings.Replace(text, "OBJ", n.text, 1)
			os = append(os, n.object)
			used[int(n.object.id)] = n.text
		}
		entries = append(entries, entry(text, a.number, os, os))
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
			switch a.slots {
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
	return `{"templates": [` + join(entries, ",") + `], "lookUpTable": {` + join(table, ",") + `}}`
}

// quoted puts a text in quotes; the reference escapes nothing.
func quoted(s string) string { return `"` + s + `"` }
