package scoring

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// playedAs makes a score of an environment with one seed: a letter per task, S success,
// f failure at half the way, n failure without progress, - not run.
func playedAs(t testing.TB, env, outcomes string) *Score {
	t.Helper()
	r := newRun(len(outcomes), 1).of(env)
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
	return r.about(t, stats.TheseKinds)
}

// TestRobustness is worked by hand: four tasks under two perturbations. The anchor loses
// tasks 0 and 1 under the first, and 1 and 2 under the second: these count.
//
//	                t0    t1    t2    t3
//	unperturbed     1     1     1     0.5
//	first           1     0     0.5   0.5
//	second          0     1     0.5   0
//	index of SR     (0 + 1 + 0 + 1) / 4        PR     (0 + 1 + 0 + 0.5) / 4
func TestRobustness(t *testing.T) {
	anchors := func(model ...string) (out []Scaled) {
		for i, anchor := range []string{"SSSS", "nnSS", "SnnS"} {
			out = append(out, Scaled{playedAs(t, "boxes", model[i]), playedAs(t, "boxes", anchor)})
		}
		return out
	}
	index := func(model ...string) Robustness {
		all := anchors(model...)
		r := sharedtest.Must(NewRobustness(all[0], all[1:]))(t)
		return r
	}
	r := index("SSSf", "Snff", "nSfn")
	near(t, "index", r.Success.Value, 0.5)
	near(t, "index of progress", r.Progress.Value, 0.375)
	for name, c := range map[string]struct {
		want  float64
		model []string
	}{
		"the anchor":                           {1, []string{"SSSS", "nnSS", "SnnS"}},
		"a memoriser that solves two of four":  {1, []string{"SSnn", "nnnn", "Snnn"}},
		"a reader":                             {0, []string{"SSSS", "SSSS", "SSSS"}},
		"a reader that solves two":             {0, []string{"nSSn", "nSSn", "nSSn"}},
		"one that loses where nothing counts":  {0, []string{"SSSS", "SSnn", "nSSn"}},
		"one that loses half of what it knows": {0.5, []string{"SSSS", "nSSS", "SnSS"}},
		"one that gains as much as it loses":   {0, []string{"nSSS", "SSSS", "SnSS"}},
	} {
		r := index(c.model...)
		near(t, name, r.Success.Value, c.want)
		near(t, name+", progress", r.Progress.Value, c.want)
		sharedtest.Equal(t, r.Success.Counted, 2, name)
	}
}

// TestPartOfScale: an anchor that keeps half of its progress has 1, and a model that loses all has 2.
func TestPartOfScale(t *testing.T) {
	base := playedAs(t, "boxes", "SSSSSSSS")
	half, none := playedAs(t, "boxes", "ffffffff"), playedAs(t, "boxes", "nnnnnnnn")
	for want, model := range map[float64]*Score{1: half, 2: none, 0: base} {
		r := sharedtest.Must(NewRobustness(Scaled{base, base}, []Scaled{{model, half}}))(t)
		near(t, "progress", r.Progress.Value, want)
		if r.Progress.Reason != nil || r.Progress.Low > want || r.Progress.High < want {
			t.Errorf("interval of %v: %+v", want, r.Progress)
		}
		near(t, "success", r.Success.Value, min(1, want))
	}
}

// TestNoIndex: nothing is lost of nothing, little says nothing, and an anchor that loses nothing is no scale.
func TestNoIndex(t *testing.T) {
	all, none, one := playedAs(t, "boxes", "SSSSSSSS"), playedAs(t, "boxes", "ffffffff"),
		playedAs(t, "boxes", "Sfffffff")
	for name, c := range map[string]struct {
		base, model, anchor *Score
		want                error
	}{
		"a rate of 0":            {none, one, none, stats.ErrNothing},
		"one of eight":           {one, none, none, stats.ErrNoBase},
		"nothing that is lost":   {all, none, all, ErrNoScale},
		"an anchor with results": {all, none, none, nil},
	} {
		r, err := NewRobustness(Scaled{c.base, all}, []Scaled{{c.model, c.anchor}})
		if err != nil || !errors.Is(r.Success.Reason, c.want) || (c.want != nil) != math.IsNaN(r.Success.Low) {
			t.Errorf("%s: %+v, %v", name, r.Success, err)
		}
	}
	for name, c := range map[string]struct {
		model, anchor string
		want          error
	}{
		"an incomplete score":  {"Sfff-fff", "ffffffff", ErrIncomplete},
		"an incomplete anchor": {"Sfffffff", "ffff-fff", ErrIncomplete},
		"other tasks":          {"Sfff", "ffffffff", ErrOtherTasks},
		"an anchor on others":  {"Sfffffff", "ffff", ErrOtherTasks},
	} {
		under := []Scaled{{playedAs(t, "boxes", c.model), playedAs(t, "boxes", c.anchor)}}
		if _, err := NewRobustness(Scaled{all, all}, under); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
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

// TestRobustnessProperties: nothing lost is 0, the anchor has 1 and no success rate more,
// and the order of perturbations does not matter.
func TestRobustnessProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(rt, "tasks")
		draw := func(name string) *Score {
			letters := rapid.SliceOfN(rapid.SampledFrom([]byte("Sfn")), n, n).Draw(rt, name)
			return playedAs(t, "boxes", string(letters))
		}
		base, anchor := Scaled{draw("base"), draw("anchor's base")}, [2]*Score{draw("anchor"), draw("anchor again")}
		a, b := Scaled{draw("a"), anchor[0]}, Scaled{draw("b"), anchor[1]}
		of := func(base Scaled, under ...Scaled) [2]Index {
			r, err := NewRobustness(base, under)
			sharedtest.OK(rt, err)
			return [2]Index{r.Success, r.Progress}
		}
		indices, turned := of(base, a, b), of(base, b, a)
		same := of(base, Scaled{base.Model, anchor[0]}, Scaled{base.Model, anchor[1]})
		own := of(Scaled{base.Anchor, base.Anchor}, Scaled{anchor[0], anchor[0]}, Scaled{anchor[1], anchor[1]})
		for k, i := range indices {
			if errors.Is(i.Reason, ErrNoScale) != (i.Counted == 0) || math.IsNaN(own[k].Value) != (i.Counted == 0) {
				rt.Fatalf("%d count, reason %v, the anchor's own index %v", i.Counted, i.Reason, own[k].Value)
			}
			if i.Counted > 0 && math.Abs(own[k].Value-1) > 1e-9 {
				rt.Fatalf("the anchor has %v", own[k].Value)
			}
			if math.IsNaN(i.Value) {
				continue
			}
			if math.Abs(i.Value-turned[k].Value) > 1e-9 || math.Abs(same[k].Value) > 1e-9 {
				rt.Fatalf("index %v, turned around %v, of nothing %v", i.Value, turned[k].Value, same[k].Value)
			}
			if i.Reason == nil && (i.Low > i.Value+1e-9 || i.High < i.Value-1e-9) || k == 0 && i.Value > 1+1e-9 {
				rt.Fatalf("index %+v", i)
			}
		}
	})
}
