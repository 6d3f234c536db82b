package scoring

import (
	"heldout/configs"
	"heldout/scoring/stats"
)

// HeldOut is the weighted score over the held-out environments: the sum of
// weight times rate, divided by the sum of the weights.
type HeldOut struct {
	// Success and Progress mean something only when nothing is missing.
	Success, Progress float64
	// Missing names the environments without a complete score.
	Missing []string
}

// ComputeHeldOut combines the rates of one model. The rates of an environment
// are ok only when all its episodes, of the whole benchmark, have results.
func ComputeHeldOut(w configs.Weights, rates func(env string) (success, progress float64, ok bool)) HeldOut {
	var h HeldOut
	var weights, successes, progresses []float64
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
		h.Success = stats.WeightedMean(successes, weights)
		h.Progress = stats.WeightedMean(progresses, weights)
	}
	return h
}
