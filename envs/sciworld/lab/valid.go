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
		l.seen, l.universe = seen.run(w), universe.run(w)
	}
	return l
}

// In is the list of the same moment in a fork of its world.
func (l ValidList) In(fork *World) ValidList { return ValidList{fork, l.seen, l.universe} }

// Sorted lists the actions, sorted; while a question is open, the numbers of the
// choices.
func (l ValidList) Sorted() []string {
	out, sorted := l.texts((*validLister).nearlySorted)
	if !sorted {
		slices.Sort(out)
	}
	return out
}

// Texts lists them in the order in which the reference makes its list.
func (l ValidList) Texts() []string {
	out, _ := l.texts(func(list *validLister) bool {
		list.deeds()
		return false
	})
	return out
}

// texts lists the actions in an order, and reports whether that is sorted.
func (l ValidList) texts(order func(*validLister) bool) (out []string, sorted bool) {
	w := l.world
	if w.universe == nil {
		return []string{notInitialized}, true
	}
	if w.choices != nil {
		for i := range w.choices {
			out = append(out, strconv.Itoa(i))
		}
		return out, false
	}
	list := l.lister()
	sorted = order(list)
	out = make([]string, len(list.out))
	for i, d := range list.out {
		out[i] = list.phrase(d)
	}
	list.learn(out)
	list.release()
	return out, sorted
}

// Has reports whether an action is on the list.
func (l ValidList) Has(text string) bool {
	if l.world.universe == nil || l.world.choices != nil {
		return slices.Contains(l.Texts(), text)
	}
	list := l.lister()
	for i := range actions {
		a := &actions[i]
		if words, ok := strings.CutPrefix(text, a.listed); ok {
			list.list(a, list.named(words, a.slots), list.named(words, a.slots-1))
		}
	}
	defer list.release()
	return slices.ContainsFunc(list.out, func(d validDeed) bool {
		list.text = list.append(list.text[:0], d)
		return string(list.text) == text
	})
}

// named lists the objects whose names can be in words that are for so many objects.
func (l *validLister) named(words string, objects int) (out []int32) {
	for _, i := range l.asFound {
		name := l.names[i].s
		if objects > 1 && strings.HasPrefix(words[min(1, len(words)):], name) || objects == 1 &&
			strings.HasSuffix(words, name) {
			out = append(out, i)
		}
	}
	return out
}

// validDeed is an entry of the list: objects by their places in the search that
// named them, -1 for none.
type validDeed struct {
	a, b int32
	id   actionID
}

// append adds an entry as it is typed.
func (l *validLister) append(b []byte, v validDeed) []byte {
	a := &actions[v.id]
	b = append(b, a.listed...)
	if v.a >= 0 {
		b = append(b, ' ')
		b = append(b, l.referent(v).s...)
	}
	if v.b >= 0 {
		b = append(b, ' ')
		b = append(b, a.link...)
		b = append(b, ' ')
		b = append(b, l.names[v.b].s...)
	}
	return b
}

// referent is that of the first object.
func (l *validLister) referent(v validDeed) *text {
	if v.id == teleport {
		return l.everywhere.text(l.from.universe, int(v.a))
	}
	return l.names[v.a]
}

// key is the key of an entry among the phrases of its first referent.
func (l *validLister) key(v validDeed) phraseKey {
	if v.b < 0 {
		return keyOfPhrase(v.id, noSecond)
	}
	return keyOfPhrase(v.id, l.names[v.b].number)
}

// phrase returns an entry as it is typed; empty if it is to be learned.
func (l *validLister) phrase(v validDeed) string {
	a := &actions[v.id]
	if v.a < 0 {
		return a.listed
	}
	first := l.referent(v)
	if first == nothing || v.b >= 0 && l.names[v.b] == nothing {
		return string(l.append(nil, v))
	}
	length := len(a.listed) + len(" ") + len(first.s)
	if v.b >= 0 {
		length += len(" ") + len(a.link) + len(" ") + len(l.names[v.b].s)
	}
	return l.shelf.phrase(first, l.key(v), length)
}

// learn writes the entries that are to be learned, for later lists too.
func (l *validLister) learn(out []string) {
	for i, s := range out {
		if s == "" {
			l.begins = append(l.begins, len(l.text))
			l.text = l.append(l.text, l.out[i])
		}
	}
	if len(l.begins) == 0 {
		return
	}
	text, begins := string(l.text), append(l.begins, len(l.text))
	l.shelf.mu.Lock()
	defer l.shelf.mu.Unlock()
	learned, ok := l.shelf.learn(text)
	for i, s := range out {
		if s != "" {
			continue
		}
		v, at := l.out[i], begins[0]
		begins = begins[1:]
		out[i] = text[at:begins[0]]
		if ok {
			l.shelf.keep(l.referent(v), l.key(v), learned, at)
		}
	}
}

// objects returns the objects of an entry.
func (l *validLister) objects(v validDeed) (out []*Object) {
	all := l.search.objects
	if v.id == teleport {
		all = l.everywhere.objects
	}
	for _, i := range []int32{v.a, v.b} {
		if i >= 0 {
			out = append(out, all[i])
		}
	}
	return out
}

// deeds lists what can be done, in the order of the reference.
func (l *validLister) deeds() []validDeed {
	for i := range actions {
		l.list(&actions[i], l.asFound, l.asFound)
	}
	return l.out
}

// nearlySorted lists what can be done in an order that is sorted, as it reports, except
// for teleporting and if two objects have one name: actions by their words, objects by
// their referents.
func (l *validLister) nearlySorted() (sorted bool) {
	byText := l.sorted(l.asFound, "")
	prefixes, twice := l.overlap(byText)
	byLink := map[string][]int32{"": byText}
	for _, id := range actionsSorted {
		a := &actions[id]
		first := byText
		if prefixes && a.link != "" {
			if first = byLink[a.link]; first == nil {
				first = l.sorted(byText, " "+a.link+" ")
				byLink[a.link] = first
			}
		}
		l.list(a, first, byText)
	}
	return !twice && !isEnabled(teleport, l.enabled)
}

// overlap reports of objects in sorted order whether the name of one begins with that
// of another, without which endings do not change the order, and whether two names are
// the same.
func (l *validLister) overlap(byText []int32) (prefixes, twice bool) {
	for n, i := range byText[min(1, len(byText)):] {
		before, name := l.names[byText[n]].s, l.names[i].s
		prefixes = prefixes || strings.HasPrefix(name, before)
		twice = twice || name == before
	}
	return prefixes, twice
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
	everywhere *census
	names      []*text // that were chosen, by place in the search
	asFound    []int32 // the objects in their order
	action     *action
	first      []int32 // the objects in the order of the list
	second     []int32
	out        []validDeed
	text       []byte // of the entries that are to be learned
	begins     []int  // of the entries there
}

func (l ValidList) lister() *validLister {
	seen, everywhere := l.world.validLists()
	list, _ := l.world.library.listers.Get().(*validLister)
	if list == nil {
		list = &validLister{}
	}
	list.World, list.from, list.search, list.everywhere = l.world, l, seen, everywhere
	for i := range seen.objects {
		list.asFound, list.names = append(list.asFound, int32(i)), append(list.names, seen.text(l.seen, i))
	}
	return list
}

// release gives the memory of a list to the next one.
func (l *validLister) release() {
	library := l.library
	*l = validLister{asFound: l.asFound[:0], names: l.names[:0], out: l.out[:0], text: l.text[:0], begins: l.begins[:0]}
	library.listers.Put(l)
}

// sorted sorts objects by their referents with an ending.
func (l *validLister) sorted(objects []int32, ending string) []int32 {
	out := slices.Clone(objects)
	slices.SortStableFunc(out, func(a, b int32) int {
		return compareEnded(l.names[a].s, l.names[b].s, ending)
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
	d := l.substituted(deed{id: l.action.id})
	for _, i := range l.first {
		d.a = l.search.objects[i]
		carried := d.a.container == l.inventory
		if d.id == pickUp && carried || d.id == putDown && !carried {
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
			if !slices.ContainsFunc(from.contents.chain, func(o *Object) bool {
				return o.isVisibleLiquid() && o.movable
			}) {
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
		l.connections()
	}
}

// connections lists which things can be connected: two with different terminals that
// are free.
func (l *validLister) connections() {
	free := make([]*Object, len(l.search.objects))
	for i, x := range l.search.objects {
		if t, r := terminalOf(x); !r.refused && t.partner == nil {
			free[i] = t
		}
	}
	for _, i := range l.first {
		if free[i] == nil {
			continue
		}
		for _, j := range l.second {
			if free[j] != nil && free[i] != free[j] {
				l.add(i, j)
			}
		}
	}
}

// into lists what can be brought into something open.
func (l *validLister) into(brings func(x *Object) bool, goes func(x, y *Object) bool) {
	var room [64]int32
	open := room[:0]
	for _, j := range l.second {
		if y := l.search.objects[j]; y.isVessel && y.open {
			open = append(open, j)
		}
	}
	for _, i := range l.first {
		x := l.search.objects[i]
		if !brings(x) {
			continue
		}
		for _, j := range open {
			if goes(x, l.search.objects[j]) {
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
		defer list.release()
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
