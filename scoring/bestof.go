package scoring

import (
	"heldout/configs"
	"heldout/eval/record"
	"heldout/scoring/stats"
)

// BestOf is the best of several tries of each task, which are its seeds: whether
// any of them succeeded, and the best progress. An oracle chooses it, namely the
// environment's own judgement.
type BestOf struct {
	Tries             int
	Success, Progress Estimate
}

// Tries returns the fewest results that a task with results has. It is the number
// of seeds if the score is complete.
func (s *Score) Tries() (fewest int) {
	for _, results := range gathered(s.played, taskKey, success) {
		if fewest == 0 || len(results) < fewest {
			fewest = len(results)
		}
	}
	return fewest
}

// BestOf estimates the best of so many tries, which are at most Tries. Tasks with
// more results use all of them. Tasks without any are left out, so that the score
// must be complete for the estimate to be of all tasks.
func (s *Score) BestOf(tries int) BestOf {
	return BestOf{tries, s.bestOf(tries, success), s.bestOf(tries, progress)}
}

func (s *Score) bestOf(tries int, value func(record.Result) float64) Estimate {
	values := s.best(tries, value)
	e := Estimate{Mean: stats.Mean(values)}
	if basis, err := s.bestEstimate(tries, value, values); err == nil {
		e.Basis, e.Interval = basis, &basis.Interval
	}
	return e
}

// best returns the best of so many tries of each task, in the order of their keys.
func (s *Score) best(tries int, value func(record.Result) float64) (values []float64) {
	for _, results := range sorted(gathered(s.played, taskKey, value)) {
		values = append(values, stats.BestOf(results, tries))
	}
	return values
}

func (s *Score) bestEstimate(tries int, value func(record.Result) float64, values []float64) (stats.Estimate, error) {
	if s.About == stats.TheseTasks {
		if s.deterministic() {
			return stats.Estimate{}, ErrDeterministic
		}
		return stats.DecodingBestOf(sorted(gathered(s.played, taskKey, value)), tries, Level)
	}
	sampling, err := s.wholeSampling(s.About)
	if err != nil {
		return stats.Estimate{}, err
	}
	return sampling.Rate(values), nil
}

// HeldOutBestOf is the held-out score of the best of so many tries of one model,
// which has a complete score on every held-out environment.
func HeldOutBestOf(w configs.Weights, scores map[string]*Score, tries int) BestOf {
	var weights []float64
	var successes, progresses []Estimate
	for _, part := range w.HeldOut {
		b := scores[part.Env].BestOf(tries)
		weights = append(weights, part.Weight)
		successes, progresses = append(successes, b.Success), append(progresses, b.Progress)
	}
	return BestOf{tries, combine(successes, weights), combine(progresses, weights)}
}

// CompareBestOf pairs the best of so many tries of two scores by task. Its errors
// are those of Compare, and stats.ErrFewTries.
func CompareBestOf(a, b *Score, tries int) (Comparison, error) {
	p, err := newPair([]*Score{a}, b)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{About: p.about, Kinds: b.Kinds()}
	if c.Success, err = p.bestChange(tries, success); err != nil {
		return c, err
	}
	c.Progress, err = p.bestChange(tries, progress)
	return c, err
}

func (p pair) bestChange(tries int, value func(record.Result) float64) (Change, error) {
	return newChange(p.about, Level, func(about stats.Question) (stats.Difference, error) {
		a, b := p.as[0].best(tries, value), p.b.best(tries, value)
		if about == stats.TheseTasks {
			return p.decodingBest(tries, value)
		}
		sampling, err := p.b.sampling(p.b.played, about, Level)
		if err != nil {
			return stats.Difference{}, err
		}
		for i := range a {
			a[i] -= b[i]
		}
		// As many disjoint sets of tries as there are count as seeds.
		return sampling.Paired(a, max(1, p.seeds/tries)), nil
	})
}

func (p pair) decodingBest(tries int, value func(record.Result) float64) (stats.Difference, error) {
	var of [2]stats.Estimate
	for i, s := range []*Score{p.as[0], p.b} {
		var err error
		if of[i], err = stats.DecodingBestOf(sorted(gathered(s.played, taskKey, value)), tries, Level); err != nil {
			return stats.Difference{}, err
		}
	}
	return stats.DecodingDifference(of[0], of[1], Level), nil
}
