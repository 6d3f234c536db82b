package scoring

import (
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"heldout/configs"
	"heldout/scoring/stats"
)

// HeldOut is the weighted score over the held-out environments: the sum of
// weight times rate, divided by the sum of the weights.
type HeldOut struct {
	// Success and Progress are meaningful only if nothing is missing.
	Success, Progress Estimate
	// Missing names the environments without a complete score.
	Missing []string
}

// ComputeHeldOut combines the rates of one model. The rates of an environment
// are ok only when all its episodes, of the whole benchmark, have results.
func ComputeHeldOut(w configs.Weights, rates func(env string) (success, progress Estimate, ok bool)) HeldOut {
	var h HeldOut
	var weights []float64
	var successes, progresses []Estimate
	for _, part := range w.HeldOut {
		s, p, ok := rates(part.Env)
		if !ok {
			h.Missing = append(h.Missing, part.Env)
			continue
		}
		weights = append(weights, part.Weight)
		successes, progresses = append(successes, s), append(progresses, p)
	}
	if len(h.Missing) == 0 {
		h.Success, h.Progress = Weighted(successes, weights), Weighted(progresses, weights)
	}
	return h
}

// ComparesAcross reports whether the rates may stand beside the rates of other environments
// in the held-out score: on tasks of the benchmark, without a preset or with AgentRefine's.
func (s *Score) ComparesAcross() bool {
	p := s.Condition.Preset
	return p == nil && s.Outside == 0 || p != nil && strings.HasPrefix(p.Name, "agentrefine@1:") && len(p.Changes) == 0
}

// Spread is how the held-out scores of single seeds spread.
type Spread struct {
	Success, Progress Rate // without intervals
	// Seeds counts the seeds; less than two if the environments have no common ones, or if one lacks results.
	Seeds int
}

// HeldOutSpread returns how the held-out scores of seeds spread: each is the weighted sum
// of what the seed reached on every held-out environment.
func HeldOutSpread(w configs.Weights, scores map[string]*Score) (out Spread) {
	var successes, progresses, weights []float64
	for i, part := range w.HeldOut {
		s := scores[part.Env]
		if s == nil || !s.Complete() || i > 0 && !slices.Equal(s.Seeds, scores[w.HeldOut[0].Env].Seeds) {
			return out
		}
		weights = append(weights, part.Weight)
		for j, seed := range s.SeedRates() {
			if i == 0 {
				successes, progresses = append(successes, 0), append(progresses, 0)
			}
			successes[j] += part.Weight * seed.Success
			progresses[j] += part.Weight * seed.Progress
		}
	}
	total := floats.Sum(weights)
	spread := func(sums []float64) Rate {
		floats.Scale(1/total, sums)
		return Rate{Estimate{Mean: stats.Mean(sums)}, stats.SampleStd(sums)}
	}
	return Spread{spread(successes), spread(progresses), len(successes)}
}

// Weighted averages rates of different environments, which are independent. The
// average has an interval if every rate has one.
func Weighted(parts []Estimate, weights []float64) Estimate {
	var means []float64
	var bases []stats.Estimate
	for _, p := range parts {
		means = append(means, p.Mean)
		if p.Interval != nil {
			bases = append(bases, p.Basis)
		}
	}
	if len(bases) < len(parts) {
		return Estimate{Mean: stats.WeightedMean(means, weights)}
	}
	basis := stats.Combine(bases, weights, Level)
	return Estimate{Mean: stats.WeightedMean(means, weights), Interval: &basis.Interval, Basis: basis}
}

// CompareHeldOut compares the held-out scores of two models, by environment. Each has a complete score on every
// held-out environment. The differences are paired by task in each environment, and their variances add up. The
// errors are Compare's.
func CompareHeldOut(w configs.Weights, a, b map[string]*Score) (Comparison, error) {
	var pairs []pair
	var weights []float64
	kinds := 0
	for _, part := range w.HeldOut {
		p, err := newPair([]*Score{a[part.Env]}, b[part.Env])
		if err != nil {
			return Comparison{}, fmt.Errorf("%s: %w", part.Env, err)
		}
		kinds += p.b.Kinds()
		pairs, weights = append(pairs, p), append(weights, part.Weight)
	}
	return compare(pairs, weights, kinds)
}
