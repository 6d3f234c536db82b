package scoring

import (
	"cmp"
	"slices"

	"heldout/envs"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// TaskRate is what a model reached on one task, over its seeds.
type TaskRate struct {
	Task envs.Task
	// Episodes counts those with a result.
	Episodes          int
	Success, Progress float64
}

// Tasks counts the tasks that have results.
func (s *Score) Tasks() int { return len(s.tasks) }

// TaskRates returns the rates of the tasks that have results, in benchmark order.
func (s *Score) TaskRates() (out []TaskRate) {
	successes, progresses := meansByTask(s.tasks, success), meansByTask(s.tasks, progress)
	for i, t := range s.tasks {
		out = append(out, TaskRate{Task: *t.Task, Episodes: len(t.results), Success: successes[i],
			Progress: progresses[i]})
	}
	slices.SortStableFunc(out, func(a, b TaskRate) int { return cmp.Compare(a.Task.Index, b.Task.Index) })
	return out
}

// SeedRate is what a model reached with one seed.
type SeedRate struct {
	Seed int64
	// Episodes counts those with a result.
	Episodes          int
	Success, Progress float64
}

// SeedRates returns the rates of the seeds that have results, sorted.
func (s *Score) SeedRates() (out []SeedRate) {
	successes, progresses := gathered(s.tasks, bySeed, success), gathered(s.tasks, bySeed, progress)
	for _, seed := range s.Seeds {
		if n := len(successes[seed]); n > 0 {
			out = append(out, SeedRate{Seed: seed, Episodes: n, Success: stats.Mean(successes[seed]),
				Progress: stats.Mean(progresses[seed])})
		}
	}
	return out
}

// SeedCount counts the seeds that have results, as tables say it: others may be planned.
func (s *Score) SeedCount() int { return len(gathered(s.tasks, bySeed, success)) }

// EqualSeeds reports whether all results of every task are equal with several seeds: rates, steps and tokens. Such
// seeds are one try, repeated without a temperature, by a server that ignores temperature or seed, or by a model or an
// agent that always says the same.
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
	if s.Condition.Decoding == nil && !record.Outside(s.Condition.Agent) {
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
