package scienceworld

import (
	"slices"
	"strings"
)

// The attempts of the search for unique referents (core §8.2): in the first ones
// the next referent is tried, then one that is drawn.
const (
	steadyAttempts = 10
	drawnAttempts  = 10
)

// named is an object with a referent that names no other, as far as one was found.
type named struct {
	text   string
	object *Object
}

// search is a search for unique referents: all of it that does not depend on
// draws. It is valid as long as nothing changes.
type search struct {
	objects []*Object
	called  []*calledList // by place in objects
	names   []name        // likewise
	lists   []*calledList // of the objects of which others have all referents
	start   referents     // of these objects, after the steady attempts
}

// name is what a search found for an object: the first referent that names no other
// or, if others have all of its referents, its place among those that share theirs.
type name struct {
	text  *text
	place int32
}

// nothing is the name of objects without referents. No library has it.
var nothing = &text{number: -2}

// referents holds the referents chosen for the objects that share theirs, by their places
// in the lists. It never changes.
type referents []uint16

// among prepares a search among objects, seen from a place.
func (s *search) among(w *World, objects []*Object, place *Object) {
	s.called = s.called[:0]
	for _, o := range objects {
		s.called = append(s.called, w.called(o, place))
	}
	t := w.shelf.tally()
	for _, l := range s.called {
		for _, n := range l.numbers {
			t.counts[n]++
		}
	}
	s.objects, s.names, s.lists = objects, s.names[:0], nil
	for _, l := range s.called {
		found := name{text: nothing}
		for i, n := range l.numbers {
			if found.text = nil; t.counts[n] == 1 {
				found.text = l.sorted[i]
				break
			}
		}
		if found.text == nil {
			found.place = int32(len(s.lists))
			s.lists = append(s.lists, l)
		}
		s.names = append(s.names, found)
	}
	for _, l := range s.called {
		for _, n := range l.numbers {
			t.counts[n] = 0
		}
	}
	s.steady(t)
	w.shelf.tallies.Put(t)
}

// text is the referent that was chosen for an object of the search by its place.
func (s *search) text(c referents, i int) *text {
	n := s.names[i]
	if n.text != nil {
		return n.text
	}
	return s.lists[n.place].sorted[c[n.place]]
}

// steady makes the attempts that draw nothing.
func (s *search) steady(t *tally) {
	s.start = make(referents, len(s.lists))
	t.begin(s, s.start)
	for range steadyAttempts {
		changes := t.changes[:0]
		for _, i := range t.shared() {
			numbers := s.lists[i].numbers
			next := int(s.start[i]) + 1
			if next == len(numbers) {
				next = 0
			}
			changes = append(changes, textChange{i, int32(next), numbers[next]})
		}
		if t.changes = changes; len(changes) == 0 {
			break
		}
		t.apply(s.start)
	}
	t.end()
}

// run draws the last attempts.
func (s *search) run(w *World) referents {
	out := slices.Clone(s.start)
	if len(out) == 0 {
		return out
	}
	t, r := w.shelf.tally(), w.random
	t.begin(s, out)
	for range drawnAttempts {
		places := t.shared()
		if len(places) == 0 { // nothing is drawn any more
			break
		}
		t.changes = slices.Grow(t.changes[:0], len(places))[:len(places)]
		for n, i := range places {
			l := s.lists[i]
			j := r.intn(len(l.numbers))
			t.changes[n] = textChange{i, int32(j), l.numbers[j]}
		}
		t.apply(out)
	}
	t.end()
	w.random = r
	w.shelf.tallies.Put(t)
	return out
}

// begin counts the texts of a choice.
func (t *tally) begin(s *search, c referents) {
	t.numbers = t.numbers[:0]
	for i, l := range s.lists {
		n := l.numbers[c[i]]
		t.numbers = append(t.numbers, n)
		t.counts[n]++
	}
	t.places = slices.Grow(t.places[:0], len(t.numbers)+1)
}

// shared lists the places whose texts others have too: without branches, because nobody can guess which they are.
func (t *tally) shared() []int32 {
	places, n := t.places[:len(t.numbers)+1], 0
	for i, number := range t.numbers {
		places[n] = int32(i)
		if t.counts[number] > 1 {
			n++
		}
	}
	return places[:n]
}

// apply makes the changes of an attempt, in which the texts before it count.
func (t *tally) apply(c referents) {
	counts, numbers := t.counts, t.numbers
	for _, ch := range t.changes {
		counts[numbers[ch.place]]--
		counts[ch.number]++
		numbers[ch.place], c[ch.place] = ch.number, uint16(ch.index)
	}
}

// end forgets the counts.
func (t *tally) end() {
	for _, n := range t.numbers {
		t.counts[n] = 0
	}
}

// unique searches unique referents of objects, seen from a place, and sorts the objects by them. It draws.
func (w *World) unique(objects []*Object, place *Object) []named {
	var s search
	s.among(w, objects, place)
	c := s.run(w)
	out := make([]named, len(objects))
	for i, o := range objects {
		out[i] = named{s.text(c, i).s, o}
	}
	slices.SortStableFunc(out, func(a, b named) int { return strings.Compare(a.text, b.text) })
	return out
}

// listed says when the searches behind the list of valid actions were made.
type listed struct {
	names, places, inner uint32
	place                *Object // nil: they were not made
}

// validLists returns the searches among what is seen here and among all objects.
func (w *World) validLists() (nearby, everywhere *search) {
	l, place := &w.listed, w.place()
	same := l.place == place && l.names == w.names
	if !same || l.inner != place.inner {
		w.nearby.among(w, w.collect(place, false), place)
	}
	if l.place == nil || l.places != w.places {
		w.everywhere.among(w, w.collect(w.universe, true), place)
	} else if !same {
		w.everywhere.among(w, w.everywhere.objects, place)
	}
	*l = listed{w.names, w.places, place.inner, place}
	return &w.nearby, &w.everywhere
}

// cache is a list of objects that stays valid as long as the agent stays, and nothing there is moved or opened.
type cache struct {
	inner, opens uint32
	place        *Object
	objects      []*Object
	names        uint32
	lists        []*calledList // what the objects are called, as long as names stay
}

func (w *World) isCurrent(k *cache) bool {
	return k.place == w.place() && k.inner == k.place.inner && k.opens == w.opens
}

func (w *World) keep(k *cache, objects []*Object) {
	*k = cache{inner: w.place().inner, opens: w.opens, place: w.place(), objects: objects, lists: k.lists[:0]}
}

// visibleBelow lists what is below the agent's place and not hidden, in closed containers too (tasks §6.3, V).
func (w *World) visibleBelow() []*Object {
	if !w.isCurrent(&w.scene) {
		w.keep(&w.scene, descendants(w.place(), false, false))
	}
	return w.scene.objects
}
