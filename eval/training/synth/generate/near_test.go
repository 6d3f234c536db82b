package generate

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
	"heldout/eval/training/synth"
)

// textItem is an item whose text is its goal.
func textItem(text string) *synth.Script { return &synth.Script{Goal: text} }

// The index finds what a comparison of all pairs finds.
func TestNearFindsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		threshold := rapid.SampledFrom([]float64{0.05, 0.3, 0.5, 0.7, 0.9, 1}).Draw(t, "threshold")
		word := rapid.SampledFrom([]string{"a", "b", "c"})
		index := newNear(threshold)
		var kept [][]uint32
		var tasks, ids []string
		scripts := make([]*synth.Script, rapid.IntRange(1, 25).Draw(t, "items"))
		for i := range scripts {
			scripts[i] = textItem(strings.Join(rapid.SliceOfN(word, 0, 25).Draw(t, "words"), " "))
			index.see(scripts[i], nil)
		}
		for i, script := range scripts {
			set, task := shingles(textOf(script, nil)), taskOf(script)
			var want *Duplicate
			if j := slices.Index(tasks, task); j >= 0 {
				want = &Duplicate{SameTask, ids[j], jaccard(set, kept[j])}
			} else {
				best := -1.0
				for j := range kept {
					if s := jaccard(set, kept[j]); s >= threshold && s > best {
						best, want = s, &Duplicate{NearText, ids[j], s}
					}
				}
			}
			id := fmt.Sprint(i)
			got := index.add(id, script, nil)
			if (got == nil) != (want == nil) || got != nil && *got != *want {
				t.Fatalf("item %d: %+v, want %+v", i, got, want)
			}
			if want == nil {
				kept, tasks, ids = append(kept, set), append(tasks, task), append(ids, id)
			}
		}
	})
}

func TestShingles(t *testing.T) {
	sharedtest.Equal(t, len(shingles(words("One, two; THREE four - five six!"))), 2, "shingles of six words")
	sharedtest.Equal(t, len(shingles(words("one two"))), 1, "shingles of two words")
	a, b := shingles(words("a b c d e f g h i j")), shingles(words("a b c d e f g h i k"))
	if j := jaccard(a, b); math.Abs(j-5.0/7) > 1e-9 { // five of six on each side are common
		t.Errorf("similarity %v", j)
	}
	sharedtest.Equal(t, taskOf(textItem("Find the LAMP!")), "find the lamp")
}
