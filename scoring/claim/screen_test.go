package claim

import (
	"testing"

	"heldout/envs/sharedtest"
	"heldout/scoring/stats"
)

// Of more than three comparisons the last line says what the others show.
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
	for name, c := range map[string]struct {
		claims []Claim
		last   string
		count  int
	}{
		"three": {found[:3], found[2].Sentence(), 3},
		"many":  {found, "2 not compared more: --table verdict", 4},
		"significant": {append(found, found[1], found[3]),
			"1 significant, 1 not significant, 2 not compared more: --table verdict", 4},
		"not significant": {[]Claim{found[0], found[0], found[0], found[0]}, "1 not significant more: --table verdict",
			4},
	} {
		got := sentences(c.claims)
		if len(got) != c.count || got[len(got)-1] != c.last {
			t.Errorf("%s: %d sentences, want %d: %q", name, len(got), c.count, got)
		}
	}
	sharedtest.Same(t, sentences(found)[0], found[3].Sentence())
}
