package scoring

import (
	"errors"
	"fmt"
	"math"

	"heldout/configs"
	"heldout/scoring/stats"
)

// Memorisation is the memorisation index of a model: the share of its unperturbed rate
// that is lost under perturbations that keep the meaning. With the unperturbed rate
// r₀ and the rates r₁ … r_C under C perturbations of the same tasks, each averaged over
// the seeds of a task and then over tasks,
//
//	index = 1 - (r₁ + … + r_C) / (C·r₀)
//
// It is 0 for a model that does as well in other words, 1 for one that solves nothing in
// them, and negative for one that does better: it is not cut off at 0, since noise alone
// would then look like memory. Without an unperturbed rate there is no index.
// Perturbations are fixed: an interval says nothing about others.
type Memorisation struct {
	Success, Progress Index
	About             stats.Question
	// Kinds counts the kinds of the tasks. AtMost is that of Comparison.
	Kinds  int
	AtMost bool
}

// Index is a memorisation index of one rate.
type Index struct {
	stats.Lost
	// Base is the unperturbed rate, Kept the mean of those under perturbations.
	Base, Kept float64
	// Why says why there is no index (stats.ErrNothing) or no interval of it
	// (stats.ErrNoBase, or an error of NoInterval); nil if there are both.
	Why error
}

// Memorise returns the memorisation index. The errors are ErrIncomplete and
// ErrOtherTasks.
func Memorise(perturbed []*Score, base *Score) (Memorisation, error) {
	return memorise([]*pair{{as: perturbed, b: base}}, []float64{1})
}

// MemoriseHeldOut returns the share of the held-out score that is lost: rates are the
// weighted means over the held-out environments, whose variances add up. Each has
// complete scores on all held-out environments. The errors are those of Memorise.
func MemoriseHeldOut(w configs.Weights, perturbed map[string][]*Score, base map[string]*Score) (Memorisation, error) {
	var pairs []*pair
	var weights []float64
	for _, part := range w.HeldOut {
		pairs, weights = append(pairs, &pair{as: perturbed[part.Env], b: base[part.Env]}), append(weights, part.Weight)
	}
	return memorise(pairs, weights)
}

func memorise(pairs []*pair, weights []float64) (m Memorisation, err error) {
	for _, p := range pairs {
		if *p, err = newPair(p.as, p.b); err != nil && !errors.Is(err, ErrDeterministic) {
			return m, within(pairs, p, err)
		}
		m.Kinds += p.b.Kinds()
		m.About, m.AtMost = p.about, m.AtMost || p.atMost()
	}
	m.Success = newIndex(pairs, weights, success)
	m.Progress = newIndex(pairs, weights, progress)
	return m, nil
}

// within names the environment of an error if there are several.
func within(pairs []*pair, p *pair, err error) error {
	if len(pairs) == 1 {
		return err
	}
	return fmt.Errorf("%s: %w", p.b.Condition.Env, err)
}

func newIndex(pairs []*pair, weights []float64, of value) Index {
	var kept, base []float64
	for _, p := range pairs {
		kept = append(kept, stats.Mean(taskMeans(p.as, of)))
		base = append(base, stats.Mean(taskMeans([]*Score{p.b}, of)))
	}
	i := Index{Base: stats.WeightedMean(base, weights), Kept: stats.WeightedMean(kept, weights)}
	contrast, err := contrastOf(pairs, weights, of)
	if err != nil {
		contrast = func(u, v float64) (stats.Difference, error) { return stats.Difference{}, err }
	}
	i.Lost, i.Why = stats.LostShare(i.Kept, i.Base, contrast)
	return i
}

// contrastOf is pair.contrast for the weighted means over environments.
func contrastOf(pairs []*pair, weights []float64, of value) (func(u, v float64) (stats.Difference, error), error) {
	var all []func(u, v float64) (stats.Difference, error)
	for _, p := range pairs {
		if p.about == stats.TheseTasks && p.deterministic() {
			return nil, within(pairs, p, ErrDeterministic)
		}
		contrast, err := p.contrast(of, p.about, Level)
		if err != nil {
			return nil, within(pairs, p, err)
		}
		all = append(all, contrast)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return func(u, v float64) (stats.Difference, error) {
		var parts []stats.Difference
		for _, contrast := range all {
			d, err := contrast(u, v)
			if err != nil {
				return d, err
			}
			parts = append(parts, d)
		}
		return stats.CombineDifferences(parts, weights, Level), nil
	}, nil
}

// MeanRates averages rates over scores of the same tasks, such as those under several
// perturbations. The means are NaN if a score has no results. There are intervals only
// if all scores are complete.
func MeanRates(scores []*Score) (successes, progresses Estimate) {
	return meanRate(scores, success), meanRate(scores, progress)
}

func meanRate(scores []*Score, of value) Estimate {
	e := Estimate{Mean: math.NaN()}
	if len(scores) == 0 {
		return e
	}
	var means []float64
	for _, s := range scores {
		means = append(means, s.newRate(s.tasks, of).Mean)
	}
	e.Mean = stats.Mean(means)
	p, err := newPair(scores, scores[0])
	if err != nil {
		return e
	}
	if p.about == stats.TheseTasks {
		e.Basis = decodingMean(scores, of)
	} else {
		sampling, err := p.b.sampling(p.b.tasks, p.about, Level)
		if err != nil {
			return e
		}
		e.Basis = sampling.Rate(taskMeans(scores, of))
	}
	e.Interval = &e.Basis.Interval
	return e
}

// decodingMean estimates the mean over scores for other decodings of the same tasks.
func decodingMean(scores []*Score, of value) stats.Estimate {
	var parts []stats.Estimate
	var weights []float64
	for _, s := range scores {
		parts = append(parts, stats.DecodingRate(byTask(s.tasks, of), Level))
		weights = append(weights, 1)
	}
	return stats.Combine(parts, weights, Level)
}
