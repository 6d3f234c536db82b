package scoring

import "heldout/scoring/record"

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
