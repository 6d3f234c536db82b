package scoring

import (
	"slices"

	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// mostLost is the largest share of the planned episodes that may have no result for a reason that depends on the
// model before a rate of the others misleads: such episodes are not missing by chance, so the others are not a
// sample of all. With a tenth missing, the rate of all may be ten points away.
const mostLost = 0.1

// Lacking returns the outcomes of the planned episodes that have no result for a
// reason that depends on the model, with their numbers and the sum: prompts that do
// not fit its context, and errors of its server, such as time-outs of endless replies.
func (s *Score) Lacking() (outcomes map[record.Outcome]int, sum int) {
	outcomes = map[record.Outcome]int{}
	for _, o := range []record.Outcome{record.ContextExceeded, record.ModelError, record.AgentError} {
		if n := s.Unfinished[o]; n > 0 {
			outcomes[o] = n
			sum += n
		}
	}
	return outcomes, sum
}

// Misleads reports whether more than mostLost of the planned episodes have no result
// for a reason that depends on the model.
func (s *Score) Misleads() bool {
	_, sum := s.Lacking()
	return float64(sum) > mostLost*float64(s.Planned)
}

// Bounds returns what success and progress are if all episodes without a result fail at once, and if all succeed.
func (s *Score) Bounds() (successes, progresses stats.Interval) {
	return s.bounds(success), s.bounds(progress)
}

func (s *Score) bounds(measure value) stats.Interval {
	sum := 0.0
	for _, v := range slices.Concat(byTask(s.tasks, measure)...) {
		sum += v
	}
	planned, missing := float64(s.Planned), float64(s.Planned-s.Finished)
	return stats.Interval{Low: sum / planned, High: (sum + missing) / planned}
}

// Supposing returns the score if every planned episode without a result had reached v, 0
// or 1, in success and progress.
func (s *Score) Supposing(v float64) *Score {
	supposed := &attempt{success: v == 1, result: &unremarkable}
	supposed.Outcome, supposed.Progress = record.Failure, v
	out := newScore(s.Condition, s.Environment, s.About)
	out.Seeds, out.Planned, out.Finished = s.Seeds, s.Planned, s.Planned
	results := map[string][]seedResult{}
	for _, t := range s.tasks {
		results[t.key] = t.results
	}
	for i := range out.tasks {
		t := &out.tasks[i]
		for _, seed := range s.Seeds {
			result := seedResult{seed, supposed}
			for _, p := range results[t.key] {
				if p.seed == seed {
					result = p
				}
			}
			t.results = append(t.results, result)
		}
	}
	out.compute()
	return out
}
