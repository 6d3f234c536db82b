package bench

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/configs"
)

func TestSuiteNames(t *testing.T) {
	families := []family{{"verbs", 3}, {"names", 2}, {"order", 1}, {"goal", 3}, {"lines", 1}}
	want := []string{
		"verbs:2", "names:2", "order:1", "goal:2", "lines:1",
		"verbs:2+goal:2", "names:2+lines:1", "verbs:2+order:1",
		"verbs:2+names:2+goal:2+lines:1", "verbs:2+names:2+order:1+goal:2",
		"all:2",
	}
	if diff := cmp.Diff(want, suiteNames(families, []int{2})); diff != "" {
		t.Error(diff)
	}
	if got := suiteNames(families[:1], []int{1, 2}); !slices.Equal(got, []string{"verbs:1", "verbs:2"}) {
		t.Errorf("one family: %q", got)
	}
	if got := suiteNames(families[:2], []int{3}); !slices.Equal(got, []string{"verbs:3", "names:2", "all:3"}) {
		t.Errorf("two families: %q", got)
	}
}

// TestSuiteIsBalanced: every family is in one or two groups of each size, no name is
// there twice, and no part of a name is.
func TestSuiteIsBalanced(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "families")
		var families []family
		for i := range n {
			families = append(families, family{string(rune('a' + i)), rapid.IntRange(1, 3).Draw(t, "grades")})
		}
		grades := rapid.SliceOfNDistinct(rapid.IntRange(1, 4), 1, 4, rapid.ID[int]).Draw(t, "grades")
		names := suiteNames(families, grades)
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
				if k := count[size][f.id]; size < n && (k < 1 || k > 2) {
					t.Fatalf("%s is in %d groups of %d of %q", f.id, k, size, names)
				}
			}
		}
	})
}

func TestSuiteGrades(t *testing.T) {
	for in, want := range map[string]string{"": "at least one", "0": "no grade", "two": "no grade", "1,1": "twice",
		"10": "no grade"} {
		r := configs.Run{Suite: configs.Robust}
		if in != "" {
			r.Grades = strings.Split(in, ",")
		}
		if _, err := suiteGrades(r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", in, err, want)
		}
	}
	got, err := suiteGrades(configs.Run{Suite: configs.Robust, Grades: configs.Strings{"3", "1"}})
	if err != nil || !slices.Equal(got, []int{1, 3}) {
		t.Errorf("%v, %v", got, err)
	}
}
