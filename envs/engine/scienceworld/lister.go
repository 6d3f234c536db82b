package scienceworld

import (
	"iter"
	"slices"
	"strings"
)

// validLister makes a list of valid actions.
type validLister struct {
	*World
	objects []*Object // what is seen, and then the places to which one can teleport
	offers  []offer   // of the objects
	asFound []int32   // the seen objects, in their order
	places  []int32
}

// offer is an object as a list names it.
type offer struct {
	name *text
	can  roles
}

// validDeed is an entry of the list: objects by their places in the lister, -1 for none.
type validDeed struct {
	a, b int32
	id   actionID
}

func (l ValidList) lister() *validLister {
	nearby, everywhere := l.world.validLists()
	w, list := l.world, &validLister{World: l.world}
	for i, o := range nearby.objects {
		list.asFound = append(list.asFound, int32(i))
		list.offers = append(list.offers, offer{nearby.text(l.nearby, i), w.rolesOf(o)})
	}
	list.objects = slices.Clone(nearby.objects)
	if !isEnabled(teleport, w.enabled) {
		return list
	}
	for i, o := range everywhere.objects {
		if o.inGroup(aLocation) && !w.refuse(deed{id: teleport, a: o}).refused {
			list.places = append(list.places, int32(len(list.objects)))
			list.offers = append(list.offers, offer{everywhere.text(l.universe, i), firstOf(teleport)})
			list.objects = append(list.objects, o)
		}
	}
	return list
}

// savedList is a sorted list and what it depends on. It never changes.
type savedList struct {
	offers  []offer
	enabled simplification
	texts   []string
}

// sorted returns the sorted list, which some world of the library may have written.
func (l *validLister) sorted() []string {
	key := uint64(l.enabled)
	for _, o := range l.offers {
		key = (key ^ uint64(o.name.number)<<32 ^ uint64(o.can)) * 0x9e3779b97f4a7c15
		key ^= key >> 32
	}
	if old := l.shelf.saved(key); old != nil && old.enabled == l.enabled && slices.Equal(old.offers, l.offers) {
		return old.texts
	}
	out := &savedList{slices.Clone(l.offers), l.enabled, l.write()}
	l.shelf.keepWritten(key, out)
	return out.texts
}

// actionsSorted are the actions in the order of their words in the list.
var actionsSorted = slices.SortedFunc(slices.Values(actions), func(a, b action) int {
	return strings.Compare(a.Listed, b.Listed)
})

// write writes the list. It goes through actions and objects in order, since few entries are then out of theirs.
func (l *validLister) write() []string {
	for _, objects := range [][]int32{l.asFound, l.places} {
		slices.SortFunc(objects, func(a, b int32) int {
			return strings.Compare(l.offers[a].name.s, l.offers[b].name.s)
		})
	}
	var texts []string
	for d := range l.deeds(actionsSorted) {
		texts = append(texts, string(l.append(nil, d)))
	}
	slices.Sort(texts)
	return texts
}

// rows lists the first objects of an action, -1 for none, each with the second ones. The first
// one can be among them.
func (l *validLister) rows(a *action) iter.Seq2[int32, []int32] {
	return func(yield func(int32, []int32) bool) {
		switch {
		case !isEnabled(a.ID, l.enabled):
			return
		case a.Slots == 0:
			yield(-1, nil)
			return
		case a.ID == teleport:
			for _, i := range l.places {
				if !yield(i, nil) {
					return
				}
			}
			return
		}
		var seconds []int32
		for _, j := range l.asFound {
			if a.Slots > 1 && l.offers[j].can&secondOf(a.ID) != 0 {
				seconds = append(seconds, j)
			}
		}
		for _, i := range l.asFound {
			if l.offers[i].can&firstOf(a.ID) != 0 && !yield(i, seconds) {
				return
			}
		}
	}
}

// deeds lists what can be done, by some order of the actions.
func (l *validLister) deeds(order []action) iter.Seq[validDeed] {
	return func(yield func(validDeed) bool) {
		for n := range order {
			a := &order[n]
			for i, seconds := range l.rows(a) {
				if a.Slots < 2 && !yield(validDeed{i, -1, a.ID}) {
					return
				}
				for _, j := range seconds {
					if (i != j || canBoth(a.ID)) && !yield(validDeed{i, j, a.ID}) {
						return
					}
				}
			}
		}
	}
}

// append adds an entry as it is typed.
func (l *validLister) append(b []byte, v validDeed) []byte {
	a := &actions[v.id]
	b = append(b, a.Listed...)
	if v.a >= 0 {
		b = append(b, ' ')
		b = append(b, l.offers[v.a].name.s...)
	}
	if v.b >= 0 {
		b = append(b, ' ')
		b = append(b, a.Link...)
		b = append(b, ' ')
		b = append(b, l.offers[v.b].name.s...)
	}
	return b
}
