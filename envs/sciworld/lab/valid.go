package lab

import (
	"slices"
	"strconv"
	"strings"
)

// ValidList is a list of the actions that are valid now, with the referents that
// were drawn for it. It says nothing after the next step.
type ValidList struct {
	world          *World
	seen, universe choice
}

// DrawValidActions draws the referents of a list of valid actions. Both searches
// run always.
func (w *World) DrawValidActions() ValidList {
	l := ValidList{world: w}
	if w.universe != nil && w.choices == nil {
		seen, universe := w.validLists()
		l.seen, l.universe = seen.run(&w.random), universe.run(&w.random)
	}
	return l
}

// Sorted lists the actions, sorted; while a question is open, the numbers of the
// choices.
func (l ValidList) Sorted() []string { return sorted(l.Texts()) }

// Texts lists them in the order in which the reference makes its list.
func (l ValidList) Texts() []string {
	w := l.world
	if w.universe == nil {
		return []string{notInitialized}
	}
	var out []string
	if w.choices != nil {
		for i := range w.choices {
			out = append(out, strconv.Itoa(i))
		}
		return out
	}
	deeds := l.deeds()
	out = make([]string, len(deeds))
	for i := range deeds {
		out[i] = deeds[i].text()
	}
	return out
}

// Has reports whether an action is on the list.
func (l ValidList) Has(text string) bool {
	if l.world.universe == nil || l.world.choices != nil {
		return slices.Contains(l.Texts(), text)
	}
	return slices.ContainsFunc(l.deeds(), func(d validDeed) bool {
		return strings.HasPrefix(text, d.action.listed) && d.text() == text
	})
}

// validDeed is an entry of the list: objects by their places in the search that
// named them.
type validDeed struct {
	action *action
	search *search
	choice choice
	a, b   int // -1 for none
}

// text is the entry as it is typed.
func (v *validDeed) text() string {
	switch {
	case v.a < 0:
		return v.action.listed
	case v.b < 0:
		return v.action.listed + " " + v.search.text(v.choice, v.a)
	}
	return v.action.listed + " " + v.search.text(v.choice, v.a) + " " + v.action.link + " " + v.search.text(v.choice, v.b)
}

// deeds lists what can be done, in the order of the reference.
func (l ValidList) deeds() []validDeed {
	seen, universe := l.world.validLists()
	list := validLister{World: l.world, search: seen, choice: l.seen}
	for i := range actions {
		list.action = &actions[i]
		switch {
		case !isEnabled(list.action.id, l.world.enabled):
		case list.action.id == teleport:
			list.search, list.choice = universe, l.universe
			list.single()
		case list.action.slots == 0:
			list.add(-1, -1)
		case list.action.slots == 1:
			list.single()
		default:
			list.pairs()
		}
	}
	return list.out
}

// validLister makes the list of valid actions.
type validLister struct {
	*World
	search *search
	choice choice
	action *action
	out    []validDeed
}

func (l *validLister) add(a, b int) {
	l.out = append(l.out, validDeed{l.action, l.search, l.choice, a, b})
}

// single lists an action with one object.
func (l *validLister) single() {
	id := l.action.id
	for i, x := range l.search.objects {
		d := l.substituted(deed{id: id, a: x})
		if id == pickUp && x.container == l.inventory || id == putDown && x.container != l.inventory {
			continue
		}
		if !l.refuse(d).refused {
			l.add(i, -1)
		}
	}
}

// pairs lists an action with two objects. What depends on one of them alone is
// looked at once.
func (l *validLister) pairs() {
	xs := l.search.objects
	switch l.action.id {
	case move:
		l.into(func(x *Object) bool {
			return x.movable && (x.stuff == nil || x.state == solid)
		}, func(x, y *Object) bool { return x != y })
	case pour:
		l.into(func(x *Object) bool { return !refusePouring(x).refused }, func(x, y *Object) bool {
			return !x.isVessel || !x.holds || x.contents.len() > 0
		})
	case dunk: // the list names the holder of the liquid first
		for i, from := range xs {
			if !slices.ContainsFunc(from.contents.chain, func(o *Object) bool { return o.isVisibleLiquid() && o.movable }) {
				continue
			}
			for j, x := range xs {
				if !refuseDunk(x, from).refused {
					l.add(i, j)
				}
			}
		}
	case useOn:
		for i, x := range xs {
			for j := range xs {
				if x.usable {
					l.add(i, j)
				}
			}
		}
	case connect:
		for i, x := range xs {
			if _, r := terminalOf(x); r.refused {
				continue
			}
			for j, y := range xs {
				if !refuseConnect(x, y).refused {
					l.add(i, j)
				}
			}
		}
	}
}

// into lists what can be brought into something open.
func (l *validLister) into(brings func(x *Object) bool, goes func(x, y *Object) bool) {
	for i, x := range l.search.objects {
		if !brings(x) {
			continue
		}
		for j, y := range l.search.objects {
			if y.isVessel && y.open && goes(x, y) {
				l.add(i, j)
			}
		}
	}
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
		list := w.DrawValidActions()
		for _, v := range list.deeds() {
			var objects []*Object
			for _, i := range []int{v.a, v.b} {
				if i >= 0 {
					objects = append(objects, v.search.objects[i])
				}
			}
			entries = append(entries, entry(v.text(), v.action.number, objects, objects))
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
		ids[i] = strconv.Itoa(o.id)
	}
	kinds := make([]string, len(types))
	for i, o := range types {
		kinds[i] = strconv.Itoa(int(o.kind))
	}
	return `{ "action":"` + text + `", "template_id":` + strconv.Itoa(template) + `, "obj_ids":[` + join(ids, ", ") + `], "type_ids":[` + join(kinds, ", ") + `] }`
}

// possible searches referents of what can be reached here. It draws.
func (w *World) possible() []named { return w.unique(accessible(w.here(), false), w.here()) }

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
			used[n.object.id] = n.text
		}
		entries = append(entries, entry(text, a.number, os, os))
	}
	if w.choices != nil {
		for i := range w.choices {
			entries = append(entries, entry(strconv.Itoa(i), 999, nil, nil))
		}
		for _, n := range objects {
			used[n.object.id] = n.text
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
