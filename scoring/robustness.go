package scoring

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// Robustness is what a model loses under perturbations of one kind, on the scale of an
// anchor: a scripted player that loses all it can.
//
// A task under a perturbation counts if the anchor loses something there. With the anchor's unperturbed value a₀ of
// a task and a under the perturbation, it loses the share λ = 1 - a/a₀. With the model's values y₀ and y, the index
// is the sum of y₀ - y over all tasks and perturbations that count, divided by the sum of λ·y₀: what is lost, of
// what would be if the model did as the anchor. So the anchor has 1 whatever it can do without a perturbation, and
// whoever loses nothing has 0. The index is negative for a model that gains: it is not cut off at 0, since noise
// alone would then look like memory.
//
// Perturbations are fixed: an interval says nothing about others.
type Robustness struct {
	Success, Progress Index
}

// Index is a robustness index of one rate.
type Index struct {
	stats.Lost
	// Counted is the number of perturbations that count on some task.
	Counted int
	// Reason says why there is no index (ErrNoScale, stats.ErrNothing) or no interval of it
	// (stats.ErrNoBase, or an error of NoInterval); nil if there are both.
	Reason error
}

// ErrNoScale says that an anchor loses nothing, so a loss cannot be measured by it.
var ErrNoScale = errors.New("the anchor loses nothing")

// Scaled are the scores of a model and of an anchor under the same perturbation.
type Scaled struct{ Model, Anchor *Score }

// NewRobustness returns the index of a model with its anchor. The errors are ErrIncomplete and ErrOtherTasks.
func NewRobustness(base Scaled, perturbations []Scaled) (r Robustness, err error) {
	var models, scores []*Score
	for _, u := range perturbations {
		models, scores = append(models, u.Model), append(scores, u.Model, u.Anchor)
	}
	if _, err := newPair(append(scores, base.Anchor), base.Model); err != nil && !errors.Is(err, ErrDeterministic) {
		return r, err
	}
	p, err := newPair(models, base.Model)
	if err != nil && !errors.Is(err, ErrDeterministic) {
		return r, err
	}
	return Robustness{newIndex(p, base, perturbations, success), newIndex(p, base, perturbations, progress)}, nil
}

// scale says what counts: by perturbation and task, and which share the anchor loses.
type scale struct {
	counts, loses [][]float64
	counted       int
}

func newScale(base Scaled, perturbations []Scaled, measure value) (s scale) {
	baseMeans := meansByTask(base.Anchor.tasks, measure)
	for _, u := range perturbations {
		means := meansByTask(u.Anchor.tasks, measure)
		counts, loses := make([]float64, len(means)), make([]float64, len(means))
		counted := 0
		for i, a := range means {
			if a < baseMeans[i] {
				counts[i], loses[i], counted = 1, 1-a/baseMeans[i], 1
			}
		}
		s.counts, s.loses, s.counted = append(s.counts, counts), append(s.loses, loses), s.counted+counted
	}
	return s
}

// Loses reports whether success or progress under a perturbation is less than base on some
// task. Both have the same tasks.
func Loses(base, score *Score) bool {
	perturbations := []Scaled{{score, score}}
	unperturbed := Scaled{base, base}
	return len(base.tasks) == len(score.tasks) &&
		newScale(unperturbed, perturbations, success).counted+newScale(unperturbed, perturbations, progress).counted > 0
}

func newIndex(p pair, base Scaled, perturbations []Scaled, measure value) Index {
	s := newScale(base, perturbations, measure)
	i := Index{Lost: stats.NoLost(), Counted: s.counted, Reason: ErrNoScale}
	if s.counted == 0 {
		return i
	}
	contrast, err := p.onScale(s, measure)
	if err != nil {
		contrast = func(u, v float64) (stats.Difference, error) { return stats.Difference{}, err }
	}
	retained, total := s.sums(p, measure)
	negative := slices.Min(retained) < -1e-9
	i.Lost, i.Reason = stats.LostShare(stats.Mean(retained), stats.Mean(total), negative, contrast)
	return i
}

// sums are, by task, what would be lost if the model did as the anchor, and what of it is
// kept; both for each perturbation that counts.
func (s scale) sums(p pair, measure value) (retained, total []float64) {
	baseMeans := meansByTask(p.b.tasks, measure)
	retained, total = make([]float64, len(baseMeans)), make([]float64, len(baseMeans))
	for c, score := range p.arms[0].scores {
		for i, perturbed := range meansByTask(score.tasks, measure) {
			weight := s.counts[c][i] / float64(s.counted)
			total[i] += weight * s.loses[c][i] * baseMeans[i]
			retained[i] += weight * (perturbed - (1-s.loses[c][i])*baseMeans[i])
		}
	}
	return retained, total
}

// onScale returns an estimator of u times what is kept less v times the whole.
func (p pair) onScale(s scale, measure value) (func(u, v float64) (stats.Difference, error), error) {
	if p.about == stats.TheseTasks {
		if p.deterministic() {
			return nil, ErrDeterministic
		}
		if p.seeds > 1 {
			return p.onScaleDecoding(s, measure), nil
		}
	}
	sampling, err := p.b.sampling(p.about)
	if err != nil {
		return nil, err
	}
	retained, total := s.sums(p, measure)
	return func(u, v float64) (stats.Difference, error) {
		diffs := floats.ScaleTo(make([]float64, len(retained)), u, retained)
		floats.AddScaled(diffs, -v, total)
		return sampling.Paired(diffs, p.seeds), nil
	}, nil
}

// onScaleDecoding is onScale for other decodings of the same tasks: the unperturbed value of
// a task has the weight of all perturbations that count there.
func (p pair) onScaleDecoding(s scale, measure value) func(u, v float64) (stats.Difference, error) {
	estimate := func(score *Score, weight func(task int) float64) stats.Estimate {
		values := byTask(score.tasks, measure)
		for i := range values {
			for j := range values[i] {
				values[i][j] *= weight(i)
			}
		}
		return stats.DecodingRate(values, Level)
	}
	n := float64(s.counted)
	var sum stats.Estimate
	for c, score := range p.arms[0].scores {
		e := estimate(score, func(i int) float64 { return s.counts[c][i] / n })
		sum.Mean, sum.Variance, sum.N = sum.Mean+e.Mean, sum.Variance+e.Variance, e.N
		sum.Degrees += e.Degrees
	}
	return func(u, v float64) (stats.Difference, error) {
		base := estimate(p.b, func(i int) (weight float64) {
			for c := range p.arms[0].scores {
				weight += s.counts[c][i] / n * (u*(1-s.loses[c][i]) + v*s.loses[c][i])
			}
			return weight
		})
		total := sum
		if total.Mean, total.Variance = u*sum.Mean, u*u*sum.Variance; u == 0 {
			total.Degrees = 0 // nothing of it has none
		}
		return stats.DecodingDifference(total, base, Level), nil
	}
}

// MeanRates averages rates over scores of the same tasks, such as those under several perturbations. The means are
// NaN if a score has no results. There are intervals only if all scores are complete.
func MeanRates(scores []*Score) (successes, progresses Estimate) {
	return meanRate(scores, success), meanRate(scores, progress)
}

func meanRate(scores []*Score, measure value) Estimate {
	e := Estimate{Mean: math.NaN()}
	if len(scores) == 0 {
		return e
	}
	e.Mean = stats.Mean(table.Each(scores, func(s *Score) float64 { return s.newRate(measure).Mean }))
	p, err := newPair(scores, scores[0])
	if err != nil {
		return e
	}
	if p.about == stats.TheseTasks {
		e.Basis = decodingMean(scores, measure)
	} else {
		sampling, err := p.b.sampling(p.about)
		if err != nil {
			return e
		}
		e.Basis = sampling.Rate(taskMeans(scores, measure))
	}
	e.Interval = &e.Basis.Interval
	return e
}

// decodingMean estimates the mean over scores for other decodings of the same tasks.
func decodingMean(scores []*Score, measure value) stats.Estimate {
	parts := table.Each(scores, func(s *Score) stats.Estimate {
		return stats.DecodingRate(byTask(s.tasks, measure), Level)
	})
	return stats.Combine(parts, slices.Repeat([]float64{1}, len(parts)), Level)
}
