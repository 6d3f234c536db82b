package scoring

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"heldout/configs"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// playedAs makes a score of an environment with one seed: a letter per task, S success,
// f failure at half the way, n failure without progress, - not run.
func playedAs(t testing.TB, env, outcomes string) *Score {
	t.Helper()
	r := newRun(len(outcomes), 1)
	r.Manifest.Environments[0].Name, r.Manifest.Groups[0].Condition.Env = env, env
	for i, letter := range outcomes {
		switch letter {
		case 'S':
			r.add(id(0, i), record.Success, 1, 1)
		case 'f':
			r.add(id(0, i), record.Failure, 0.5, 1)
		case 'n':
			r.add(id(0, i), record.Failure, 0, 1)
		}
	}
	scores, err := Compute(r.read(), stats.TheseKinds)
	if err != nil {
		t.Fatal(err)
	}
	return scores[0]
}

// TestMemorise is worked by hand: four tasks under two perturbations.
//
//	                t0    t1    t2    t3     SR      PR
//	unperturbed     1     1     1     0.5    0.75    0.875
//	first           1     0.5   0.5   0.5    0.25    0.625
//	second          1     1     0.5   0.5    0.5     0.75
//	index                                    1 - 0.375/0.75 = 0.5   1 - 0.6875/0.875 = 3/14
func TestMemorise(t *testing.T) {
	base := playedAs(t, "boxes", "SSSf")
	perturbed := []*Score{playedAs(t, "boxes", "Sfff"), playedAs(t, "boxes", "SSff")}
	m, err := Memorise(perturbed, base)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "base", m.Success.Base, 0.75)
	near(t, "kept", m.Success.Kept, 0.375)
	near(t, "index", m.Success.Value, 0.5)
	near(t, "index of progress", m.Progress.Value, 3.0/14)
	// The test is that of the difference.
	c, err := CompareMean(perturbed, base)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "p", m.Success.P, c.Success.P)
	near(t, "p of progress", m.Progress.P, c.Progress.P)
	// A better model has a negative index, which is not cut off.
	better, err := Memorise([]*Score{playedAs(t, "boxes", "SSSS")}, base)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "index of gains", better.Success.Value, -1.0/3)
}

// TestNoIndex: nothing is lost of nothing, and little says nothing.
func TestNoIndex(t *testing.T) {
	none, one := playedAs(t, "boxes", "ffffffff"), playedAs(t, "boxes", "Sfffffff")
	m, err := Memorise([]*Score{one}, none)
	if err != nil || !errors.Is(m.Success.Why, stats.ErrNothing) || !math.IsNaN(m.Success.Value) ||
		m.Progress.Why != nil {
		t.Errorf("a rate of 0: %+v, %v", m, err)
	}
	m, err = Memorise([]*Score{none}, one)
	if err != nil || !errors.Is(m.Success.Why, stats.ErrNoBase) || m.Success.Value != 1 || !math.IsNaN(m.Success.Low) {
		t.Errorf("one of eight: %+v, %v", m, err)
	}
	if _, err := Memorise([]*Score{none, playedAs(t, "boxes", "Sfff-fff")}, one); !errors.Is(err, ErrIncomplete) {
		t.Errorf("an incomplete score: %v", err)
	}
	if _, err := Memorise([]*Score{playedAs(t, "boxes", "Sfff")}, one); !errors.Is(err, ErrOtherTasks) {
		t.Errorf("other tasks: %v", err)
	}
}

// TestMemoriseHeldOut: weights 3 and 1. The score is (3·0.5 + 1·1)/4 = 0.625 and becomes
// (3·0.25 + 1·1)/4 = 0.4375; 0.3 of it is lost.
func TestMemoriseHeldOut(t *testing.T) {
	base := map[string]*Score{"babyai": playedAs(t, "babyai", "SSff"), "pddl": playedAs(t, "pddl", "SSSS")}
	perturbed := map[string][]*Score{
		"babyai": {playedAs(t, "babyai", "SSff"), playedAs(t, "babyai", "ffff")}, "pddl": {playedAs(t, "pddl", "SSSS")},
	}
	w := configs.Weights{HeldOut: []configs.Weight{{Env: "babyai", Weight: 3}, {Env: "pddl", Weight: 1}}}
	m, err := MemoriseHeldOut(w, perturbed, base)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "base", m.Success.Base, 0.625)
	near(t, "kept", m.Success.Kept, 0.4375)
	near(t, "index", m.Success.Value, 0.3)
	perturbed["pddl"] = []*Score{playedAs(t, "pddl", "SSS-")}
	if _, err := MemoriseHeldOut(w, perturbed, base); !errors.Is(err, ErrIncomplete) {
		t.Errorf("an incomplete environment: %v", err)
	}
}

// TestMeanRates: the mean of two rates, and no interval if one is incomplete.
func TestMeanRates(t *testing.T) {
	a, b := playedAs(t, "boxes", "SSSf"), playedAs(t, "boxes", "Sfff")
	success, progress := MeanRates([]*Score{a, b})
	near(t, "SR", success.Mean, 0.5)
	near(t, "PR", progress.Mean, 0.75)
	if success.Interval == nil || success.Interval.Low > 0.5 || success.Interval.High < 0.5 {
		t.Errorf("interval %+v", success.Interval)
	}
	if success, _ = MeanRates([]*Score{a, playedAs(t, "boxes", "Sff-")}); success.Interval != nil {
		t.Error("an incomplete score has an interval")
	}
	if success, _ = MeanRates([]*Score{a, playedAs(t, "boxes", "----")}); !math.IsNaN(success.Mean) {
		t.Errorf("a score without results: %v", success.Mean)
	}
}

// TestMemoriseProperties: nothing lost is 0, all lost is 1, no share is above 1, and the
// order of perturbations does not matter.
func TestMemoriseProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(rt, "tasks")
		draw := func(name string) *Score {
			letters := rapid.SliceOfN(rapid.SampledFrom([]byte("Sfn")), n, n).Draw(rt, name)
			return playedAs(t, "boxes", string(letters))
		}
		base, a, b := draw("base"), draw("a"), draw("b")
		m, err := Memorise([]*Score{a, b}, base)
		if err != nil {
			rt.Fatal(err)
		}
		turned, err := Memorise([]*Score{b, a}, base)
		if err != nil {
			rt.Fatal(err)
		}
		same, err := Memorise([]*Score{base, base}, base)
		if err != nil {
			rt.Fatal(err)
		}
		for _, i := range [][3]Index{{m.Success, turned.Success, same.Success},
			{m.Progress, turned.Progress, same.Progress}} {
			if (i[0].Base == 0) != errors.Is(i[0].Why, stats.ErrNothing) {
				rt.Fatalf("base %v, reason %v", i[0].Base, i[0].Why)
			}
			if i[0].Base == 0 {
				continue
			}
			if i[0].Value > 1 || math.Abs(i[0].Value-i[1].Value) > 1e-12 || i[2].Value != 0 {
				rt.Fatalf("index %v, turned around %v, of nothing %v", i[0].Value, i[1].Value, i[2].Value)
			}
			if i[0].Why == nil && (i[0].Low > i[0].Value+1e-9 || i[0].High < i[0].Value-1e-9 || i[0].High > 1+1e-9) {
				rt.Fatalf("interval of %+v", i[0])
			}
		}
	})
}
