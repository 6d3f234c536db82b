package stats

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// letters makes groups of kinds written as letters, every task its own setting.
func letters(kinds string) (groups []Group) {
	for i, k := range strings.Fields(kinds) {
		groups = append(groups, Group{k, fmt.Sprint(i)})
	}
	return groups
}

// twelve are the kinds of the reference values.
var twelve = letters("A A A B B B C C C C D D")

func sampling(t *testing.T, q Question, groups []Group) Sampling {
	t.Helper()
	s := sharedtest.Must(NewSampling(q, groups, 0.95))(t)
	return s
}

// TestRateReference has values that were computed by another program.
func TestRateReference(t *testing.T) {
	for _, c := range []struct {
		name                         string
		values                       []float64
		question                     Question
		variance, degrees, low, high float64 // a negative variance or degrees is not compared
	}{
		{"trials", trialsOf("1 0 1 1 0 0 0 0 1 0 1 1"), TheseKinds, 0.020833, 7.854545, 0.253782, 0.746218},
		{"trials", trialsOf("1 0 1 1 0 0 0 0 1 0 1 1"), NewKinds, 0.023380, 2.812500, 0.144523, 0.855477},
		{"means", []float64{.6, .2, .8, 1, 0, .2, 0, .1, .5, 0, .9, .7}, TheseKinds, 0.009630, -1, 0.235430, 0.635620},
		{"means", []float64{.6, .2, .8, 1, 0, .2, 0, .1, .5, 0, .9, .7}, NewKinds, 0.017907, -1, 0.147174, 0.767524},
		{"few", []float64{0, 0, .2, 0, 0, 0, 0, 0, .1, 0, 0, 0}, TheseKinds, -1, -1, 0.001699, 0.278670},
		{"few", []float64{0, 0, .2, 0, 0, 0, 0, 0, .1, 0, 0, 0}, NewKinds, -1, -1, 0.001429, 0.314863},
		{"none", make([]float64, 12), TheseKinds, 0, -1, 0, 0.242494},
		{"none", make([]float64, 12), NewKinds, 0, -1, 0, 0.280307},
	} {
		e := sampling(t, c.question, twelve).Rate(c.values)
		name := c.name + " " + string(c.question)
		if c.variance >= 0 {
			near(t, name+": Variance", e.Variance, c.variance, 5e-7)
		}
		if c.degrees >= 0 {
			near(t, name+": Degrees", e.Degrees, c.degrees, 5e-7)
		}
		near(t, name+": Low", e.Low, c.low, 5e-7)
		near(t, name+": High", e.High, c.high, 5e-7)
	}
}

func trialsOf(s string) (values []float64) {
	for _, f := range strings.Fields(s) {
		values = append(values, float64(f[0]-'0'))
	}
	return values
}

// TestPairedReference has values that were computed by another program.
func TestPairedReference(t *testing.T) {
	a, b := trialsOf("1 0 1 1 0 0 0 0 1 0 1 1"), trialsOf("0 0 1 0 0 0 0 0 1 0 1 0")
	diffs := make([]float64, len(a))
	for i := range a {
		diffs[i] = a[i] - b[i]
	}
	for _, c := range []struct {
		question                    Question
		variance, low, high, pValue float64
	}{
		{TheseKinds, 0.026148, -0.159808, 0.588380, 0.222361},
		{NewKinds, 0.020876, -0.263367, 0.691939, 0.240483},
	} {
		d := sampling(t, c.question, twelve).Paired(diffs, 1)
		name := string(c.question)
		near(t, name+": Mean", d.Mean, 0.25, 1e-12)
		near(t, name+": Centre", d.Centre, 0.214286, 5e-7)
		near(t, name+": Variance", d.Variance, c.variance, 5e-7)
		near(t, name+": Low", d.Low, c.low, 5e-7)
		near(t, name+": High", d.High, c.high, 5e-7)
		near(t, name+": P", d.P, c.pValue, 5e-7)
	}
}

func TestDecodingReference(t *testing.T) {
	var episodes [][]float64
	for _, task := range []string{"1 0 1 1", "0 0 0 0", "1 1 1 1", "0 1 0 0", "1 1 0 0"} {
		episodes = append(episodes, trialsOf(task))
	}
	e := DecodingRate(episodes, 0.95)
	if !e.Trials || DecodingRate(append(episodes, []float64{1, 0.5}), 0.95).Trials {
		t.Error("only 0 and 1 are trials")
	}
	near(t, "Variance", e.Variance, 0.010833, 5e-7)
	near(t, "Degrees", e.Degrees, 15, 0)
	near(t, "Low", e.Low, 0.299298, 5e-7)
	near(t, "High", e.High, 0.700702, 5e-7)
}

// sizes makes groups of the kinds' sizes, every task its own setting.
func sizes(ns ...int) (groups []Group) {
	for k, n := range ns {
		for range n {
			groups = append(groups, Group{fmt.Sprintf("kind %02d", k), fmt.Sprint(len(groups))})
		}
	}
	return groups
}

// same makes n sizes of m.
func same(n, m int) (sizes []int) {
	for range n {
		sizes = append(sizes, m)
	}
	return sizes
}

// TestDegreesOfTheBenchmarks has the degrees of freedom of the full sets.
func TestDegreesOfTheBenchmarks(t *testing.T) {
	sciworld := sizes(9, 9, 9, 8, 8, 6, 6, 6, 6, 5, 4, 4, 3, 3, 3, 1)
	for _, c := range []struct {
		name   string
		groups []Group
		kinds  float64 // degrees for TheseKinds
		fresh  float64 // and of the kinds for NewKinds
	}{
		{"babyai", sizes(same(28, 4)...), 84, 27},
		{"sciworld", sciworld, 74.5, 12.5},
		{"pddl", sizes(20, 20, 10, 10), 56, 2.63},
		{"jericho", sizes(same(20, 1)...), 19, 19},
		{"hotpotqa", sizes(same(300, 1)...), 299, 299},
	} {
		designs := sampling(t, TheseKinds, c.groups).designs
		near(t, c.name+" kinds", designs[0].degrees, c.kinds, 0.06)
		designs = sampling(t, NewKinds, c.groups).designs
		near(t, c.name+" new kinds", designs[len(designs)-1].degrees, c.fresh, 0.06)
	}
}

// TestLoneKinds: kinds of one cluster join others, and tasks that all are their own kind are one stratum.
func TestLoneKinds(t *testing.T) {
	d := sampling(t, TheseKinds, letters("A A A B B C")).designs[0]
	if len(d.strata) != 2 || d.strata[1].n != 3 {
		t.Errorf("C alone does not join B: %+v", d.strata)
	}
	d = sampling(t, TheseKinds, letters("A A A B C")).designs[0]
	if len(d.strata) != 2 || d.strata[1].n != 2 {
		t.Errorf("B and C do not become one stratum: %+v", d.strata)
	}
	if d = sampling(t, TheseKinds, letters("A B C")).designs[0]; len(d.strata) != 1 {
		t.Errorf("lone kinds are not one stratum: %+v", d.strata)
	}
}

func TestSamplingRefuses(t *testing.T) {
	for _, c := range []struct {
		q     Question
		kinds string
		want  error
	}{
		{TheseKinds, "A", ErrFewTasks}, {NewKinds, "A", ErrFewTasks}, {TheseKinds, "A A", nil},
		{NewKinds, "A A B B C C", ErrFewKinds}, {NewKinds, "A B C", nil}, {NewKinds, "A A A", ErrFewKinds},
		{NewKinds, "A A B B C C D D", nil},
	} {
		if _, err := NewSampling(c.q, letters(c.kinds), 0.95); !errors.Is(err, c.want) {
			t.Errorf("%s of %s: error %v, want %v", c.q, c.kinds, err, c.want)
		}
	}
}
