package stats

import (
	"errors"
	"math"
	"slices"
	"testing"

	"heldout/envs/sharedtest"
)

// TestRatioOfEqualSizes: with equal denominators a ratio is a mean, and so is its
// variance, also where few tasks carry it and where tasks stand for their kinds.
func TestRatioOfEqualSizes(t *testing.T) {
	for _, q := range []Question{TheseKinds, NewKinds} {
		ratioIsMean(t, q, []float64{.6, .2, .8, 1, 0, .2, 0, .1, .5, 0, .9, .7})
		ratioIsMean(t, q, []float64{0, 0, .5, 0, 0, 0, 0, .2, 0, 0, 0, 0})
	}
}

// shares is the ratio of tasks that have such values, each of ten tries.
func shares(t *testing.T, values ...float64) Linear {
	t.Helper()
	var tasks [][]part
	for _, y := range values {
		tasks = append(tasks, []part{{10 * y, 10}})
	}
	return sharedtest.Must(Ratio(tasks, part.sums, true))(t)
}

// part is what an episode adds to the numerator and to the denominator.
type part [2]float64

func (p part) sums() (num, den float64) { return p[0], p[1] }

func ratioIsMean(t *testing.T, q Question, values []float64) {
	t.Helper()
	l := shares(t, values...)
	s := sampling(t, q, twelve)
	want := s.Rate(values)
	got := sharedtest.Must(s.Linear(l))(t)
	near(t, "Value", l.Value, want.Mean, 1e-12)
	near(t, "Low", got.Low, want.Low, 1e-9)
	near(t, "High", got.High, want.High, 1e-9)
}

func TestRatioRefuses(t *testing.T) {
	if _, err := Ratio([][]part{{{0, 0}}, {{0, 0}}}, part.sums, true); !errors.Is(err, ErrNothing) {
		t.Errorf("nothing: error %v", err)
	}
	s := plainSampling(3, 0.95)
	one := sharedtest.Must(Ratio([][]part{{{1, 2}}, {{0, 0}}, {{0, 0}}}, part.sums, true))(t)
	if _, err := s.Linear(one); !errors.Is(err, ErrFewTasks) {
		t.Errorf("one task: error %v", err)
	}
	alike := sharedtest.Must(Ratio([][]part{{{4, 2}}, {{2, 1}}, {{6, 3}}}, part.sums, false))(t)
	if _, err := s.Linear(alike); !errors.Is(err, ErrAlike) {
		t.Errorf("alike: error %v", err)
	}
	if _, err := s.PairedLinear(alike, alike); !errors.Is(err, ErrAlike) {
		t.Errorf("alike: error %v of the difference", err)
	}
}

// TestPairedLinearByHand: two tasks differ by 0.3 and 0.1, so the mean is 0.2 with a
// standard error of 0.1. With one degree of freedom P is 1-2/π·atan(2).
func TestPairedLinearByHand(t *testing.T) {
	d := sharedtest.Must(plainSampling(2, 0.95).PairedLinear(shares(t, 0.8, 0.4), shares(t, 0.5, 0.3)))(t)
	near(t, "Mean", d.Mean, 0.2, 1e-12)
	near(t, "Variance", d.Variance, 0.01, 1e-12)
	near(t, "Degrees", d.Degrees, 1, 0)
	near(t, "P", d.P, 1-2/math.Pi*math.Atan(2), 1e-9)
}

// survivalOf is Survival of counts by task, episode and step.
func survivalOf(atRisk, ended [][][]float64, steps int) (Linear, error) {
	return Survival(joined(atRisk, ended), func(e [2][]float64) (atRisk, ended []float64) { return e[0], e[1] }, steps)
}

// joined puts two counts of each episode beside each other, each by step.
func joined(a, b [][][]float64) (tasks [][][2][]float64) {
	for i := range a {
		var task [][2][]float64
		for j := range a[i] {
			task = append(task, [2][]float64{a[i][j], b[i][j]})
		}
		tasks = append(tasks, task)
	}
	return tasks
}

// TestSurvivalByHand: twenty spells in ten tasks; at step 1 four of twenty end and
// four are censored after it, at step 2 six of twelve end: 0.8 times 0.5.
func TestSurvivalByHand(t *testing.T) {
	atRisk := [][][]float64{{{2, 2}}, {{2, 1}}, {{2, 1}}, {{2, 1}}, {{2, 1}}}
	ended := [][][]float64{{{0, 1}}, {{1, 1}}, {{1, 1}}, {{0, 0}}, {{0, 0}}}
	atRisk, ended = slices.Repeat(atRisk, 2), slices.Repeat(ended, 2)
	for steps, want := range []float64{1, 0.8, 0.4} {
		l := sharedtest.Must(survivalOf(atRisk, ended, steps))(t)
		near(t, "Value", l.Value, want, 1e-12)
		near(t, "sum of influences", Mean(l.means()), 0, 1e-12)
	}
	// six tasks have a spell that lasts
	if l, err := survivalOf(atRisk, ended, 2); err != nil || math.Abs(l.Carriers-6) > 1e-9 {
		t.Errorf("carried by %v tasks, error %v", l.Carriers, err)
	}
	if _, err := survivalOf(atRisk[:9], ended[:9], 1); !errors.Is(err, ErrNothing) {
		t.Errorf("nine tasks at risk: error %v", err)
	}
}
