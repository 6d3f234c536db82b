package scoring

// EqualSeeds reports whether all results of every task are equal with several seeds: rates, steps and tokens. Such
// seeds are one try, repeated without a temperature, by a server that ignores temperature or seed, or by a model that
// always says the same.
func (s *Score) EqualSeeds() bool { return s.equalSeeds }

// worth is how many seeds the results are worth: equal ones are one.
func (s *Score) worth() int {
	if s.equalSeeds {
		return 1
	}
	return len(s.Seeds)
}

// haveEqualSeeds computes EqualSeeds.
func (s *Score) haveEqualSeeds() (compared bool) {
	if s.Condition.Decoding == nil {
		return false
	}
	for _, t := range s.tasks {
		for _, p := range t.results[1:] {
			if !p.repeats(t.results[0].attempt) {
				return false
			}
			compared = true
		}
	}
	return compared
}

// repeats reports whether two attempts have equal results.
func (a *attempt) repeats(b *attempt) bool {
	return a.success == b.success && a.Progress == b.Progress && a.Grounding == b.Grounding && a.steps == b.steps &&
		a.formatErrors == b.formatErrors && a.promptTokens == b.promptTokens && a.completionTokens == b.completionTokens
}
