package main

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"heldout/scoring/record"
)

// This file derives what designs say from their episodes without the code of
// scoring: from the formulas of its documents alone.

// value is what an episode counts for a rate.
func (o outcome) value(rate string) float64 {
	switch {
	case rate == "PR" || rate == "F1":
		return o.progress
	case o.success:
		return 1
	}
	return 0
}

// byTask are the means of tasks over seeds, in the order of the tasks; those without a result are missing.
func (c *cell) byTask(value func(slot, outcome) float64) (tasks []int, means []float64) {
	for _, task := range c.tasks {
		sum, n := 0.0, 0
		for _, seed := range c.seeds {
			if o, ok := c.played[slot{task, seed}]; ok {
				sum, n = sum+value(slot{task, seed}, o), n+1
			}
		}
		if n > 0 {
			tasks, means = append(tasks, task), append(means, sum/float64(n))
		}
	}
	return tasks, means
}

// tried counts the seeds that have a result.
func (c *cell) tried() int {
	seeds := map[int64]bool{}
	for at := range c.played {
		seeds[at.seed] = true
	}
	return len(seeds)
}

func (c *cell) planned() int   { return len(c.tasks) * len(c.seeds) }
func (c *cell) complete() bool { return len(c.played) == c.planned() }

// withheld: more than a tenth is missing for reasons that depend on the model.
func (c *cell) withheld() bool {
	n := 0
	for _, why := range c.failed {
		if why == record.ModelError || why == record.ContextExceeded {
			n++
		}
	}
	return float64(n) > 0.1*float64(c.planned())
}

func (c *cell) rate(rate string) float64 {
	_, means := c.byTask(func(_ slot, o outcome) float64 { return o.value(rate) })
	if len(means) == 0 {
		return math.NaN()
	}
	return stat.Mean(means, nil)
}

// student is the two-sided probability of a t value, and reach the quantile of a level.
func student(t, degrees float64) float64 {
	return 2 * distuv.StudentsT{Sigma: 1, Nu: degrees}.Survival(math.Abs(t))
}

func reach(level, degrees float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: degrees}.Quantile((1 + level) / 2)
}

// strata are the kinds of tasks with at least two tasks each: kinds of a single task are
// put together, or with the smallest other kind.
func strata(p *designPlace, tasks []int) (out [][]int) {
	of := map[string][]int{}
	var names []string
	for i, task := range tasks {
		kind := p.kinds[task]
		if of[kind] == nil {
			names = append(names, kind)
		}
		of[kind] = append(of[kind], i)
	}
	slices.Sort(names)
	var single []int
	for _, name := range names {
		if len(of[name]) > 1 {
			out = append(out, of[name])
		} else {
			single = append(single, of[name]...)
		}
	}
	switch {
	case len(single) == 0:
	case len(single) > 1 || len(out) == 0:
		out = append(out, single)
	default:
		least := 0
		for i := range out {
			if len(out[i]) < len(out[least]) {
				least = i
			}
		}
		out[least] = append(slices.Clone(out[least]), single...)
	}
	return out
}

// variance is the variance of the mean of values with independent tasks within strata, with its degrees of freedom.
func variance(values []float64, in [][]int) (v, degrees float64) {
	trace, square := 0.0, 0.0
	for _, stratum := range in {
		n, share := float64(len(stratum)), float64(len(stratum))/float64(len(values))
		var own []float64
		for _, i := range stratum {
			own = append(own, values[i])
		}
		v += share * share * stat.Variance(own, nil) / n
		c := share * share / (n * n) / (1 - 1/n)
		trace += c * (n - 1)
		square += c * c * (n - 1)
	}
	if v < 1e-18 {
		v = 0
	}
	return v, trace * trace / square
}

// tested is a test of a difference.
type tested struct{ mean, centre, variance, degrees float64 }

func (t tested) p() float64 { return student(t.centre/math.Sqrt(t.variance), t.degrees) }

func (t tested) limits(level, most float64) (low, high float64) {
	half := reach(level, t.degrees) * math.Sqrt(t.variance)
	return max(-most, t.centre-half), min(most, t.centre+half)
}

// paired tests the mean of differences by task: two tasks of ±1/√seeds are added.
func paired(p *designPlace, tasks []int, diffs []float64, seeds int) tested {
	n, mean := float64(len(diffs)), stat.Mean(diffs, nil)
	v, degrees := variance(diffs, strata(p, tasks))
	return tested{mean, n * mean / (n + 2), (n*n*v + 2*(1/float64(seeds)+mean*mean)) / ((n + 2) * (n + 2)), degrees}
}

// together is the test of a weighted sum of independent differences.
func together(parts []tested, weights []float64) tested {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	var out tested
	fourth := 0.0
	for i, p := range parts {
		w := weights[i] / total
		v := w * w * p.variance
		out.mean, out.centre, out.variance = out.mean+w*p.mean, out.centre+w*p.centre, out.variance+v
		fourth += v * v / p.degrees
	}
	out.degrees = out.variance * out.variance / fourth
	return out
}

// compared tests one cell less another; why is empty if they can be compared.
func compared(p *designPlace, a, b *cell, rate string) (t tested, why string) {
	switch {
	case a == nil || b == nil:
		return t, "absent"
	case len(a.played) == 0 || len(b.played) == 0:
		return t, "empty"
	case !a.complete() || !b.complete():
		return t, "incomplete"
	case !slices.Equal(a.tasks, b.tasks):
		return t, "other tasks"
	case len(a.tasks) < 2:
		return t, "few tasks"
	}
	plain := func(_ slot, o outcome) float64 { return o.value(rate) }
	return difference(p, a, b, plain, plain), ""
}

func difference(p *designPlace, a, b *cell, ours, theirs func(slot, outcome) float64) tested {
	tasks, one := a.byTask(ours)
	_, two := b.byTask(theirs)
	diffs := make([]float64, len(one))
	for i := range one {
		diffs[i] = one[i] - two[i]
	}
	return paired(p, tasks, diffs, min(a.worth(), b.worth()))
}

// supposed is a cell whose missing episodes have a value.
func (c *cell) supposed(success bool) *cell {
	out := &cell{tasks: c.tasks, seeds: c.seeds, played: map[slot]outcome{}}
	for _, task := range c.tasks {
		for _, seed := range c.seeds {
			at := slot{task, seed}
			if o, ok := c.played[at]; ok {
				out.played[at] = o
			} else if out.played[at] = (outcome{}); success {
				out.played[at] = outcome{success: true, progress: 1}
			}
		}
	}
	return out
}

// bounds tests a pair with missing episodes at their worst for either; ok is false if more than a tenth is missing.
func bounds(p *designPlace, a, b *cell, rate string) (low, high tested, ok bool) {
	for _, c := range []*cell{a, b} {
		if float64(c.planned()-len(c.played)) > 0.1*float64(c.planned()) {
			return low, high, false
		}
	}
	low, one := compared(p, a.supposed(false), b.supposed(true), rate)
	high, two := compared(p, a.supposed(true), b.supposed(false), rate)
	return low, high, one == "" && two == ""
}

// shares are the parts of the error of 5 % that families have.
var shares = map[string]float64{"primary": 0.8, "second": 0.2, "unperturbed": 0.3, "averages": 0.3, "losses": 0.3,
	"differences of losses": 0.1}

// weights are the parts of the error that open tests have: each family has its share of all that is open, and its tests
// have equal parts.
func errorWeights(families []string, open []bool) []float64 {
	counts := map[string]float64{}
	for i, family := range families {
		if open[i] {
			counts[family]++
		}
	}
	total := 0.0
	for family := range counts {
		total += shares[family]
	}
	out := make([]float64, len(families))
	for i, family := range families {
		if open[i] {
			out[i] = shares[family] / total / counts[family]
		}
	}
	return out
}

// corrected are probabilities after correction: the largest that a test has in a sequence that rejects the smallest of
// the weighted ones and weighs the others anew.
func corrected(families []string, ps []float64) []float64 {
	open, out, least := make([]bool, len(ps)), make([]float64, len(ps)), 0.0
	for i := range open {
		open[i] = true
	}
	for range ps {
		weights, at := errorWeights(families, open), -1
		for i := range ps {
			if open[i] && (at < 0 || ps[i]/weights[i] < ps[at]/weights[at]) {
				at = i
			}
		}
		least = max(least, min(1, ps[at]/weights[at]))
		out[at], open[at] = least, false
	}
	return out
}

// heldOutWeights are the weights of the field.
var heldOutWeights = []struct {
	env    string
	weight float64
}{{"babyai", 112}, {"sciworld", 90}, {"pddl", 60}, {"jericho", 20}}

// fact is what is true of a comparison.
type fact struct {
	a, b, place string // place is its title, or held-out score, with averageOf or changeOf before it
	family      string
	// t is the test of a less b, nil if there is none; low and high are the tests of the
	// bounds if episodes are missing.
	t, low, high *tested
	p            float64 // corrected
	tests        int
	// all are the tests of each family of the page.
	all map[string]int
}

// averageOf begins the place of an average, changeOf the place of a difference of losses.
const averageOf, changeOf = "average ", "change "

// widest is the highest level that limits of the fact can have.
func (f fact) widest() float64 {
	total := 0.0
	for family, n := range f.all {
		if n > 0 {
			total += shares[family]
		}
	}
	return 1 - 0.05*shares[f.family]/total/float64(max(1, f.tests))
}

// significant says whether a difference is claimed.
func (f fact) significant() bool { return f.t != nil && f.p < 0.05 }

// bounded says whether the bounds agree that there is a difference.
func (f fact) bounded() bool { return f.t == nil && f.low != nil && f.p < 0.05 }

func (f fact) raw() (p float64, ok bool) {
	switch {
	case f.t != nil:
		return f.t.p(), true
	case f.low == nil:
		return 0, false
	case f.low.centre*f.high.centre <= 0:
		return 1, true
	}
	return max(f.low.p(), f.high.p()), true
}

// cell is what a model, or all trainings of an arm, played.
func (d *design) cell(model, env, under string) *cell { return d.cells[cellKey{model, env, under}] }

// place finds a place by its title.
func (d *design) place(title string) *designPlace {
	for _, p := range d.places {
		if p.title == title {
			return p
		}
	}
	return nil
}

// trained reports whether models are trainings of two arms or more.
func (d *design) trained() bool {
	if len(d.under) > 0 {
		return false // each stands for itself
	}
	arms := map[string]bool{}
	for _, m := range d.models {
		if arm, _, ok := strings.Cut(m, "-"); ok && (arm == "arm" || arm == "leg") {
			arms[arm] = true
		}
	}
	return len(arms) > 1
}

// heldOutCells are the cells of a model's held-out score; nil if it has none.
func (d *design) heldOutCells(model string) (cells []*cell) {
	for _, w := range heldOutWeights {
		i := slices.IndexFunc(d.places, func(p *designPlace) bool { return p.env == w.env })
		if i < 0 {
			return nil
		}
		p, c := d.places[i], d.cell(model, w.env, "none")
		if c == nil || !p.official || !p.whole || !c.complete() || len(c.tasks) != len(p.tasks) {
			return nil
		}
		cells = append(cells, c)
	}
	return cells
}

// weighted reports whether a model was planned in an environment of the held-out score.
func (d *design) weighted(model string) bool {
	for _, w := range heldOutWeights {
		if d.cell(model, w.env, "none") != nil {
			return true
		}
	}
	return false
}

// heldOut is the held-out score of a model; NaN if it has none.
func (d *design) heldOut(model string) float64 {
	cells, sum, total := d.heldOutCells(model), 0.0, 0.0
	if cells == nil {
		return math.NaN()
	}
	for i, c := range cells {
		sum += heldOutWeights[i].weight * c.rate(d.rate)
		total += heldOutWeights[i].weight
	}
	return sum / total
}

// pairs are all facts about pairs of models, with corrected probabilities. A direct question
// has two models, or a reference, whose results are subtracted; first orders the others.
func (d *design) pairs() (facts []fact) {
	direct := d.reference != "" || len(d.models) == 2
	scored := false
	add := func(i, j int, place string) {
		a, b := d.models[j], d.models[i] // the later less the earlier
		if d.reference != "" && a != d.reference && b != d.reference {
			return
		}
		f := fact{a: a, b: b, place: place}
		if place == heldOutTitle {
			one, two := d.heldOutCells(a), d.heldOutCells(b)
			if of, other := d.weighted(a), d.weighted(b); !of && !other || !direct && (!of || !other) {
				return
			}
			if one != nil && two != nil {
				var parts []tested
				var weights []float64
				for k, w := range heldOutWeights {
					t, why := compared(d.place(envTitle(w.env)), one[k], two[k], d.rate)
					if why != "" {
						parts = nil
						break
					}
					parts, weights = append(parts, t), append(weights, w.weight)
				}
				if parts != nil {
					t := together(parts, weights)
					f.t, scored = &t, true
				}
			}
			facts = append(facts, f)
			return
		}
		p := d.place(place)
		one, two := d.cell(a, p.env, "none"), d.cell(b, p.env, "none")
		if one == nil && two == nil || !direct && (one == nil || two == nil) {
			return
		}
		t, why := compared(p, one, two, d.rate)
		if why == "" {
			f.t = &t
		} else if why == "incomplete" {
			if low, high, ok := bounds(p, one, two, d.rate); ok {
				f.low, f.high = &low, &high
			}
		}
		facts = append(facts, f)
	}
	places := []string{}
	for _, p := range d.places {
		if slices.ContainsFunc(d.models, func(m string) bool { return d.cell(m, p.env, "none") != nil }) {
			places = append(places, p.title)
		}
	}
	some := slices.ContainsFunc(d.models, func(m string) bool { return d.heldOutCells(m) != nil })
	all := places
	if some {
		all = append(slices.Clip(places), heldOutTitle)
	}
	for _, place := range all {
		for j := range d.models {
			for i := range j {
				add(i, j, place)
			}
		}
	}
	question := ""
	if scored {
		question = heldOutTitle
	} else if len(places) == 1 {
		question = places[0]
	}
	for i := range facts {
		facts[i].family = "second"
		if facts[i].place == question {
			facts[i].family = "primary"
		}
	}
	correct(facts)
	return facts
}

const heldOutTitle = "held-out score"

func envTitle(env string) string {
	for _, p := range designEnvs {
		if p.env == env {
			return p.title
		}
	}
	return env
}

// correct corrects the probabilities of all families.
func correct(facts []fact) {
	var families []string
	var ps []float64
	var at []int
	tests := map[string]int{}
	for i, f := range facts {
		tests[f.family] += 0
		if p, ok := f.raw(); ok {
			families, ps, at = append(families, f.family), append(ps, p), append(at, i)
			tests[f.family]++
		}
	}
	for k, p := range corrected(families, ps) {
		facts[at[k]].p = p
	}
	for i := range facts {
		facts[i].tests, facts[i].all = tests[facts[i].family], tests
	}
}

// worth is how many seeds a cell is worth: those that all give the same are one.
func (c *cell) worth() int {
	if c.equal(false) {
		return 1
	}
	return len(c.seeds)
}

// equal reports whether all seeds gave the same in every task, in the first trial or in the last one.
func (c *cell) equal(last bool) bool {
	compared := false
	for _, task := range c.tasks {
		var first *outcome
		for _, seed := range c.seeds {
			at := slot{task, seed}
			o, ok := c.played[at]
			if later := c.later[at]; last && len(later) > 0 {
				o = later[len(later)-1]
			}
			switch {
			case !ok:
			case first == nil:
				first = &o
			case *first != o:
				return false
			default:
				compared = true
			}
		}
	}
	return compared
}

// contrast tests a sum of cells by task, each with a weight; why is empty if that can be done.
func contrast(p *designPlace, rate string, cells []*cell, weights []float64) (t tested, why string) {
	seeds := math.MaxInt
	for _, c := range cells {
		if c == nil || !c.complete() {
			return t, "incomplete"
		}
		seeds = min(seeds, c.worth())
	}
	if len(cells[0].tasks) < 2 {
		return t, "few tasks"
	}
	var diffs []float64
	var tasks []int
	for k, c := range cells {
		of, means := c.byTask(func(_ slot, o outcome) float64 { return o.value(rate) })
		if diffs == nil {
			diffs, tasks = make([]float64, len(means)), of
		}
		for i := range means {
			diffs[i] += weights[k] * means[i]
		}
	}
	return paired(p, tasks, diffs, seeds), ""
}

// perturbedCells are the cells of a model under perturbations, as far as they were planned; lacks: some were not, but
// for another model.
func (d *design) perturbedCells(model string) (cells []*cell, lacks bool) {
	for _, name := range d.under {
		if c := d.cell(model, d.places[0].env, name); c != nil {
			cells = append(cells, c)
		} else {
			lacks = lacks || slices.ContainsFunc(d.models, func(m string) bool {
				return d.cell(m, d.places[0].env, name) != nil
			})
		}
	}
	return cells, lacks
}

// sweptFacts are the facts of a sweep: how models differ without a perturbation and on average, what each loses, and
// how the losses differ.
func (d *design) sweptFacts() (facts []fact) {
	for _, f := range d.pairs() {
		f.family = "unperturbed"
		facts = append(facts, f)
	}
	p := d.places[0]
	test := func(cells []*cell, weights []float64, lacks bool) *tested {
		if t, why := contrast(p, d.rate, cells, weights); why == "" && !lacks {
			return &t
		}
		return nil
	}
	parts := func(base *cell, under []*cell, sign float64, average bool) (cells []*cell, weights []float64) {
		own, rest := -sign, sign/float64(len(under)) // a loss
		if average {
			own, rest = sign/float64(len(under)+1), sign/float64(len(under)+1)
		}
		cells, weights = []*cell{base}, []float64{own}
		for _, c := range under {
			cells, weights = append(cells, c), append(weights, rest)
		}
		return cells, weights
	}
	for j, m := range d.models {
		base := d.cell(m, p.env, "none")
		under, lacks := d.perturbedCells(m)
		if len(under) > 0 {
			cells, weights := parts(base, under, 1, false)
			facts = append(facts, fact{a: m, place: p.title, family: "losses", t: test(cells, weights, lacks)})
		}
		for _, other := range d.models[:j] {
			theirs, lack := d.perturbedCells(other)
			switch direct := len(d.models) == 2; {
			case len(under) == 0 && len(theirs) == 0, !direct && (len(under) == 0 || len(theirs) == 0):
				continue
			case len(under) == 0 || len(theirs) == 0:
				facts = append(facts, fact{a: m, b: other, place: averageOf + p.title, family: "averages"})
				continue
			}
			for _, average := range []bool{true, false} {
				cells, weights := parts(base, under, 1, average)
				more, less := parts(d.cell(other, p.env, "none"), theirs, -1, average)
				f := fact{a: m, b: other, place: changeOf + p.title, family: "differences of losses",
					t: test(append(cells, more...), append(weights, less...), lacks || lack)}
				if average {
					f.place, f.family = averageOf+p.title, "averages"
				}
				facts = append(facts, f)
			}
		}
	}
	correct(facts)
	return facts
}

// swept reports whether a model played under a perturbation.
func (d *design) swept() bool {
	return slices.ContainsFunc(d.models, func(m string) bool {
		cells, _ := d.perturbedCells(m)
		return len(cells) > 0
	})
}

// average is the average of a model over the conditions of a sweep; NaN if one lacks.
func (d *design) average(model string) float64 {
	p := d.places[0]
	under, lacks := d.perturbedCells(model)
	base := d.cell(model, p.env, "none")
	if lacks || base == nil || len(under) == 0 {
		return math.NaN()
	}
	sum := base.rate(d.rate)
	for _, c := range under {
		sum += c.rate(d.rate)
	}
	return sum / float64(len(under)+1)
}
