package scienceworld

import (
	"slices"
	"strconv"
)

// ValidList is a list of the actions that are valid now, with the referents that
// were drawn for it. It is invalid after the next step.
type ValidList struct {
	world            *World
	nearby, universe referents
}

// DrawValidActions draws the referents of a list of valid actions. Both searches always run.
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
		return slices.Sorted(slices.Values(l.Texts()))
	}
	return l.lister().sorted()
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
	for d := range list.deeds(actions) {
		out = append(out, string(list.append(nil, d)))
	}
	return out
}

// Contains reports whether an action is on the list.
func (l ValidList) Contains(text string) bool {
	_, found := slices.BinarySearch(l.Sorted(), text)
	return found
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
