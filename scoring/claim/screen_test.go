package claim

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/scoring/stats"
)

// Of more than three comparisons, the significant ones follow the first, also those that
// missing episodes cannot undo; the others are counted.
func TestSentencesOfMany(t *testing.T) {
	place := Scope{Name: "pddl", Title: "PDDL"}
	compare := func(name string, kind ClaimKind, estimate float64) Claim {
		return Claim{Kind: kind, Rate: "SR", Place: place, Tasks: 60, Estimate: estimate, P: 0.5, Sensitivity: 0.2,
			Interval: &stats.Interval{Low: -1, High: 1}, Family: Family{Name: Primary, Tests: 4},
			Reason:   "fewer than two tasks",
			Subjects: []Subject{{Name: name, Seeds: 1}, {Name: "base", Seeds: 1}}}
	}
	found := []Claim{compare("a", NotSignificant, 0.1), compare("b", Differs, -0.3), compare("c", NotCompared, 0),
		compare("d", Differs, 0.5), compare("e", NotCompared, 0)}
	undone := compare("f", NotCompared, 0)
	undone.Bounded = true
	for _, c := range []struct {
		name   string
		claims []Claim
		last   string
		count  int
	}{
		{"three", found[:3], found[2].Sentence(), 3},
		{"many", found, "3 more models, 2 not compared: --table verdict", 3},
		{"significant either way", append(found, undone), "3 more models, 2 not compared: --table verdict", 4},
		{"not significant", []Claim{found[0], found[0], found[0], found[0]}, "3 more models: --table verdict", 3},
	} {
		got := sentences(c.claims)
		if len(got) != c.count || got[len(got)-1] != c.last {
			t.Errorf("%s: %d sentences, want %d: %q", c.name, len(got), c.count, got)
		}
	}
	if diff := cmp.Diff(found[3].Sentence(), sentences(found)[0]); diff != "" {
		t.Error(diff)
	}
	elsewhere := compare("g", NotSignificant, 0.2)
	elsewhere.Place = Scope{Name: "babyai", Title: "BabyAI"}
	if got := sentences(append([]Claim{elsewhere}, found...)); got[len(got)-1] !=
		"4 more comparisons, 2 not compared: --table verdict" {
		t.Errorf("%q", got)
	}
}
