package trajectory

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"sync"
)

// shapes collects the shapes of the prompts of many attempts, each once. It is safe for concurrent use.
type shapes struct {
	mu   sync.Mutex
	all  map[string]json.RawMessage
	uses map[string]int // attempts with the shape
}

func (s *shapes) add(p *Prompts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all, s.uses = map[string]json.RawMessage{}, map[string]int{}
	}
	for key, shape := range p.Shapes {
		s.all[key] = shape
		s.uses[key]++
	}
}

// within are the shapes that have room beside so many bytes of compressed episodes: those that most attempts have.
func (s *shapes) within(episodes int) map[string]json.RawMessage {
	const least, share, ratio = 512 << 10, 25, 8 // at least, a part of the episodes, and how well shapes compress
	room := max(least, ratio*episodes/share)
	keys := slices.SortedFunc(maps.Keys(s.all), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.uses[b], s.uses[a]), cmp.Compare(a, b))
	})
	out := map[string]json.RawMessage{}
	for _, key := range keys {
		if room -= len(s.all[key]); room < 0 {
			break
		}
		out[key] = s.all[key]
	}
	return out
}
