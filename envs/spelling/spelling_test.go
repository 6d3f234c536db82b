package spelling

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

func TestHint(t *testing.T) {
	known := []string{"alfworld", "babyai", "hotpotqa", "jericho", "pddl", "sciworld", "run", "runs"}
	for name, want := range map[string]string{
		"alfwrld": " (did you mean alfworld?)", "ALFWorld": " (did you mean alfworld?)",
		"scienceworld": " (did you mean sciworld?)", "jeri": " (did you mean jericho?)",
		"runn": " (did you mean run or runs?)", "bbayai": " (did you mean babyai?)", "pdl": " (did you mean pddl?)",
		"": "", "x": "", "chess": "", "webshop": "", "ba": "",
	} {
		sharedtest.Equal(t, Hint(name, known), want, name)
	}
	sharedtest.Equal(t, Hint("P9", []string{"P1", "P2"}), "", "a name of two characters is close to nothing")
	sharedtest.Equal(t, Hint("abcd", []string{"abc1", "abc2", "abc3", "abc4"}), "", "many names are a list")
}

// edits is a distance, and one edit is one.
func TestEdits(t *testing.T) {
	word := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 0, 7, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		if d := edits(a, b); d != edits(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) {
			t.Fatalf("%q and %q: %d", a, b, d)
		}
		i := rapid.IntRange(0, len(a)).Draw(t, "at")
		if d := edits(a, a[:i]+"x"+a[i:]); d != 1 {
			t.Fatalf("one more character is %d edits", d)
		}
	})
	for pair, want := range map[string]int{"ab ba": 1, "kitten sitting": 3, "modle model": 1} {
		a, b, _ := strings.Cut(pair, " ")
		sharedtest.Equal(t, edits(a, b), want, pair)
	}
	if edits(strings.Repeat("a", 1<<20), "b") != 1<<20+1 {
		t.Error("a long text is compared character by character")
	}
}
