package scienceworld

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Library is what worlds know about texts: referents, and which lists of them things
// are called by. It never becomes wrong, so all worlds of a library share it. It is
// safe for concurrent use, and forgets what it knows when that becomes much.
type Library struct {
	shelf atomic.Pointer[shelf]
}

// NewLibrary returns a library that knows nothing.
func NewLibrary() *Library {
	l := &Library{}
	l.shelf.Store(newShelf())
	return l
}

// New returns a world in which nothing is loaded.
func (l *Library) New() *World { return &World{library: l} }

// The numbers of referents and of entries of lists from which a library forgets them.
const (
	mostTexts   = 1 << 16
	mostEntries = 1 << 19
)

// open returns what the library knows. Worlds that know more than there should be go on with it.
func (l *Library) open() *shelf {
	s := l.shelf.Load()
	if s.size.Load() > mostTexts && l.shelf.CompareAndSwap(s, newShelf()) {
		return l.shelf.Load()
	}
	return s
}

// shelf is what a library knows between two moments at which it forgets.
type shelf struct {
	size atomic.Int32 // of texts; their numbers are below it

	mu          sync.RWMutex
	texts       map[string]*text
	refLists    map[string]*refList
	calledLists map[pairOfLists]*calledList
	lists       map[uint64]*savedList
	mark        int
	entries     int // of the lists

	tallies sync.Pool // of *tally
}

func newShelf() *shelf {
	return &shelf{
		texts: map[string]*text{}, refLists: map[string]*refList{},
		calledLists: map[pairOfLists]*calledList{}, lists: map[uint64]*savedList{},
	}
}

// saved returns the list that was kept under a key, nil if none was.
func (s *shelf) saved(key uint64) *savedList {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.lists[key]
}

// keepWritten keeps a list. If there are too many, all others are forgotten.
func (s *shelf) keepWritten(key uint64, l *savedList) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries += len(l.texts); s.entries > mostEntries {
		clear(s.lists)
		s.entries = len(l.texts)
	}
	s.lists[key] = l
}

// text is a referent; a library has one for each different referent.
type text struct {
	s      string
	words  string // without articles, as the parser compares it
	number int32
	key    uint32 // by which hash tries are ordered
	mark   int    // scratch of the making of lists
}

// refList is a list of referents in set order. A library has one per different list,
// so lists can be compared as pointers.
type refList struct{ refs []string }

// noRefs are the referents of no container.
var noRefs = &refList{}

// calledList holds the names of a thing, from its own referents and the referents of its container.
type calledList struct {
	full    []*text // in set order
	sorted  []*text // by text
	numbers []int32 // of the sorted texts
}

// pairOfLists is the pair of lists that determines a called list.
type pairOfLists struct{ own, in *refList }

// list returns the library's own copy of a list.
func (s *shelf) list(refs []string) *refList {
	key := strings.Join(refs, "\x00")
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.refLists[key]
	if l == nil {
		l = &refList{refs}
		s.refLists[key] = l
	}
	return l
}

// calledAs returns the called list of two lists.
func (s *shelf) calledAs(own, in *refList) *calledList {
	pair := pairOfLists{own, in}
	s.mu.RLock()
	l := s.calledLists[pair]
	s.mu.RUnlock()
	if l != nil {
		return l
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l = s.calledLists[pair]; l == nil {
		l = s.newCalledList(own, in)
		s.calledLists[pair] = l
	}
	return l
}

func (s *shelf) newCalledList(own, in *refList) *calledList {
	var list []*text
	s.mark++
	add := func(ref string) {
		if t := s.text(strings.ToLower(ref)); t.mark != s.mark {
			t.mark = s.mark
			list = append(list, t)
		}
	}
	for _, r := range own.refs {
		if javaTrim(r) == "" {
			continue
		}
		add(r)
		for _, q := range in.refs {
			add(r + " in " + q)
			add(r + " on " + q)
		}
	}
	l := &calledList{full: orderTexts(list)}
	l.full = slices.DeleteFunc(l.full, func(t *text) bool { return len([]rune(t.s)) <= 1 })
	l.sorted = slices.Clone(l.full)
	slices.SortFunc(l.sorted, func(a, b *text) int { return strings.Compare(a.s, b.s) })
	for _, t := range l.sorted {
		l.numbers = append(l.numbers, t.number)
	}
	return l
}

// text returns the library's own copy of a referent.
func (s *shelf) text(ref string) *text {
	t := s.texts[ref]
	if t == nil {
		t = &text{s: ref, words: parserWords(ref), key: trieKey(improve(hashOf(ref))), number: s.size.Load()}
		s.texts[ref] = t
		s.size.Add(1)
	}
	return t
}

// orderTexts brings different texts into the order of an immutable set that was filled from a mutable one.
func orderTexts(list []*text) []*text {
	if len(list) < trieMembers {
		s := newTextSet()
		for _, t := range list {
			s.add(t.s)
		}
		order := s.texts()
		slices.SortFunc(list, func(a, b *text) int { return slices.Index(order, a.s) - slices.Index(order, b.s) })
		return list
	}
	slices.SortStableFunc(list, func(a, b *text) int { return cmp.Compare(a.key, b.key) })
	return list
}

// tally is memory for counting texts. Between uses all counts are 0.
type tally struct {
	counts  []int32 // by number of text
	numbers []int32 // of chosen texts
	places  []int32
	changes []textChange
}

// textChange is another text for an object of a search.
type textChange struct{ place, index, number int32 }

// tally lends memory for all texts that there are now. The caller gives it back.
func (s *shelf) tally() *tally {
	t, ok := s.tallies.Get().(*tally)
	if !ok {
		t = &tally{}
	}
	if n := int(s.size.Load()); n > len(t.counts) {
		t.counts = make([]int32, n+n/4)
	}
	return t
}
