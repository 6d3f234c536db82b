package generate

import (
	"encoding/json"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"heldout/eval/training/synth"
)

// Variety is how often something occurs, and in how many forms.
type Variety struct {
	Name            string
	Total, Distinct int
}

// Diversity measures how different items are: how often each form of what is counted occurs, by the form's hash.
type Diversity map[string]map[uint64]int

// What is counted.
const (
	Goals    = "goals"
	Actions  = "action forms"
	Verbs    = "verbs"
	Places   = "places"
	Thoughts = "thoughts"
	Moves    = "actions played"
	// The n-grams of the player's thoughts; distinct-n is the share of distinct ones (Li et al. 2016).
	Words = "words of thoughts (distinct-1)"
	Pairs = "word pairs of thoughts (distinct-2)"
)

// add counts an item. All texts are compared by their words, in lower case.
func (d Diversity) add(raw json.RawMessage, s *synth.Script, turns []synth.Turn) {
	d.count(Goals, words(s.Goal))
	for _, a := range s.Actions {
		form := words(a.Template)
		d.count(Actions, form)
		if len(form) > 0 {
			d.count(Verbs, form[:1])
		}
	}
	for _, place := range places(raw) {
		d.count(Places, words(place))
	}
	for i := range turns {
		if turns[i].Master {
			continue
		}
		thought := words(turns[i].Thought)
		d.count(Thoughts, thought)
		d.count(Moves, words(turns[i].Action))
		for n, name := range []string{Words, Pairs} {
			for j := range len(thought) - n {
				d.count(name, thought[j:j+n+1])
			}
		}
	}
}

func (d Diversity) count(name string, words []string) {
	if d[name] == nil {
		d[name] = map[uint64]int{}
	}
	d[name][hashOf(words)]++
}

func hashOf(words []string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(words, " ")))
	return h.Sum64()
}

// Varieties lists what was counted.
func (d Diversity) Varieties() (out []Variety) {
	for _, name := range []string{Goals, Places, Actions, Verbs, Moves, Thoughts, Words, Pairs} {
		v := Variety{Name: name, Distinct: len(d[name])}
		for _, n := range d[name] {
			v.Total += n
		}
		out = append(out, v)
	}
	return out
}

// places are the keys of the object places in a script's Environment, or of the Environment itself if it has none.
func places(script json.RawMessage) []string {
	var s struct {
		Environment map[string]json.RawMessage `json:"Environment"`
	}
	if json.Unmarshal(script, &s) != nil {
		return nil // an environment that is not an object has no names
	}
	var inside map[string]json.RawMessage
	if json.Unmarshal(s.Environment["places"], &inside) == nil && len(inside) > 0 {
		return slices.Sorted(maps.Keys(inside))
	}
	return slices.Sorted(maps.Keys(s.Environment))
}
