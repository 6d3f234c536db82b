package lab

import (
	"slices"
	"strconv"
	"strings"
)

// validDeed is an entry of the list of valid actions: objects by their places in
// the search that named them.
type validDeed struct {
	action *action
	search *search
	a, b   int // -1 for none
}

// text is the entry as it is typed.
func (v validDeed) text() string {
	switch {
	case v.a < 0:
		return v.action.listed
	case v.b < 0:
		return v.action.listed + " " + v.search.text(v.a)
	}
	return v.action.listed + " " + v.search.text(v.a) + " " + v.action.link + " " + v.search.text(v.b)
}

// validDeeds lists what can be done, in the order in which the reference makes
// its list. It draws: both searches run always.
func (w *World) validDeeds() []validDeed {
	seen, universe := w.validLists()
	seen.run(&w.random)
	universe.run(&w.random)
	l := validLister{World: w, search: seen}
	for i := range actions {
		l.action = &actions[i]
		switch {
		case !isEnabled(l.action.id, w.enabled):
		case l.action.id == teleport:
			l.search = universe
			l.single()
		case l.action.slots == 0:
			l.add(-1, -1)
		case l.action.slots == 1:
			l.single()
		default:
			l.pairs()
		}
	}
	return l.out
}

// validLister makes the list of valid actions.
type validLister struct {
	*World
	search *search
	action *action
	out    []validDeed
}

func (l *validLister) add(a, b int) { l.out = append(l.out, validDeed{l.action, l.search, a, b}) }

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
func (w *World) ValidActions() []string {
	if w.universe == nil {
		return []string{notInitialized}
	}
	var out []string
	if w.choices != nil {
		for i := range w.choices {
			out = append(out, strconv.Itoa(i))
		}
		return sorted(out)
	}
	deeds := w.validDeeds()
	out = make([]string, len(deeds))
	for i, d := range deeds {
		out[i] = d.text()
	}
	return sorted(out)
}

// DrawValidActions does what a call of ValidActions does to the world, for those
// who do not need the list: it draws.
func (w *World) DrawValidActions() {
	if w.universe == nil || w.choices != nil {
		return
	}
	seen, universe := w.validLists()
	seen.run(&w.random)
	universe.run(&w.random)
}

// ValidActionTexts is the list of valid actions in the order in which the
// reference makes it, as in ValidActionsJSON. It draws.
func (w *World) ValidActionTexts() []string {
	if w.universe == nil || w.choices != nil {
		return w.ValidActions()
	}
	deeds := w.validDeeds()
	out := make([]string, len(deeds))
	for i, d := range deeds {
		out[i] = d.text()
	}
	return out
}

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
		for _, v := range w.validDeeds() {
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
