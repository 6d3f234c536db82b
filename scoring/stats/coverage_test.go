package stats

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

var coverageRuns = flag.Int("coverage", 0, "simulate so many runs of every cell of the whole grid and print the tables")

// benchmark is a design as the official data have it.
type benchmark struct {
	name   string
	groups []Group
	// alone: every task is its own kind.
	alone bool
}

// alfworld has 47 settings in six types: 41 of three games, 5 of two, 1 of one.
func alfworld() (groups []Group) {
	for kind, settings := range [][]int{
		{3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2}, {3, 3, 3, 3, 3, 3, 3, 3}, {3, 3, 3, 3, 3, 3, 3, 2}, {3, 3, 3, 3, 3, 3, 3},
		{3, 3, 3, 3, 3, 2}, {3, 3, 3, 3, 2, 2, 1},
	} {
		for s, n := range settings {
			for range n {
				groups = append(groups, Group{fmt.Sprint(kind), fmt.Sprint(s)})
			}
		}
	}
	return groups
}

func benchmarks() []benchmark {
	return []benchmark{
		{"ALFWorld", alfworld(), false},
		{"BabyAI", sizes(same(28, 4)...), false},
		{"ScienceWorld", sizes(9, 9, 9, 8, 8, 6, 6, 6, 6, 5, 4, 4, 3, 3, 3, 1), false},
		{"PDDL", sizes(20, 20, 10, 10), false},
		{"Jericho", sizes(same(20, 1)...), true},
		{"HotpotQA", sizes(same(300, 1)...), true},
	}
}

// quantiles are the values that an effect can have, each as likely as the others,
// with mean 0 and standard deviation 1. Effects are drawn from these few values, so
// that true rates can be summed exactly.
func quantiles(shape string) []float64 {
	var q []float64
	const n = 31
	for i := range n {
		p := (float64(i) + 0.5) / n
		switch shape {
		case "normal":
			q = append(q, distuv.UnitNormal.Quantile(p))
		case "skewed": // most are a little below, few far above
			q = append(q, -math.Log(1-p))
		case "two-point":
			q = append(q, []float64{-1, 1}[i%2])
		}
	}
	if shape == "two-point" {
		q = q[:2]
	}
	mean, std := Mean(q), PopulationStd(q)
	for i := range q {
		q[i] = (q[i] - mean) / std
	}
	return q
}

// world is what a cell draws from.
type world struct {
	shape    []float64 // of the effects of kinds and settings
	normal   []float64 // of those of tasks and episodes
	base     float64   // logit
	kind     float64   // standard deviations of the effects
	setting  float64
	task     float64
	episode  float64
	seeds    int
	progress bool
	// best is the number of tries of which the best counts; 0 for every try.
	best int
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// rate is the expected rate at a kind's effect.
func (w *world) rate(base, kind float64) (mean float64) {
	settings := w.shape
	if w.setting == 0 {
		settings = []float64{0}
	}
	within := math.Hypot(w.task, w.episode)
	for _, s := range settings {
		for _, e := range w.normal {
			mean += w.anyOf(logistic(base+w.kind*kind+w.setting*s+within*e)) / float64(len(settings)*len(w.normal))
		}
	}
	return mean
}

// anyOf is the probability that one of the tries succeeds.
func (w *world) anyOf(p float64) float64 {
	if w.best == 0 {
		return p
	}
	return 1 - math.Pow(1-p, float64(w.best))
}

// solved are the bases of worlds of which several tests have one.
var solved = map[string]float64{}

// solve finds the base at which the expected rate over all kinds is p.
func (w *world) solve(p float64) {
	key := fmt.Sprint(w.shape, w.kind, w.setting, w.task, w.episode, w.best, p)
	if base, ok := solved[key]; ok {
		w.base = base
		return
	}
	w.base = bisect(-20, 20, func(base float64) bool {
		mean := 0.0
		for _, k := range w.shape {
			mean += w.rate(base, k) / float64(len(w.shape))
		}
		return mean < p
	})
	solved[key] = w.base
}

// drawn is a benchmark that was played.
type drawn struct {
	episodes [][]float64 // by task
	// ofTasks is the true rate of these tasks, ofKinds that of new tasks of these
	// kinds.
	ofTasks, ofKinds float64
}

// draw plays a benchmark; rates are those of the kinds' effects.
func (w *world) draw(rng *rand.Rand, groups []Group, rates []float64) (d drawn) {
	kinds, settings := map[string]int{}, map[Group]float64{}
	pick := func(from []float64) float64 { return from[rng.IntN(len(from))] }
	n := float64(len(groups))
	for i, g := range groups {
		k, ok := kinds[g.Kind]
		if !ok {
			k = rng.IntN(len(w.shape))
			kinds[g.Kind] = k
		}
		d.ofKinds += rates[k] / n
		if _, ok := settings[g]; !ok {
			settings[g] = pick(w.shape)
		}
		logit := w.base + w.kind*w.shape[k] + w.setting*settings[g] + w.task*pick(w.normal)
		goals := 1
		if w.progress {
			goals = 1 + i%6
		}
		p := logistic(logit)
		d.ofTasks += w.expected(logit) / n
		var episodes []float64
		for range w.seeds {
			if w.episode > 0 {
				p = logistic(logit + w.episode*pick(w.normal))
			}
			hits := 0
			for range goals {
				if rng.Float64() < p {
					hits++
				}
			}
			episodes = append(episodes, float64(hits)/float64(goals))
		}
		d.episodes = append(d.episodes, episodes)
	}
	return d
}

// expected is the mean over episodes of a task.
func (w *world) expected(logit float64) (mean float64) {
	if w.episode == 0 {
		return w.anyOf(logistic(logit))
	}
	for _, e := range w.normal {
		mean += logistic(logit+w.episode*e) / float64(len(w.normal))
	}
	return mean
}

// cover is the share of runs whose interval holds the true rate.
func (w *world) cover(b benchmark, q Question, p float64, runs int) float64 {
	w.solve(p)
	rates := make([]float64, len(w.shape))
	for k := range rates {
		rates[k] = w.rate(w.base, w.shape[k])
	}
	var sampling Sampling
	if q != TheseTasks {
		var err error
		if sampling, err = NewSampling(q, b.groups, 0.95); err != nil {
			panic(err)
		}
	}
	held := 0
	rng := stream.New(1, b.name, string(q), fmt.Sprint(p, w.kind, w.seeds, w.progress, len(w.shape), w.shape[0]))
	for range runs {
		d := w.draw(rng, b.groups, rates)
		truth, interval := p, Interval{}
		switch q {
		case TheseTasks:
			truth, interval = d.ofTasks, DecodingRate(d.episodes, 0.95).Interval
		case TheseKinds:
			truth, interval = d.ofKinds, sampling.Rate(means(d.episodes)).Interval
		default:
			interval = sampling.Rate(means(d.episodes)).Interval
		}
		if interval.Low <= truth && truth <= interval.High {
			held++
		}
	}
	return float64(held) / float64(runs)
}

// means averages the episodes of each task.
func means(episodes [][]float64) (out []float64) {
	for _, values := range episodes {
		out = append(out, Mean(values))
	}
	return out
}

// newWorld has kinds that differ by the standard deviation in logits.
func newWorld(shape string, b benchmark, std float64, seeds int, progress bool) *world {
	w := &world{shape: quantiles(shape), normal: quantiles("normal"), kind: std, seeds: seeds, progress: progress}
	if b.name == "ALFWorld" {
		w.setting = min(std, 1)
	}
	if seeds > 1 {
		w.task = 1.5
	}
	if progress {
		w.episode = 1
	}
	return w
}

// questionsOf are those that a benchmark answers differently.
func questionsOf(b benchmark) []Question {
	if b.alone {
		return []Question{NewKinds}
	}
	return []Question{TheseKinds, NewKinds}
}

// TestRatesCover simulates the six benchmarks: kinds that differ or do not, one
// seed and ten, rare and frequent success. No cell may cover less than 88 %, and no
// benchmark less than 93 % on average. With -coverage 4000 -v -timeout 2h it plays the whole
// grid, also with effects of other shapes, and prints the tables of
// COVERAGE.md.
func TestRatesCover(t *testing.T) {
	sharedtest.Heavy(t)
	runs, stds, rates := sharedtest.Times(t, 200, 100), []float64{0, 1}, []float64{0.02, 0.1, 0.5, 0.9}
	rates = sharedtest.Sample(t, rates, 2)
	shapes, progresses := []string{"normal"}, []bool{false}
	if *coverageRuns > 0 {
		runs, stds, rates = *coverageRuns, []float64{0, 0.5, 1, 1.5},
			[]float64{0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9}
		shapes, progresses = []string{"normal", "skewed", "two-point"}, []bool{false, true}
	}
	for _, shape := range shapes {
		t.Logf("%s effects of kinds and settings: coverage in %%, smallest to largest of a row's cells", shape)
		for _, b := range benchmarks() {
			for _, q := range append([]Question{TheseTasks}, questionsOf(b)...) {
				line := fmt.Sprintf("| %s | %s |", b.name, q)
				for _, progress := range progresses {
					for _, seeds := range []int{1, 10} {
						var row []float64
						for _, std := range stds {
							for _, p := range rates {
								covered := newWorld(shape, b, std, seeds, progress).cover(b, q, p, runs)
								row = append(row, covered)
								if covered < 0.88 && shape == "normal" {
									t.Errorf("%s, %s, %d seeds, rate %v, kinds that differ by %v: coverage %.3f",
										b.name, q, seeds, p, std, covered)
								}
							}
						}
						if Mean(row) < 0.93 && shape == "normal" {
							t.Errorf("%s, %s, %d seeds: mean coverage %.3f", b.name, q, seeds, Mean(row))
						}
						line += fmt.Sprintf(" %.1f-%.1f (%.1f) |", 100*least(row), 100*most(row), 100*Mean(row))
					}
				}
				t.Log(line)
			}
		}
	}
}

func least(xs []float64) float64 {
	out := math.Inf(1)
	for _, x := range xs {
		out = min(out, x)
	}
	return out
}

func most(xs []float64) float64 {
	out := math.Inf(-1)
	for _, x := range xs {
		out = max(out, x)
	}
	return out
}
