package scoring

import (
	"errors"
	"math"
	"slices"

	"heldout/scoring/stats"
)

// Robustness is what a model loses under perturbations of one kind, on the scale of an
// anchor: a scripted player that loses all it can.
//
// A task under a perturbation counts if the anchor loses something there. With the
// anchor's unperturbed value a₀ of a task and a under the perturbation, it loses the share
// λ = 1 - a/a₀. With the model's values y₀ and y, the index is the sum of y₀ - y over all
// tasks and perturbations that count, divided by the sum of λ·y₀: what is lost, of what
// would be if the model did as the anchor. So the anchor has 1 whatever it can do without
// a perturbation, and whoever loses nothing has 0. The index is negative for a model that
// gains: it is not cut off at 0, since noise alone would then look like memory.
//
// Perturbations are fixed: an interval says nothing about others.
type Robustness struct {
	Success, Progress Index
	About             stats.Question
	// Kinds counts the kinds of the tasks. AtMost is that of Comparison.
	Kinds  int
	AtMost bool
}

// Index is a robustness index of one rate.
type Index struct {
	stats.Lost
	// Counted is the number of perturbations that count on some task.
	Counted int
	// Why says why there is no index (ErrNoScale, stats.ErrNothing) or no interval of it
	// (stats.ErrNoBase, or an error of NoInterval); nil if there are both.
	Why error
}

// ErrNoScale says that an anchor loses nothing, so a loss cannot be measured by it.
var ErrNoScale = errors.New("the anchor loses nothing")

// Scaled are the scores of a model and of an anchor under the same perturbation.
type Scaled struct{ Model, Anchor *Score }

// NewRobustness returns the index of a model with its anchor. The errors are
// ErrIncomplete and ErrOtherTasks.
func NewRobustness(base Scaled, under []Scaled) (r Robustness, err error) {
	var models, all []*Score
	for _, u := range under {
		models, all = append(models, u.Model), append(all, u.Model, u.Anchor)
	}
	if _, err := newPair(append(all, base.Anchor), base.Model); err != nil && !errors.Is(err, ErrDeterministic) {
		return r, err
	}
	p, err := newPair(models, base.Model)
	if err != nil && !errors.Is(err, ErrDeterministic) {
		return r, err
	}
	r = Robustness{About: p.about, Kinds: base.Model.Kinds(), AtMost: p.atMost()}
	r.Success, r.Progress = newIndex(p, base, under, success), newIndex(p, base, under, progress)
	return r, nil
}

// scale says what counts: by perturbation and task, and which share the anchor loses.
type scale struct {
	counts, loses [][]float64
	counted       int
}

func newScale(base Scaled, under []Scaled, of value) (s scale) {
	before := meansByTask(base.Anchor.tasks, of)
	for _, u := range under {
		after := meansByTask(u.Anchor.tasks, of)
		counts, loses := make([]float64, len(after)), make([]float64, len(after))
		any := 0
		for i, a := range after {
			if a < before[i] {
				counts[i], loses[i], any = 1, 1-a/before[i], 1
			}
		}
		s.counts, s.loses, s.counted = append(s.counts, counts), append(s.loses, loses), s.counted+any
	}
	return s
}

// Loses reports whether success or progress under a perturbation is less than base on some
// task. Both have the same tasks.
func Loses(base, under *Score) bool {
	one := []Scaled{{under, under}}
	before := Scaled{base, base}
	return len(base.tasks) == len(under.tasks) &&
		newScale(before, one, success).counted+newScale(before, one, progress).counted > 0
}

func newIndex(p pair, base Scaled, under []Scaled, of value) Index {
	s := newScale(base, under, of)
	i := Index{Lost: stats.NoLost(), Counted: s.counted, Why: ErrNoScale}
	if s.counted == 0 {
		return i
	}
	contrast, err := p.onScale(s, of)
	if err != nil {
		contrast = func(u, v float64) (stats.Difference, error) { return stats.Difference{}, err }
	}
	kept, whole := s.sums(p, of)
	negative := slices.Min(kept) < -1e-9
	i.Lost, i.Why = stats.LostShare(stats.Mean(kept), stats.Mean(whole), negative, contrast)
	return i
}

// sums are, by task, what would be lost if the model did as the anchor, and what of it is
// kept; both for each perturbation that counts.
func (s scale) sums(p pair, of value) (kept, whole []float64) {
	before := meansByTask(p.b.tasks, of)
	kept, whole = make([]float64, len(before)), make([]float64, len(before))
	for c, score := range p.as {
		for i, after := range meansByTask(score.tasks, of) {
			weight := s.counts[c][i] / float64(s.counted)
			whole[i] += weight * s.loses[c][i] * before[i]
			kept[i] += weight * (after - (1-s.loses[c][i])*before[i])
		}
	}
	return kept, whole
}

// onScale returns an estimator of u times what is kept less v times the whole.
func (p pair) onScale(s scale, of value) (func(u, v float64) (stats.Difference, error), error) {
	about := p.about
	if about == stats.TheseTasks {
		if p.deterministic() {
			return nil, ErrDeterministic
		}
		if p.seeds > 1 {
			return p.onScaleDecoding(s, of), nil
		}
		about = stats.TheseKinds
	}
	sampling, err := p.b.sampling(p.b.tasks, about, Level)
	if err != nil {
		return nil, err
	}
	kept, whole := s.sums(p, of)
	return func(u, v float64) (stats.Difference, error) {
		return sampling.Paired(weighted(kept, u, whole, v), p.seeds), nil
	}, nil
}

// onScaleDecoding is onScale for other decodings of the same tasks: the unperturbed value of
// a task has the weight of all perturbations that count there.
func (p pair) onScaleDecoding(s scale, of value) func(u, v float64) (stats.Difference, error) {
	estimate := func(score *Score, weight func(task int) float64) stats.Estimate {
		values := byTask(score.tasks, of)
		for i := range values {
			for j := range values[i] {
				values[i][j] *= weight(i)
			}
		}
		return stats.DecodingRate(values, Level)
	}
	n := float64(s.counted)
	var after stats.Estimate
	for c, score := range p.as {
		e := estimate(score, func(i int) float64 { return s.counts[c][i] / n })
		after.Mean, after.Variance, after.N = after.Mean+e.Mean, after.Variance+e.Variance, e.N
		after.Degrees += e.Degrees
	}
	return func(u, v float64) (stats.Difference, error) {
		before := estimate(p.b, func(i int) (weight float64) {
			for c := range p.as {
				weight += s.counts[c][i] / n * (u*(1-s.loses[c][i]) + v*s.loses[c][i])
			}
			return weight
		})
		return stats.DecodingDifference(scaled(after, u), before, Level), nil
	}
}

// MeanIndex averages indices over environments, each on its own scale.
func MeanIndex(of []Index) stats.Lost {
	var parts []stats.Lost
	for _, i := range of {
		parts = append(parts, i.Lost)
	}
	return stats.MeanLost(parts, Level)
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
