package scoring

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Quantity is something that an episode uses.
type Quantity string

// The quantities.
const (
	Steps            Quantity = "steps"
	PromptTokens     Quantity = "prompt tokens"
	CompletionTokens Quantity = "completion tokens"
	CachedTokens     Quantity = "cached tokens"    // of the prompt
	ReasoningTokens  Quantity = "reasoning tokens" // of the completion
	ModelSeconds     Quantity = "model seconds"
	Seconds          Quantity = "seconds"
)

// Quantities lists all quantities.
func Quantities() []Quantity {
	return []Quantity{Steps, PromptTokens, CachedTokens, CompletionTokens, ReasoningTokens, ModelSeconds, Seconds}
}

// of returns what an episode used.
func (q Quantity) of(a *attempt) float64 {
	switch q {
	case Steps:
		return float64(a.steps)
	case PromptTokens:
		return float64(a.promptTokens)
	case CompletionTokens:
		return float64(a.completionTokens)
	case CachedTokens:
		return float64(a.CachedTokens)
	case ReasoningTokens:
		return float64(a.ReasoningTokens)
	case ModelSeconds:
		return a.modelSeconds
	}
	return a.seconds
}

// Usage is the distribution of a quantity over the episodes with a result.
type Usage struct {
	Episodes                int
	Mean, Low, Median, High float64 // Low and High are the quantiles of 10 and 90 %
}

// Usage returns the distribution of a quantity. All values are NaN if no episode
// used any: baselines have no tokens, and some servers count none.
func (s *Score) Usage(q Quantity) Usage {
	values := make([]float64, 0, s.Finished)
	for _, t := range s.tasks {
		for _, p := range t.played {
			values = append(values, max(0, q.of(p.attempt)))
		}
	}
	slices.Sort(values)
	n := len(values)
	if n == 0 || values[n-1] == 0 {
		nan := math.NaN()
		return Usage{n, nan, nan, nan, nan}
	}
	at := func(share float64) float64 { return stat.Quantile(share, stat.Empirical, values, nil) }
	return Usage{n, stat.Mean(values, nil), at(0.1), at(0.5), at(0.9)}
}
