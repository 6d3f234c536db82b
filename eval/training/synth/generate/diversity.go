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

// Diversity measures how different items are.
type Diversity struct {
	forms map[string]map[uint64]bool
	total map[string]int
	// grams counts the n-grams of the player's thoughts: for n = 1 and 2.
	grams [2]struct {
		total    int
		distinct map[uint64]bool
	}
}

// What is counted.
const (
	Goals    = "goals"
	Actions  = "action forms"
	Verbs    = "verbs"
	Places   = "places"
	Thoughts = "thoughts"
	Moves    = "actions played"
)

func newDiversity() *Diversity {
	d := &Diversity{forms: map[string]map[uint64]bool{}, total: map[string]int{}}
	for i := range d.grams {
		d.grams[i].distinct = map[uint64]bool{}
	}
	return d
}

// add counts an item. All texts are compared by their words, in lower case.
func (d *Diversity) add(raw json.RawMessage, s *synth.Script, turns []synth.Turn) {
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
		for n := range d.grams {
			for j := 0; j+n < len(thought); j++ {
				d.grams[n].total++
				d.grams[n].distinct[hashOf(thought[j:j+n+1])] = true
			}
		}
	}
}

func (d *Diversity) count(name string, words []string) {
	if d.forms[name] == nil {
		d.forms[name] = map[uint64]bool{}
	}
	d.total[name]++
	d.forms[name][hashOf(words)] = true
}

func hashOf(words []string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(words, " ")))
	return h.Sum64()
}

// Varieties lists what was counted.
func (d *Diversity) Varieties() (out []Variety) {
	for _, what := range []string{Goals, Places, Actions, Verbs, Moves, Thoughts} {
		out = append(out, Variety{what, d.total[what], len(d.forms[what])})
	}
	return out
}

// Grams returns the number of n-grams of the player's thoughts, and of different
// ones; n is 1 or 2. Distinct-n is their ratio (Li et al. 2016).
func (d *Diversity) Grams(n int) Variety {
	g := d.grams[n-1]
	return Variety{Total: g.total, Distinct: len(g.distinct)}
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
