package generate

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"unicode"

	"heldout/eval/training/synth"
)

// ShingleWords is the number of words of a shingle.
const ShingleWords = 5

// Rule is why an item is removed as a duplicate of another.
type Rule string

// The rules, in the order in which they are tried.
const (
	// SameTask: the goals have the same words, and the sets of action templates are the same.
	SameTask Rule = "same task"
	NearText Rule = "near duplicate" // the Jaccard similarity of the shingles is at least the threshold
)

// Duplicate says what an item is a duplicate of.
type Duplicate struct {
	Rule       Rule    `json:"rule"`
	Original   string  `json:"of"`         // the id of the item that stays
	Similarity float64 `json:"similarity"` // the Jaccard similarity of the shingles, in [0,1]
}

// nearIndex finds near duplicates among items that come in order. An item is removed if it has the task of an
// earlier item that stays, or if the Jaccard similarity of their shingles is at least the threshold; of several
// such items the most similar counts, then the earliest. A shingle is 5 consecutive words of the text: goal, action
// templates, and the turns' thoughts of the player, actions and observations, in lower case, without anything but
// letters and digits. Shingles are hashed to 32 bits.
//
// Items are first seen, all of them, and then added.
type nearIndex struct {
	threshold float64
	common    []uint32         // how many items have a shingle, by its low bits
	tasks     map[string]int   // items that stay, by task
	prefixes  map[uint32][]int // items that stay, by the shingles of their prefixes
	shingles  [][]uint32       // of the items that stay
	ids       []string
}

// newNear returns an index for a threshold in (0,1]; above 1 nothing is near.
func newNear(threshold float64) *nearIndex {
	return &nearIndex{threshold: threshold, common: make([]uint32, commonSize), tasks: map[string]int{},
		prefixes: map[uint32][]int{}}
}

// commonSize is the number of counts, a power of two.
const commonSize = 1 << 22

// see counts the shingles of an item: the search begins with rare ones.
func (n *nearIndex) see(script *synth.Script, turns []synth.Turn) {
	for _, s := range shingles(textOf(script, turns)) {
		n.common[s%commonSize]++
	}
}

// add returns what an item is a duplicate of; nil if it stays.
func (n *nearIndex) add(id string, script *synth.Script, turns []synth.Turn) *Duplicate {
	set := shingles(textOf(script, turns))
	task := taskOf(script)
	if i, ok := n.tasks[task]; ok {
		return &Duplicate{SameTask, n.ids[i], jaccard(set, n.shingles[i])}
	}
	prefix := n.prefix(set)
	if best, similarity := n.nearest(set, prefix); best >= 0 {
		return &Duplicate{NearText, n.ids[best], similarity}
	}
	i := len(n.ids)
	n.ids, n.shingles, n.tasks[task] = append(n.ids, id), append(n.shingles, set), i
	for _, s := range prefix {
		n.prefixes[s] = append(n.prefixes[s], i)
	}
	return nil
}

// prefix returns the rarest shingles of a set: of two sets whose similarity is at least t, those in one order, both
// have one of the first |x| - ⌈t|x|⌉ + 1 in common (Chaudhuri et al. 2006).
func (n *nearIndex) prefix(set []uint32) []uint32 {
	size := len(set) - int(math.Ceil(n.threshold*float64(len(set))-1e-9)) + 1
	order := slices.Clone(set)
	slices.SortFunc(order, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(n.common[a%commonSize], n.common[b%commonSize]), cmp.Compare(a, b))
	})
	return order[:max(0, min(size, len(order)))]
}

// nearest returns the item that is most similar, -1 if none is similar enough.
func (n *nearIndex) nearest(set, prefix []uint32) (best int, similarity float64) {
	best = -1
	visited := map[int]bool{}
	for _, s := range prefix {
		for _, i := range n.prefixes[s] {
			if visited[i] {
				continue
			}
			visited[i] = true
			j := jaccard(set, n.shingles[i])
			if j >= n.threshold && (best < 0 || j > similarity || j == similarity && i < best) {
				best, similarity = i, j
			}
		}
	}
	return best, similarity
}

// jaccard is the size of the intersection of two sorted sets divided by the size of their union; 1 if both are empty.
func jaccard(a, b []uint32) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	shared, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			shared, i, j = shared+1, i+1, j+1
		}
	}
	return float64(shared) / float64(len(a)+len(b)-shared)
}

// shingles returns the hashes of all runs of ShingleWords words, sorted, each once; a shorter text is one shingle.
func shingles(words []string) []uint32 {
	var out []uint32
	for i := 0; i == 0 || i+ShingleWords <= len(words); i++ {
		h := fnv.New32a()
		for _, w := range words[i:min(i+ShingleWords, len(words))] {
			h.Write([]byte(w))
			h.Write([]byte{0})
		}
		out = append(out, h.Sum32())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// taskOf is the task of a script: goal and action templates, without case, order and punctuation.
func taskOf(s *synth.Script) string {
	task := []string{strings.Join(words(s.Goal), " ")}
	for _, a := range s.Actions {
		task = append(task, strings.Join(words(a.Template), " "))
	}
	slices.Sort(task[1:])
	return strings.Join(task, "\n")
}

// textOf are the words of an item that its shingles are made of.
func textOf(s *synth.Script, turns []synth.Turn) []string {
	out := words(s.Goal)
	for _, a := range s.Actions {
		out = append(out, words(a.Template)...)
	}
	for i := range turns {
		if t := &turns[i]; t.Master {
			out = append(out, words(t.Observation)...)
		} else {
			out = append(append(out, words(t.Thought)...), words(t.Action)...)
		}
	}
	return out
}

// words are the runs of letters and digits of a text, in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}
