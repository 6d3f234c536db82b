package scoring

import (
	"cmp"
	"slices"

	"heldout/envs"
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
