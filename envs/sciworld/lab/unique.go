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

// search is a search for unique referents. The part that does not depend on draws
// is computed once, as long as nothing changes.
type search struct {
	*memory
	objects []*Object
	refs    [][]int32 // by object: numbers of those that name no other, or of all
	shared  []int32   // places of the objects all of whose referents others have too
	start   choice    // after the steady attempts
}

// choice holds the chosen referent of each object of a search.
type choice []int32

// newSearch prepares a search among objects, seen from a place.
func (w *World) newSearch(objects []*Object, from *Object) *search {
	s := &search{memory: w.memory, objects: objects, refs: make([][]int32, len(objects)), start: make(choice, len(objects))}
	for i, o := range objects {
		s.refs[i] = w.called(o, from).sorted
	}
	s.keepUnique()
	for range steadyAttempts {
		s.count(s.start)
		same := true
		for _, i := range s.shared {
			if refs := s.refs[i]; s.counts[refs[s.start[i]]] > 1 {
				s.start[i] = (s.start[i] + 1) % int32(len(refs))
				same = false
			}
		}
		if same {
			break
		}
	}
	return s
}

// keepUnique leaves out referents that several objects have, unless an object has
// no others.
func (s *search) keepUnique() {
	total := 0
	for _, refs := range s.refs {
		total += len(refs)
		for _, n := range refs {
			s.counts[n] = 0
		}
	}
	for _, refs := range s.refs {
		for _, n := range refs {
			s.counts[n]++
		}
	}
	kept := make([]int32, 0, total)
	for i, refs := range s.refs {
		from := len(kept)
		for _, n := range refs {
			if s.counts[n] == 1 {
				kept = append(kept, n)
			}
		}
		if len(kept) > from {
			s.refs[i] = kept[from:len(kept):len(kept)]
		} else if len(refs) > 0 {
			s.shared = append(s.shared, int32(i))
		}
	}
}

// count counts how often texts are chosen. Texts that name no other object need
// no counting.
func (s *search) count(c choice) {
	for _, i := range s.shared {
		s.counts[s.refs[i][c[i]]] = 0
	}
	for _, i := range s.shared {
		s.counts[s.refs[i][c[i]]]++
	}
}

// run draws the last attempts.
func (s *search) run(r *random) choice {
	out := slices.Clone(s.start)
	for range drawnAttempts {
		s.count(out)
		same := true
		for _, i := range s.shared {
			if refs := s.refs[i]; s.counts[refs[out[i]]] > 1 {
				out[i] = int32(r.intn(len(refs)))
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
	if len(s.refs[i]) == 0 {
		return ""
	}
	return s.known[s.refs[i][c[i]]]
}

// unique searches unique referents of objects, seen from a place, and sorts the
// objects by them. It draws.
func (w *World) unique(objects []*Object, from *Object) []named {
	s := w.newSearch(objects, from)
	c := s.run(&w.random)
	out := make([]named, len(objects))
	for i, o := range objects {
		out[i] = named{s.text(c, i), o}
	}
	slices.SortStableFunc(out, func(a, b named) int { return strings.Compare(a.text, b.text) })
	return out
}

// lists are the searches behind the list of valid actions, as long as nothing
// that they depend on changes.
type lists struct {
	names, places  uint32
	here           *Object
	seen, universe *search
}

// validLists returns the searches among what is seen here and among all objects.
func (w *World) validLists() (seen, universe *search) {
	l := &w.lists
	if l.seen == nil || l.names != w.names || l.places != w.places || l.here != w.here() {
		*l = lists{names: w.names, places: w.places, here: w.here()}
		l.seen = w.newSearch(w.collect(l.here, false), l.here)
		l.universe = w.newSearch(w.collect(w.universe, true), l.here)
	}
	return l.seen, l.universe
}

// kept is a list of objects that stays valid as long as nothing is moved or
// opened.
type kept struct {
	places, opens uint32
	here          *Object
	objects       []*Object
}

func (w *World) isCurrent(k *kept) bool {
	return k.here == w.here() && k.places == w.places && k.opens == w.opens
}

func (w *World) keep(k *kept, objects []*Object) { *k = kept{w.places, w.opens, w.here(), objects} }

// visibleBelow lists what is below the place where the agent is and not hidden, in
// closed containers too.
func (w *World) visibleBelow() []*Object {
	if !w.isCurrent(&w.scene) {
		w.keep(&w.scene, below(w.here(), false, false))
	}
	return w.scene.objects
}
