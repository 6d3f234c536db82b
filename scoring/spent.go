package scoring

import "heldout/scoring/record"

// Spent is what the model calls of a score took: those of all attempts, also of those
// that have no result, and of reflections.
type Spent struct {
	Calls, PromptTokens, CompletionTokens int
	record.TokenDetails
}

// add adds an attempt.
func (s *Spent) add(r *record.Result) {
	s.Calls += r.Calls
	s.PromptTokens += r.PromptTokens
	s.CompletionTokens += r.CompletionTokens
	s.TokenDetails = s.TokenDetails.Plus(r.TokenDetails)
	if about := r.Reflection; about != nil {
		s.Calls += about.Calls
		s.PromptTokens += about.PromptTokens
		s.CompletionTokens += about.CompletionTokens
		s.TokenDetails = s.TokenDetails.Plus(about.TokenDetails)
	}
}

// Plus returns the sum.
func (s Spent) Plus(o Spent) Spent {
	return Spent{s.Calls + o.Calls, s.PromptTokens + o.PromptTokens,
		s.CompletionTokens + o.CompletionTokens, s.TokenDetails.Plus(o.TokenDetails)}
}
