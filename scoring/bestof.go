package scoring

import (
	"heldout/configs"
	"heldout/scoring/stats"
	"heldout/scoring/table"
)

// BestOf is the best of several tries of each task, which are its seeds: whether any of them succeeded, and the
// best progress. An oracle chooses it, namely the environment's own judgement. Joint is whether every one of them
// succeeded, which no oracle chooses.
type BestOf struct {
	Tries                    int
	Success, Progress, Joint Estimate
}

// Tries returns the fewest results that a task with results has. It is the number
// of seeds if the score is complete.
func (s *Score) Tries() (fewest int) {
	for _, t := range s.tasks {
		if fewest == 0 || len(t.results) < fewest {
			fewest = len(t.results)
		}
	}
	return fewest
}

// mostTries is up to where the best of every number of tries is estimated. The cost of each
// grows with the number of seeds, and no table or figure needs thousands.
const mostTries = 100

// triesUpTo are the numbers of tries whose best is estimated: all up to mostTries, and all that there are.
func triesUpTo(limit int) (ks []int) {
	for k := 1; k <= min(limit, mostTries); k++ {
		ks = append(ks, k)
	}
	if limit > mostTries {
		ks = append(ks, limit)
	}
	return ks
}

// BestOf estimates the best of these numbers of tries, or if none is given of every number up to
// 100 and of all Tries. Tasks with more results use all of them. Tasks without any are left out,
// so the score must be complete for the estimates to cover all tasks.
func (s *Score) BestOf(tries ...int) (out []BestOf) {
	if tries == nil {
		tries = triesUpTo(s.Tries())
	}
	successes, progresses := byTask(s.tasks, success), byTask(s.tasks, progress)
	failures := byTask(s.tasks, func(a *attempt) float64 { return 1 - success(a) })
	estimate := s.estimator()
	for _, k := range tries {
		out = append(out, BestOf{k, bestOf(successes, k, estimate), bestOf(progresses, k, estimate),
			bestOf(failures, k, estimate).complement()})
	}
	return out
}

// complement is the rate of the opposite: all of several tries succeed unless one of them fails.
func (e Estimate) complement() Estimate {
	e.Mean, e.Basis.Mean = 1-e.Mean, 1-e.Basis.Mean
	if e.Interval != nil {
		e.Basis.Interval = stats.Interval{Low: 1 - e.Interval.High, High: 1 - e.Interval.Low}
		e.Interval = &e.Basis.Interval
	}
	return e
}

// bestOf estimates the best of n tries of each task.
func bestOf(tries [][]float64, n int, estimate estimator) Estimate {
	e, _ := estimate(tries, n, best(tries, n))
	return e
}

// best returns the best of n tries of each task.
func best(tries [][]float64, n int) []float64 {
	return table.Each(tries, func(task []float64) float64 { return stats.BestOf(task, n) })
}

// HeldOutBestOf is the held-out score of the best of the numbers of tries that one model has
// on each held-out environment, as far as all have one.
func HeldOutBestOf(w configs.Weights, byEnv map[string][]BestOf) (out []BestOf) {
	if len(w.HeldOut) == 0 {
		return nil
	}
	fewest := len(byEnv[w.HeldOut[0].Env])
	var weights []float64
	for _, part := range w.HeldOut {
		fewest = min(fewest, len(byEnv[part.Env]))
		weights = append(weights, part.Weight)
	}
	for n := range fewest {
		var successes, progresses, joints []Estimate
		tries := byEnv[w.HeldOut[0].Env][n].Tries
		for _, part := range w.HeldOut {
			b := byEnv[part.Env][n]
			successes, progresses, joints = append(successes, b.Success), append(progresses, b.Progress),
				append(joints, b.Joint)
			if b.Tries != tries { // all that there are, which is not the same number everywhere
				return out
			}
		}
		out = append(out, BestOf{tries, Weighted(successes, weights), Weighted(progresses, weights),
			Weighted(joints, weights)})
	}
	return out
}

// CompareBestOf pairs the best of so many tries of two scores by task. Its errors
// are Compare's and stats.ErrFewTries.
func CompareBestOf(a, b *Score, tries int) (Comparison, error) {
	p, err := newPair([]*Score{a}, b)
	if err != nil {
		return Comparison{}, err
	}
	c := Comparison{About: p.about, Kinds: b.Kinds()}
	err = c.estimate(func(measure value, about stats.Question) (stats.Difference, error) {
		if about == stats.TheseTasks {
			return p.decodingBest(tries, measure)
		}
		a, b := best(byTask(p.arms[0].scores[0].tasks, measure), tries), best(byTask(p.b.tasks, measure), tries)
		sampling, err := p.b.sampling(about)
		if err != nil {
			return stats.Difference{}, err
		}
		for i := range a {
			a[i] -= b[i]
		}
		// As many disjoint sets of tries as there are count as seeds.
		return sampling.Paired(a, max(1, p.seeds/tries)), nil
	})
	return c, err
}

func (p pair) decodingBest(tries int, measure value) (stats.Difference, error) {
	var estimates [2]stats.Estimate
	for i, s := range []*Score{p.arms[0].scores[0], p.b} {
		var err error
		if estimates[i], err = stats.DecodingBestOf(byTask(s.tasks, measure), tries, Level); err != nil {
			return stats.Difference{}, err
		}
	}
	return stats.DecodingDifference(estimates[0], estimates[1], Level), nil
}
