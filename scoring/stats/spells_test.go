package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// spellSteps are the points of the survival curve that are simulated.
var spellSteps = []int{1, 3, 5, 10}

// errorWorld draws episodes with errors. The chance to recover from an error at a
// step has effects of kind, setting and task, in logits.
type errorWorld struct {
	world
}

// survival is the share of errors that last longer than some steps, at a kind's effect.
func (w *errorWorld) survival(kind float64, steps int) (mean float64) {
	settings := w.shape
	if w.setting == 0 {
		settings = []float64{0}
	}
	for _, s := range settings {
		for _, e := range w.normal {
			hazard := logistic(w.base + w.kind*kind + w.setting*s + w.task*e)
			mean += math.Pow(1-hazard, float64(steps)) / float64(len(settings)*len(w.normal))
		}
	}
	return mean
}

// draw plays a benchmark: at most six errors per episode, each followed by at most
// 29 steps. It returns the spells, the errors that were recovered from at the first
// step among those that had one, and the effect of each task's kind.
func (w *errorWorld) draw(rng *rand.Rand, groups []Group) (atRisk, ended [][][]float64, kinds []int) {
	w.each(rng, groups, func(kind int, effect float64) {
		kinds = append(kinds, kind)
		hazard := logistic(w.base + effect + w.task*pick(rng, w.normal))
		var risks, ends [][]float64
		for range w.seeds {
			n, d := make([]float64, 10), make([]float64, 10)
			for range rng.IntN(7) {
				for step := range min(10, rng.IntN(30)) {
					n[step]++
					if rng.Float64() < hazard {
						d[step]++
						break
					}
				}
			}
			risks, ends = append(risks, n), append(ends, d)
		}
		atRisk, ended = append(atRisk, risks), append(ended, ends)
	})
	return atRisk, ended, kinds
}

// cover returns the shares of runs whose interval holds the true share: of the
// points of the survival curve, and of the errors that are recovered from within a
// step. Runs without an interval do not count; the share is NaN if they are most.
func (w *errorWorld) cover(t *testing.T, b benchmark, q Question, runs int) (survival []float64, ratio float64) {
	t.Helper()
	s := sampling(t, q, b.groups)
	rng := stream.New(1, "spells", b.name, string(q), fmt.Sprint(w.base, w.kind, w.seeds))
	byKind := make([][]float64, len(w.shape)) // by effect and point
	population := make([]float64, len(spellSteps))
	for k := range w.shape {
		for i, steps := range spellSteps {
			byKind[k] = append(byKind[k], w.survival(w.shape[k], steps))
			population[i] += byKind[k][i] / float64(len(w.shape))
		}
	}
	held, all := make([]float64, len(spellSteps)+1), make([]float64, len(spellSteps)+1)
	count := func(i int, truth float64, l Linear, err error) {
		if err != nil {
			return
		}
		iv, err := s.Linear(l)
		if err != nil {
			return
		}
		all[i]++
		if iv.Low <= truth && truth <= iv.High {
			held[i]++
		}
	}
	for range runs {
		atRisk, ended, kinds := w.draw(rng, b.groups)
		truth := population
		if q == TheseKinds {
			truth = make([]float64, len(spellSteps))
			for _, k := range kinds {
				for i := range truth {
					truth[i] += byKind[k][i] / float64(len(kinds))
				}
			}
		}
		for i, steps := range spellSteps {
			l, err := survivalOf(atRisk, ended, steps)
			count(i, truth[i], l, err)
		}
		first := func(e [2][]float64) (ended, atRisk float64) { return e[0][0], e[1][0] }
		l, err := Ratio(joined(ended, atRisk), first, true)
		count(len(spellSteps), 1-truth[0], l, err)
	}
	for i := range all {
		if held[i] /= all[i]; all[i] < float64(runs)/2 {
			held[i] = math.NaN()
		}
	}
	return held[:len(spellSteps)], held[len(spellSteps)]
}

// TestSpellsCover simulates the intervals of survival curves and of ratios on the benchmarks, for tasks of these
// kinds and for new kinds. No point may cover less than 85 %, and no benchmark less than 92 % on average. With
// -coverage 500 -v it plays the whole grid.
func TestSpellsCover(t *testing.T) {
	sharedtest.Heavy(t)
	runs, stds, bases, of := 200, []float64{1}, []float64{-1}, sharedtest.Sample(t, benchmarks()[:5], 1)
	if *coverageRuns > 0 {
		runs, stds, bases, of = *coverageRuns, []float64{0, 1, 1.5}, []float64{-2, -1, 0, 1.5}, benchmarks()
	}
	for _, b := range of {
		for _, q := range questionsOf(b) {
			for _, seeds := range []int{1, 10} {
				var curves, ratios coverages
				for _, std := range stds {
					for _, base := range bases {
						w := &errorWorld{*newWorld("normal", b, std, seeds, false)}
						w.base, w.task = base, 1
						survival, ratio := w.cover(t, b, q, runs)
						survival = slices.DeleteFunc(survival, math.IsNaN)
						curves, ratios = append(curves, survival...), append(ratios, ratio)
					}
				}
				name := fmt.Sprintf("%s, %s, %d seeds", b.name, q, seeds)
				t.Logf("%s: curves %v, ratios %v", name, curves, ratios)
				append(curves, ratios...).check(t, name, 0.85, 0.92)
			}
		}
	}
}
