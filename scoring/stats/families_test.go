package stats

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestHolm has values of R's p.adjust: one family alone is corrected by Holm's procedure.
func TestHolm(t *testing.T) {
	for _, c := range []struct{ ps, want []float64 }{
		{[]float64{0.04, 0.01, 0.03, 0.5}, []float64{0.09, 0.04, 0.09, 0.5}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.02, 0.02, 0.02}, []float64{0.06, 0.06, 0.06}},
		{[]float64{0.6, 0.7}, []float64{1, 1}},
		{[]float64{0.3}, []float64{0.3}},
		{nil, nil},
	} {
		got := Correct([]Family{{1, c.ps}}, 0.95)[0]
		if len(got) != len(c.want) {
			t.Fatalf("%v has the corrections %v", c.ps, got)
		}
		for i, want := range c.want {
			near(t, fmt.Sprint("Holm of ", c.ps), got[i].P, want, 1e-12)
		}
	}
}

// A test is rejected if and only if every hypothesis about some tests that holds it is rejected by
// weighted Bonferroni (Marcus, Peritz and Gabriel 1976); the level of its interval says the same.
func TestCorrectIsClosed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shares := []float64{0.8, 0.2, 0.4}
		var families []Family
		type place struct{ family, test int }
		var all []place
		for f := range rapid.IntRange(1, 3).Draw(t, "families") {
			ps := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(0, 0.06), rapid.Float64Range(0, 1)), 0, 3).Draw(t, "ps")
			families = append(families, Family{shares[f], ps})
			for i := range ps {
				all = append(all, place{f, i})
			}
		}
		rejects := func(subset int) bool { // the hypothesis that all of these are true
			rest := make([][]int, len(families))
			for k, at := range all {
				if subset>>k&1 == 1 {
					rest[at.family] = append(rest[at.family], at.test)
				}
			}
			weights, _ := weightsOf(families, rest)
			for f, tests := range rest {
				for _, i := range tests {
					if families[f].Ps[i] < 0.05*weights[f] {
						return true
					}
				}
			}
			return false
		}
		corrected := Correct(families, 0.95)
		for k, at := range all {
			closed := true
			for subset := range 1 << len(all) {
				closed = closed && (subset>>k&1 == 0 || rejects(subset))
			}
			got := corrected[at.family][at.test]
			if p := families[at.family].Ps[at.test]; (got.P < 0.05) != closed || (p < 1-got.Level) != closed ||
				got.P < p {
				t.Fatalf("%v of %v is corrected to %v, and closed testing rejects it: %t", p, families, got, closed)
			}
		}
	})
}
