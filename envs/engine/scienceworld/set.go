package scienceworld

import "slices"

// The reference keeps objects in hash sets. All objects have one hash code, so that a set is one run of slots: it
// enumerates in the order of insertion, with one exception beyond 122 members (core §2.3).

const (
	firstCapacity = 32
	// rotationFrom is the least capacity at which the run reaches the end of the
	// table, which holds wrapAt members, and goes on at its beginning.
	rotationFrom = 512
	wrapAt       = 122
)

// leastChain is the room of a new chain.
const leastChain = 4

// set is a mutable hash set of objects. Its zero value is empty. A slice that
// all returned stays as it is when the set changes later.
type set struct {
	chain    []*Object // in the order of insertion since the last growth
	capacity int
}

// rotated reports whether the set enumerates in another order than its chain.
func (s *set) rotated() bool { return s.capacity >= rotationFrom && len(s.chain) > wrapAt }

// items lists the members as the reference enumerates them. The caller must not change the list.
func (s *set) items() []*Object {
	if !s.rotated() {
		return s.chain[:len(s.chain):len(s.chain)]
	}
	out := make([]*Object, 0, len(s.chain))
	return append(append(out, s.chain[wrapAt:]...), s.chain[:wrapAt]...)
}

// len is the number of members.
func (s *set) len() int { return len(s.chain) }

// append adds an object that is not a member.
func (s *set) append(o *Object) {
	if s.capacity == 0 {
		s.capacity = firstCapacity
		s.chain = make([]*Object, 0, leastChain)
	}
	if s.chain = append(s.chain, o); len(s.chain) >= s.capacity*450/1000 {
		s.chain = s.items()
		s.capacity *= 2
	}
}

// remove removes an object and reports whether it was a member.
func (s *set) remove(o *Object) bool {
	i := slices.Index(s.chain, o)
	if i >= 0 { // a new slice: others may be walking over the old one
		s.chain = slices.Concat(s.chain[:i], s.chain[i+1:])
	}
	return i >= 0
}
