package stats

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

func TestLettersByHand(t *testing.T) {
	for _, c := range []struct {
		n      int
		differ [][2]int
		want   string
	}{
		{1, nil, "a"},
		{2, nil, "a a"},
		{2, [][2]int{{0, 1}}, "a b"},
		{3, [][2]int{{0, 2}}, "a ab b"},
		{3, [][2]int{{0, 1}, {0, 2}}, "a b b"},
		{4, [][2]int{{0, 2}, {0, 3}, {1, 3}}, "a ab bc c"},
		{3, [][2]int{{0, 1}, {0, 2}, {1, 2}}, "a b c"},
	} {
		got := Letters(c.n, func(i, j int) bool {
			return slices.Contains(c.differ, [2]int{i, j}) || slices.Contains(c.differ, [2]int{j, i})
		})
		sharedtest.Equal(t, strings.Join(got, " "), c.want, c.differ, got)
	}
}

// Two things share a letter if and only if they do not differ, whatever differs.
func TestLetters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "n")
		differ := map[[2]int]bool{}
		for i := range n {
			for j := range i {
				differ[[2]int{i, j}] = rapid.Bool().Draw(t, "differ")
			}
		}
		got := Letters(n, func(i, j int) bool { return differ[[2]int{max(i, j), min(i, j)}] })
		for i := range n {
			if got[i] == "" {
				t.Fatalf("%d has no letter", i)
			}
			for j := range i {
				if strings.ContainsAny(got[i], got[j]) == differ[[2]int{i, j}] {
					t.Fatalf("%d has %s and %d has %s, and they differ: %v", i, got[i], j, got[j], differ[[2]int{i, j}])
				}
			}
		}
	})
}
