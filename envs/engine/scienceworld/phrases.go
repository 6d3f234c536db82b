package scienceworld

import "sync/atomic"

// phrases are the entries of lists of valid actions that begin with one referent, as they
// are typed. Most entries of a list were in an earlier one, of this world or of another.
// Who reads needs no lock; who writes has the lock of the library. There are no pointers
// here, because there are many phrases and few lists of them.
type phrases struct {
	slots []atomic.Uint64 // each a phraseKey and where the phrase is; 0: nothing
	used  int             // at most half of the slots, whose number is a power of two
}

// phraseKey is the action and the second referent of a phrase.
type phraseKey uint64

// A slot has, from the highest bit on: the action, the number of the second referent or
// noSecond, the number of a learned text, and the place in it.
const (
	noSecond    = -1
	numberBits  = 24
	learnedBits = 18
	placeBits   = 17
	whereBits   = learnedBits + placeBits
)

func keyOfPhrase(id actionID, second int32) phraseKey {
	return phraseKey(id+1)<<numberBits | phraseKey(second-noSecond)
}

// leastPhrases is the room of a new table.
const leastPhrases = 8

// find returns the slot of a phrase and what is in it: 0 if the phrase belongs there.
func (p *phrases) find(k phraseKey) (*atomic.Uint64, uint64) {
	const spread = 0x9e3779b97f4a7c15
	last := uint64(len(p.slots) - 1)
	for i := uint64(k) * spread >> 32; ; i++ {
		slot := &p.slots[i&last]
		if x := slot.Load(); x == 0 || phraseKey(x>>whereBits) == k {
			return slot, x
		}
	}
}

// phrase returns a phrase of a length, if a list had it.
func (s *shelf) phrase(p *phrases, k phraseKey, length int) (string, bool) {
	if p == nil {
		return "", false
	}
	_, x := p.find(k)
	if x == 0 {
		return "", false
	}
	learned := *s.learned.Load()
	start := int(x & (1<<placeBits - 1))
	return learned[x>>placeBits&(1<<learnedBits-1)][start : start+length], true
}

// learn keeps a text of new phrases and returns its number, unless there are enough or it
// is too long. The caller has the lock.
func (s *shelf) learn(text string) (number int, ok bool) {
	if s.phrases >= mostPhrases || len(text) > 1<<placeBits {
		return 0, false
	}
	var texts []string
	if p := s.learned.Load(); p != nil {
		texts = *p
	}
	if len(texts) == 1<<learnedBits {
		return 0, false
	}
	texts = append(texts, text)
	s.learned.Store(&texts)
	return len(texts) - 1, true
}

// keep keeps a phrase that begins with a referent, by its place in a learned text. The
// caller has the lock.
func (s *shelf) keep(t *text, k phraseKey, learned, place int) {
	p := t.phrases.Load()
	if p == nil || 2*p.used >= len(p.slots) {
		p = p.grown()
		t.phrases.Store(p)
	}
	if slot, x := p.find(k); x == 0 {
		slot.Store(uint64(k)<<whereBits | uint64(learned)<<placeBits | uint64(place))
		p.used++
		s.phrases++
	}
}

// grown is a table with the same phrases and more room.
func (p *phrases) grown() *phrases {
	if p == nil {
		return &phrases{slots: make([]atomic.Uint64, leastPhrases)}
	}
	out := &phrases{slots: make([]atomic.Uint64, 2*len(p.slots)), used: p.used}
	for i := range p.slots {
		if x := p.slots[i].Load(); x != 0 {
			slot, _ := out.find(phraseKey(x >> whereBits))
			slot.Store(x)
		}
	}
	return out
}
