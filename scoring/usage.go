package scoring

import (
	"math"
	"slices"

	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// Quantity is something that an episode uses.
type Quantity string

// The quantities.
const (
	Steps            Quantity = "steps"
	SolvedSteps      Quantity = "steps of solved episodes"
	PromptTokens     Quantity = "prompt tokens"
	CompletionTokens Quantity = "completion tokens"
	CachedTokens     Quantity = "cached tokens"    // of the prompt
	ReasoningTokens  Quantity = "reasoning tokens" // of the completion
	ModelSeconds     Quantity = "model seconds"
	Seconds          Quantity = "seconds"
)

// Quantities lists all quantities.
func Quantities() []Quantity {
	return []Quantity{Steps, SolvedSteps, PromptTokens, CachedTokens, CompletionTokens, ReasoningTokens, ModelSeconds,
		Seconds}
}

// used are what an episode used of the quantities.
var used = map[Quantity]value{
	Steps:            func(a *attempt) float64 { return float64(a.steps) },
	SolvedSteps:      func(a *attempt) float64 { return float64(a.steps) },
	PromptTokens:     func(a *attempt) float64 { return float64(a.promptTokens) },
	CompletionTokens: func(a *attempt) float64 { return float64(a.completionTokens) },
	CachedTokens:     func(a *attempt) float64 { return float64(a.CachedTokens) },
	ReasoningTokens:  func(a *attempt) float64 { return float64(a.ReasoningTokens) },
	ModelSeconds:     func(a *attempt) float64 { return a.modelSeconds },
	Seconds:          func(a *attempt) float64 { return a.seconds },
}

// Distribution is the distribution of a quantity over the episodes with a result, or over the
// ones that it is about.
type Distribution struct {
	Episodes                int
	Mean, Low, Median, High float64 // Low and High are the quantiles of 10 and 90 %
}

// Usage returns the distribution of a quantity. All values are NaN if no episode
// used any: baselines have no tokens, and some servers count none.
func (s *Score) Usage(q Quantity) Distribution {
	values, used := make([]float64, 0, s.Finished), used[q]
	for _, t := range s.tasks {
		for _, p := range t.results {
			if q == SolvedSteps && !p.success {
				continue
			}
			values = append(values, max(0, used(p.attempt)))
		}
	}
	slices.Sort(values)
	n := len(values)
	if n == 0 || values[n-1] == 0 {
		nan := math.NaN()
		return Distribution{n, nan, nan, nan, nan}
	}
	quantile := func(share float64) float64 { return values[int(math.Ceil(share*float64(n)))-1] }
	return Distribution{n, stats.Mean(values), quantile(0.1), quantile(0.5), quantile(0.9)}
}

// Spent is what the model calls of a score took: the calls of all attempts, also of
// those that have no result, and of reflections.
type Spent struct {
	record.Usage
	// Late counts the requests that had no reply in time.
	Late int
}

// add adds an attempt.
func (s *Spent) add(r *record.Result) {
	s.Usage = s.Usage.Plus(r.Own())
	s.Late += r.Late
	if about := r.Reflection; about != nil {
		s.Usage = s.Usage.Plus(record.Usage{Calls: about.Calls, PromptTokens: about.PromptTokens,
			CompletionTokens: about.CompletionTokens, TokenDetails: about.TokenDetails})
	}
}

// Plus returns the sum.
func (s Spent) Plus(o Spent) Spent { return Spent{s.Usage.Plus(o.Usage), s.Late + o.Late} }
