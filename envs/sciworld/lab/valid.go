package lab

import (
	"slices"
	"strconv"
	"strings"
)

// ValidList is a list of the actions that are valid now, with the referents that
// were drawn for it. It is invalid after the next step.
type ValidList struct {
	world          *World
	seen, universe choice
}

// DrawValidActions draws the referents of a list of valid actions. Both searches
// always run.
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
func (l ValidList) Sorted() []string {
	out := l.texts((*validLister).nearlySorted)
	if !slices.IsSorted(out) {
		slices.Sort(out)
	}
	return out
}

// Texts lists them in the order in which the reference makes its list.
func (l ValidList) Texts() []string { return l.texts((*validLister).deeds) }

func (l ValidList) texts(order func(*validLister) []validDeed) []string {
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
	list := l.lister()
	deeds := order(list)
	out = make([]string, len(deeds))
	b, ends := w.listText[:0], w.listEnds[:0]
	for _, d := range deeds {
		b = list.append(b, d)
		ends = append(ends, len(b))
	}
	w.listText, w.listEnds = b, ends
	all, from := string(b), 0
	for i, end := range ends {
		out[i], from = all[from:end], end
	}
	return out
}

// Has reports whether an action is on the list.
func (l ValidList) Has(text string) bool {
	if l.world.universe == nil || l.world.choices != nil {
		return slices.Contains(l.Texts(), text)
	}
	list := l.lister()
	return slices.ContainsFunc(list.deeds(), func(d validDeed) bool {
		return strings.HasPrefix(text, actions[d.id].listed) && string(list.append(nil, d)) == text
	})
}

// validDeed is an entry of the list: objects by their places in the search that
// named them, -1 for none.
type validDeed struct {
	a, b int32
	id   actionID
}

// append adds an entry as it is typed.
func (l *validLister) append(b []byte, v validDeed) []byte {
	a, s, c := &actions[v.id], l.search, l.choice
	if v.id == teleport {
		s, c = l.everywhere, l.from.universe
	}
	b = append(b, a.listed...)
	if v.a >= 0 {
		b = append(b, ' ')
		b = append(b, s.text(c, int(v.a))...)
	}
	if v.b >= 0 {
		b = append(b, ' ')
		b = append(b, a.link...)
		b = append(b, ' ')
		b = append(b, s.text(c, int(v.b))...)
	}
	return b
}

// objects returns the objects of an entry.
func (l *validLister) objects(v validDeed) (out []*Object) {
	s := l.search
	if v.id == teleport {
		s = l.everywhere
	}
	for _, i := range []int32{v.a, v.b} {
		if i >= 0 {
			out = append(out, s.objects[i])
		}
	}
	return out
}

// deeds lists what can be done, in the order of the reference.
func (l *validLister) deeds() []validDeed {
	for i := range actions {
		l.list(&actions[i], l.asFound, l.asFound)
	}
	l.listDeeds = l.out
	return l.out
}

// nearlySorted lists what can be done in an order that is sorted except for rare
// referents: actions by their words, objects by their referents.
func (l *validLister) nearlySorted() []validDeed {
	byText := l.sorted(l.asFound, "")
	byLink := map[string][]int32{"": byText}
	for _, id := range actionsSorted {
		a := &actions[id]
		if byLink[a.link] == nil {
			byLink[a.link] = l.sorted(byText, " "+a.link+" ")
		}
		l.list(a, byLink[a.link], byText)
	}
	l.listDeeds = l.out
	return l.out
}

// actionsSorted are the actions in the order of their words in the list.
var actionsSorted = func() (ids []actionID) {
	for i := range actions {
		ids = append(ids, actions[i].id)
	}
	slices.SortFunc(ids, func(a, b actionID) int { return strings.Compare(actions[a].listed, actions[b].listed) })
	return ids
}()

// validLister makes the list of valid actions.
type validLister struct {
	*World
	from       ValidList
	search     *search // of what is seen
	everywhere *search
	choice     choice
	asFound    []int32 // the objects in their order
	action     *action
	first      []int32 // the objects in the order of the list
	second     []int32
	out        []validDeed
}

func (l ValidList) lister() *validLister {
	seen, everywhere := l.world.validLists()
	list := &validLister{World: l.world, from: l, search: seen, everywhere: everywhere, choice: l.seen, out: l.world.listDeeds[:0]}
	list.asFound = make([]int32, len(seen.objects))
	for i := range list.asFound {
		list.asFound[i] = int32(i)
	}
	return list
}

// sorted sorts objects by their referents with an ending.
func (l *validLister) sorted(objects []int32, ending string) []int32 {
	out := slices.Clone(objects)
	slices.SortStableFunc(out, func(a, b int32) int {
		return compareEnded(l.search.text(l.choice, int(a)), l.search.text(l.choice, int(b)), ending)
	})
	return out
}

// compareEnded compares two texts with an ending.
func compareEnded(a, b, ending string) int {
	n := min(len(a), len(b))
	switch c := strings.Compare(a[:n], b[:n]); {
	case c != 0 || len(a) == len(b):
		return c
	case len(a) < len(b):
		return strings.Compare(ending, b[n:]+ending)
	}
	return strings.Compare(a[n:]+ending, ending)
}

// list lists one action, with the objects in given orders.
func (l *validLister) list(a *action, first, second []int32) {
	l.action, l.first, l.second = a, first, second
	switch {
	case !isEnabled(a.id, l.enabled):
	case a.id == teleport:
		l.teleports()
	case a.slots == 0:
		l.add(-1, -1)
	case a.slots == 1:
		l.single()
	default:
		l.pairs()
	}
}

func (l *validLister) add(a, b int32) { l.out = append(l.out, validDeed{a, b, l.action.id}) }

// teleports lists the places of the whole world.
func (l *validLister) teleports() {
	for i, x := range l.everywhere.objects {
		if x.is(aLocation) && !l.refuse(deed{id: teleport, a: x}).refused {
			l.add(int32(i), -1)
		}
	}
}

// single lists an action with one object.
func (l *validLister) single() {
	id := l.action.id
	for _, i := range l.first {
		x := l.search.objects[i]
		d := l.substituted(deed{id: id, a: x})
		if id == pickUp && x.container == l.inventory || id == putDown && x.container != l.inventory {
			continue
		}
		if !l.refuse(d).refused {
			l.add(i, -1)
		}
	}
}

// pairs lists an action with two objects. Checks that depend on only one of them
// run once.
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
		for _, i := range l.first {
			from := xs[i]
			if !slices.ContainsFunc(from.contents.chain, func(o *Object) bool { return o.isVisibleLiquid() && o.movable }) {
				continue
			}
			for _, j := range l.second {
				if !refuseDunk(xs[j], from).refused {
					l.add(i, j)
				}
			}
		}
	case useOn:
		for _, i := range l.first {
			if !xs[i].usable {
				continue
			}
			for _, j := range l.second {
				l.add(i, j)
			}
		}
	case connect:
		for _, i := range l.first {
			if _, r := terminalOf(xs[i]); r.refused {
				continue
			}
			for _, j := range l.second {
				if !refuseConnect(xs[i], xs[j]).refused {
					l.add(i, j)
				}
			}
		}
	}
}

// into lists what can be brought into something open.
func (l *validLister) into(brings func(x *Object) bool, goes func(x, y *Object) bool) {
	for _, i := range l.first {
		x := l.search.objects[i]
		if !brings(x) {
			continue
		}
		for _, j := range l.second {
			y := l.search.objects[j]
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
		list := w.DrawValidActions().lister()
		for _, v := range list.deeds() {
			objects := list.objects(v)
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
