package stats

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

// quantiles are the values that an effect can have, each as likely as the others, with mean 0 and standard
// deviation 1. Effects are drawn from these few values, so that true rates can be summed exactly.
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
	normal   []float64 // of the effects of tasks and episodes
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

// solve finds the base at which the expected rate over all kinds is p, and returns the rate at the effect of each.
func (w *world) solve(p float64) []float64 {
	at := func(base float64) (rates []float64) {
		for _, k := range w.shape {
			rates = append(rates, w.rate(base, k))
		}
		return rates
	}
	key := fmt.Sprint(w.shape, w.kind, w.setting, w.task, w.episode, w.best, p)
	base, ok := solved[key]
	if !ok {
		base = bisect(-20, 20, func(base float64) bool { return Mean(at(base)) < p })
		solved[key] = base
	}
	w.base = base
	return at(base)
}

// drawn is a benchmark that was played.
type drawn struct {
	episodes [][]float64 // by task
	// ofTasks is the true rate of these tasks, ofKinds the true rate of new tasks of these kinds.
	ofTasks, ofKinds float64
}

// each visits the tasks of a benchmark that is drawn anew: the number of the effect of a task's kind, and what kind
// and setting add to its logit.
func (w *world) each(rng *rand.Rand, groups []Group, visit func(kind int, effect float64)) {
	kinds, settings := map[string]int{}, map[Group]float64{}
	for _, g := range groups {
		k, ok := kinds[g.Kind]
		if !ok {
			k = rng.IntN(len(w.shape))
			kinds[g.Kind] = k
		}
		if _, ok := settings[g]; !ok {
			settings[g] = pick(rng, w.shape)
		}
		visit(k, w.kind*w.shape[k]+w.setting*settings[g])
	}
}

func pick(rng *rand.Rand, from []float64) float64 { return from[rng.IntN(len(from))] }

// draw plays a benchmark whose kinds have these rates.
func (w *world) draw(rng *rand.Rand, groups []Group, rates []float64) (d drawn) {
	n := float64(len(groups))
	w.each(rng, groups, func(kind int, effect float64) {
		d.ofKinds += rates[kind] / n
		logit := w.base + effect + w.task*pick(rng, w.normal)
		goals := 1
		if w.progress {
			goals = 1 + len(d.episodes)%6
		}
		p := logistic(logit)
		d.ofTasks += w.expected(logit) / n
		var episodes []float64
		for range w.seeds {
			if w.episode > 0 {
				p = logistic(logit + w.episode*pick(rng, w.normal))
			}
			episodes = append(episodes, share(rng, goals, p))
		}
		d.episodes = append(d.episodes, episodes)
	})
	return d
}

// share draws the share of tries that succeed.
func share(rng *rand.Rand, tries int, p float64) (mean float64) {
	for range tries {
		if rng.Float64() < p {
			mean += 1 / float64(tries)
		}
	}
	return mean
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

// cover is the share of runs whose interval holds the true rate, of every try or of the best of several.
func (w *world) cover(t *testing.T, b benchmark, q Question, p float64, runs int) float64 {
	t.Helper()
	rates := w.solve(p)
	var s Sampling
	if q != TheseTasks {
		s = sampling(t, q, b.groups)
	}
	rng := stream.New(int64(1+w.best), b.name, string(q),
		fmt.Sprint(p, w.kind, w.seeds, w.progress, len(w.shape), w.shape[0]))
	covered, _ := covering(runs, func() (truth float64, in Interval, err error) {
		d := w.draw(rng, b.groups, rates)
		switch {
		case q == TheseTasks && w.best > 0:
			e, err := DecodingBestOf(d.episodes, w.best, 0.95)
			return d.ofTasks, e.Interval, err
		case q == TheseTasks:
			return d.ofTasks, DecodingRate(d.episodes, 0.95).Interval, nil
		case q == TheseKinds:
			p = d.ofKinds
		}
		return p, s.Rate(values(d.episodes, w.best)).Interval, nil
	})
	return covered
}

// covering plays so many runs: which share of those with an interval holds the truth in it, and which share has one.
func covering(runs int, play func() (truth float64, in Interval, err error)) (covered, bounded float64) {
	for range runs {
		truth, in, err := play()
		if err != nil {
			continue
		}
		bounded++
		if in.Low <= truth && truth <= in.High {
			covered++
		}
	}
	return covered / bounded, bounded / float64(runs)
}

// coverages are the coverages of several cells.
type coverages []float64

func (c coverages) String() string {
	return fmt.Sprintf("%.1f-%.1f (%.1f)", 100*slices.Min(c), 100*slices.Max(c), 100*Mean(c))
}

// check prints coverages, and reports one that is too small, or all on average.
func (c coverages) check(t *testing.T, name string, least, mean float64) {
	t.Helper()
	t.Logf("| %s | %v |", name, c)
	if slices.Min(c) < least || Mean(c) < mean {
		t.Errorf("%s: smallest coverage %.3f, mean %.3f", name, slices.Min(c), Mean(c))
	}
}

// values averages the episodes of each task, or takes the best of several of them.
func values(episodes [][]float64, best int) (out []float64) {
	for _, of := range episodes {
		if best > 0 {
			out = append(out, BestOf(of, best))
		} else {
			out = append(out, Mean(of))
		}
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

// TestRatesCover simulates the six benchmarks: kinds that differ or do not, one seed and ten, rare and frequent
// success, and progress. No cell may cover less than 88 %, and no benchmark less than 93 % on average, or 92 % in
// progress. With -coverage 4000 -v -timeout 2h it plays the whole grid, also with effects of other shapes, and
// prints the tables of COVERAGE.md.
func TestRatesCover(t *testing.T) {
	sharedtest.Heavy(t)
	runs, stds, rates := sharedtest.Times(t, 200, 100), []float64{0, 1}, []float64{0.02, 0.1, 0.5, 0.9}
	rates = sharedtest.Sample(t, rates, 2)
	shapes := []string{"normal"}
	if *coverageRuns > 0 {
		runs, stds, rates = *coverageRuns, []float64{0, 0.5, 1, 1.5},
			[]float64{0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9}
		shapes = []string{"normal", "skewed", "two-point"}
	}
	for _, shape := range shapes {
		for _, b := range benchmarks() {
			for _, q := range append([]Question{TheseTasks}, questionsOf(b)...) {
				for _, progress := range []bool{false, true} {
					for _, seeds := range []int{1, 10} {
						if progress && seeds > 1 && *coverageRuns == 0 {
							continue
						}
						var row coverages
						for _, std := range stds {
							for _, p := range rates {
								row = append(row, newWorld(shape, b, std, seeds, progress).cover(t, b, q, p, runs))
							}
						}
						least, mean := 0.88, 0.93
						switch {
						case shape != "normal":
							least, mean = 0, 0
						case progress:
							mean = 0.92
						}
						row.check(t, fmt.Sprintf("%s effects, %s, %s, progress %v, %d seeds",
							shape, b.name, q, progress, seeds), least, mean)
					}
				}
			}
		}
	}
}
