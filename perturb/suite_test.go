package perturb

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/configs"
	"heldout/envs/sharedtest"
)

// member is a family with so many grades.
func member(id string, grades int) configs.Family {
	return configs.Family{ID: id, Grades: make([]configs.Perturbation, grades)}
}

func TestSuiteNames(t *testing.T) {
	families := []configs.Family{member("verbs", 3), member("names", 2), member("order", 1), member("goal", 3),
		member("lines", 1)}
	want := []string{
		"verbs:2", "names:2", "order:1", "goal:2", "lines:1",
		"verbs:2+goal:2", "names:2+lines:1", "verbs:2+order:1",
		"verbs:2+names:2+goal:2+lines:1", "verbs:2+names:2+order:1+goal:2",
		"all:2",
	}
	sharedtest.Same(t, SuiteNames(families, []int{2}), want)
	sharedtest.Same(t, SuiteNames(families[:1], []int{1, 2}), []string{"verbs:1", "verbs:2"}, "one family")
	sharedtest.Same(t, SuiteNames(families[:2], []int{3}), []string{"verbs:3", "names:2", "all:3"}, "two families")
}

// TestSuiteIsBalanced: every family is in one or two groups of each size, no name is
// there twice, and no part of a name is.
func TestSuiteIsBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "families")
		var families []configs.Family
		for i := range n {
			families = append(families, member(string(rune('a'+i)), rapid.IntRange(1, 3).Draw(t, "grades")))
		}
		grades := rapid.SliceOfNDistinct(rapid.IntRange(1, 4), 1, 4, rapid.ID[int]).Draw(t, "grades")
		names := SuiteNames(families, grades)
		count := map[int]map[string]int{}
		for i, name := range names {
			if slices.Contains(names[:i], name) {
				t.Fatalf("%q is there twice", name)
			}
			parts := strings.Split(name, "+")
			if sorted := slices.Sorted(slices.Values(parts)); len(slices.Compact(sorted)) < len(parts) {
				t.Fatalf("%q has a family twice", name)
			}
			if count[len(parts)] == nil {
				count[len(parts)] = map[string]int{}
			}
			for _, part := range parts {
				count[len(parts)][part[:1]]++
			}
		}
		if len(grades) > 1 {
			return
		}
		for _, size := range []int{1, 2, 4} {
			for _, f := range families {
				if k := count[size][f.ID]; size < n && (k < 1 || k > 2) {
					t.Fatalf("%s is in %d groups of %d of %q", f.ID, k, size, names)
				}
			}
		}
	})
}
