package lab

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
// draws. It is valid as long as nothing changes. The next search reuses its memory.
type search struct {
	*memory
	census  census
	lists   []*calledList
	objects []*Object
	// texts holds, by object, the number of the first referent that names no other
	// object; if all are shared, the complement of the object's place in shared.
	texts  []int32
	shared [][]int32 // the referents of objects that share all of them
	start  choice    // after the steady attempts
}

// choice holds the numbers of the referents chosen for the shared objects of a
// search.
type choice []int32

// among prepares a search among objects, seen from a place.
func (s *search) among(w *World, objects []*Object, from *Object) {
	s.objects, s.lists, s.texts, s.shared = objects, s.lists[:0], s.texts[:0], s.shared[:0]
	for _, o := range objects {
		s.lists = append(s.lists, w.called(o, from))
	}
	s.census.take(objects, s.lists, len(s.known))
	for _, l := range s.lists {
		switch n, found := s.census.firstUnique(l); {
		case found:
			s.texts = append(s.texts, n)
		case len(l.sorted) == 0:
			s.texts = append(s.texts, emptyText)
		default:
			s.texts = append(s.texts, ^int32(len(s.shared)))
			s.shared = append(s.shared, l.sorted)
		}
	}
	s.steady()
}

// steady makes the attempts that draw nothing.
func (s *search) steady() {
	s.start = s.start[:0]
	for _, refs := range s.shared {
		s.start = append(s.start, refs[0])
	}
	places := make([]int32, len(s.shared))
	for range steadyAttempts {
		s.count(s.start)
		same := true
		for i, n := range s.start {
			if s.counts[n] > 1 {
				places[i] = (places[i] + 1) % int32(len(s.shared[i]))
				s.start[i] = s.shared[i][places[i]]
				same = false
			}
		}
		if same {
			break
		}
	}
}

// count counts how often referents are chosen.
func (s *search) count(c choice) {
	for _, n := range c {
		s.counts[n] = 0
	}
	for _, n := range c {
		s.counts[n]++
	}
}

// run draws the last attempts.
func (s *search) run(r *random) choice {
	out := slices.Clone(s.start)
	for range drawnAttempts {
		s.count(out)
		same := true
		for i, n := range out {
			if s.counts[n] > 1 {
				refs := s.shared[i]
				out[i] = refs[r.intn(len(refs))]
				same = false
			}
		}
		if same { // nothing is drawn any more
			break
		}
	}
	return out
}

// text is the referent that was chosen for an object of the search by its place.
func (s *search) text(c choice, i int) string {
	n := s.texts[i]
	if n < 0 {
		n = c[^n]
	}
	return s.known[n]
}

// unique searches unique referents of objects, seen from a place, and sorts the
// objects by them. It draws.
func (w *World) unique(objects []*Object, from *Object) []named {
	s := &w.others
	s.among(w, objects, from)
	c := s.run(&w.random)
	out := make([]named, len(objects))
	for i, o := range objects {
		out[i] = named{s.text(c, i), o}
	}
	slices.SortStableFunc(out, func(a, b named) int { return strings.Compare(a.text, b.text) })
	return out
}

// listed says when the searches behind the list of valid actions were made.
type listed struct {
	names, places, inner uint32
	here                 *Object // nil: they were not made
}

// validLists returns the searches among what is seen here and among all objects.
func (w *World) validLists() (seen, universe *search) {
	l, here := &w.listed, w.here()
	same := l.here == here && l.names == w.names
	if !same || l.inner != here.inner {
		w.near.among(w, w.collect(here, false), here)
	}
	if !same || l.places != w.places {
		w.everywhere.among(w, w.collect(w.universe, true), here)
	}
	*l = listed{w.names, w.places, here.inner, here}
	return &w.near, &w.everywhere
}

// kept is a list of objects that stays valid as long as the agent stays, and
// nothing there is moved or opened.
type kept struct {
	inner, opens uint32
	here         *Object
	objects      []*Object
}

func (w *World) isCurrent(k *kept) bool {
	return k.here == w.here() && k.inner == k.here.inner && k.opens == w.opens
}

func (w *World) keep(k *kept, objects []*Object) {
	*k = kept{w.here().inner, w.opens, w.here(), objects}
}

// visibleBelow lists what is below the place where the agent is and not hidden, in
// closed containers too.
func (w *World) visibleBelow() []*Object {
	if !w.isCurrent(&w.scene) {
		w.keep(&w.scene, below(w.here(), false, false))
	}
	return w.scene.objects
}
