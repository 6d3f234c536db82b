package claim

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heldout/scoring/stats"
)

// drawnClaim is a claim of any kind and family, as Derive makes them.
func drawnClaim(t *rapid.T) Claim {
	some := func(label string, low, high float64) float64 { return rapid.Float64Range(low, high).Draw(t, label) }
	maybe := func(label string, x float64) float64 {
		return rapid.SampledFrom([]float64{x, x, 0, math.NaN()}).Draw(t, label)
	}
	kind := rapid.SampledFrom([]ClaimKind{Rated, Preliminary, Incomplete, Differs, NotSignificant, NotCompared, Best,
		Undecided, Unreadable, Trained, Unscored}).Draw(t, "kind")
	family := rapid.SampledFrom([]FamilyName{Primary, Second, Unperturbed, Averages, Losses, LossDifferences, ""}).Draw(
		t, "family")
	c := Claim{Kind: kind, Family: Family{family, rapid.IntRange(0, 30).Draw(t, "tests")}, Rate: "SR",
		Place: rapid.SampledFrom([]Scope{HeldOut, {Name: "pddl", Title: "PDDL"}}).Draw(t, "place"),
		Tasks: rapid.IntRange(0, 300).Draw(t, "tasks"), P: math.NaN(), AloneP: math.NaN(), Sensitivity: math.NaN(),
		Estimate: maybe("estimate", some("size", -1, 1)), Reason: "a reason",
		Protocols: rapid.SampledFrom([]string{"", "not only the models differ (a: 3 steps; b: 30 steps)"}).Draw(t,
			"besides"),
		Environments: []Scope{{Name: "pddl", Title: "PDDL"}}, Part: 1, Total: 3, Unsolved: 2,
		Touched: rapid.IntRange(0, 2).Draw(t, "touched")}
	if family == Averages || family == Losses || family == LossDifferences {
		c.Perturbations = rapid.SliceOfN(rapid.SampledFrom([]string{"P1", "P2", "P3", "mine"}), 1, 6).Draw(t,
			"perturbations")
	}
	subjects := 1
	switch {
	case c.Compared() && family != Losses:
		subjects = 2
	case kind == Best || kind == Undecided:
		subjects = rapid.IntRange(2, 9).Draw(t, "subjects")
		if c.Leading = 1; kind == Undecided {
			c.Leading = rapid.IntRange(2, subjects).Draw(t, "leading")
		}
	}
	for range subjects {
		c.Subjects = append(c.Subjects, Subject{Name: rapid.StringMatching(`[a-z]{1,9}`).Draw(t, "name"),
			Value: maybe("value", some("rate", 0, 1)), Perturbed: maybe("perturbed", some("rate", 0, 1)),
			Seeds: rapid.IntRange(0, 10).Draw(t, "seeds"), EqualSeeds: rapid.Bool().Draw(t, "equal seeds"),
			Trainings: rapid.IntRange(0, 2).Draw(t, "trainings"), Finished: 50,
			Planned: rapid.IntRange(50, 55).Draw(t, "planned")})
	}
	low := some("low", -1, 1)
	interval := &stats.Interval{Low: low, High: some("high", low, 1)}
	significant := interval.Low > 0 || interval.High < 0
	switch {
	case kind == Differs && !significant, kind == NotSignificant && significant:
		interval = &stats.Interval{Low: 0.1, High: 0.3}
		if c.Estimate = 0.2; kind == NotSignificant {
			interval.Low = -0.1
		}
	}
	if kind == NotCompared {
		if c.Estimate = math.NaN(); significant && subjects == 2 {
			c.Bounded, c.Interval = rapid.Bool().Draw(t, "bounded"), interval
		}
		return c
	}
	if c.Compared() {
		c.Interval, c.Alone = interval, interval
		c.Estimate, c.P, c.AloneP = (interval.Low+interval.High)/2, some("p", 0, 1), some("p", 0, 1)
		c.Sensitivity = rapid.SampledFrom([]float64{0.1, math.Inf(1)}).Draw(t, "sensitivity")
		c.Margin = rapid.SampledFrom([]float64{0, 0.05}).Draw(t, "margin")
		c.Equal = c.Margin > 0 && interval.Low >= -c.Margin && interval.High <= c.Margin
	} else if !math.IsNaN(c.Estimate) && rapid.Bool().Draw(t, "limited") {
		c.Interval = interval
	}
	return c
}

// Every claim of every kind and family can be said, turned round and judged, and what is said agrees with what it is.
func TestGrammar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawnClaim(t)
		for _, of := range []Claim{c, c.Reversed()} {
			text := of.Sentence()
			for _, bad := range []string{"NaN", "Inf", "%!", "  ", "()", "( "} {
				if strings.Contains(text, bad) {
					t.Fatalf("%q has %q", text, bad)
				}
			}
			if !strings.Contains(text, of.Subjects[0].Name) || strings.HasSuffix(text, ".") {
				t.Fatalf("%q", text)
			}
			if !of.Compared() {
				continue
			}
			not := strings.Contains(text, "not significant")
			switch {
			case of.Kind == Differs && (not || !strings.Contains(text, "significant")),
				of.Kind == NotSignificant && !not,
				of.Kind == NotCompared && !of.Bounded && !strings.Contains(text, "not compared (a reason)"),
				of.Bounded && !strings.Contains(text, " whatever the "),
				of.Worse() && of.Kind == Differs && of.Estimate > 0,
				of.Kind == NotCompared && !of.Worse():
				t.Fatalf("%+v: %q, worse: %t", of, text, of.Worse())
			}
		}
		if again := c.Reversed().Reversed(); again.Sentence() != c.Sentence() {
			t.Fatalf("%q, turned round twice %q", c.Sentence(), again.Sentence())
		}
		for _, of := range []string{c.outcomeText(), c.onAverage("")} {
			if of == "" || strings.Contains(of, "NaN") || strings.Contains(of, "%!") {
				t.Fatalf("%+v: %q", c, of)
			}
		}
	})
}

func (c Claim) outcomeText() string {
	if !c.Compared() || c.Family.Name == Losses {
		return "none"
	}
	return outcomes([]Claim{c})
}
