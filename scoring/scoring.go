// Package scoring computes rates, spreads and comparisons from records. It is
// pure: the same records give the same numbers, in any order.
package scoring

import (
	"cmp"
	"reflect"
	"slices"

	"heldout/envs"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// Level is the confidence level of all intervals.
const Level = 0.95

// Score is what one model reached on one environment under one condition, over all seeds of it.
type Score struct {
	// Condition is the condition of the episodes, without the seed.
	Condition record.Condition
	// Settings of the environment and its size.
	Environment record.Environment
	Seeds       []int64 // sorted
	// About is what the intervals are about.
	About stats.Question

	// Planned counts the planned episodes, Finished those with a result.
	Planned, Finished int
	// Outside counts the tasks that are not of the benchmark. What was reached on such
	// tasks never shares a row with results of the benchmark.
	Outside int
	// Unfinished counts the other episodes by the outcome of their last attempt;
	// "" stands for episodes that were never tried.
	Unfinished map[record.Outcome]int

	Success, Progress, Grounding Rate
	// Replies says how readable the model was.
	Replies Replies

	// Spent is what the model calls of all attempts took.
	Spent Spent

	// LaterUnfinished counts the trials after the first that are due and have no result, by the outcome of their
	// last attempt. All other fields are about first trials; see Trials.
	LaterUnfinished map[record.Outcome]int

	equalSeeds bool
	tasks      []taskResults // those with results, in the order of their keys
	chains     []chain       // nil if the tasks have one trial
	withSteps  bool          // trajectories were read
	measures   []Measured    // made when they are needed, and so are trials
	trials     []Trial
}

// taskResults is a task with the results of its episodes.
type taskResults struct {
	*envs.Task
	key     string
	results []seedResult // in the order of the plan
}

// seedResult is the result of a seed.
type seedResult struct {
	seed int64
	*attempt
}

// newTasks returns tasks without results, in their own order.
func newTasks(list []envs.Task) []taskResults {
	tasks := make([]taskResults, len(list))
	for i := range list {
		tasks[i] = taskResults{Task: &list[i], key: list[i].ID + " " + list[i].Digest}
	}
	return tasks
}

// arranged returns the tasks with results, in the order of their keys.
func arranged(tasks []taskResults) []taskResults {
	tasks = slices.DeleteFunc(tasks, func(t taskResults) bool { return len(t.results) == 0 })
	slices.SortFunc(tasks, func(a, b taskResults) int { return cmp.Compare(a.key, b.key) })
	return tasks
}

// Place names the environment, and says so if its tasks are not all of the benchmark: by their split if they belong
// to one, so that seen and unseen tasks stand beside each other.
func (s *Score) Place() string {
	switch split := s.Environment.Settings["split"]; {
	case s.Outside > 0 && s.Outside == len(s.Environment.Tasks) && split != "":
		return s.Condition.Env + " (" + split + ")"
	case s.Outside > 0:
		return s.Condition.Env + " (other tasks)"
	}
	return s.Condition.Env
}

// Complete reports whether every planned episode has a result.
func (s *Score) Complete() bool { return s.Finished == s.Planned }

// Compute returns the scores of a run in the order of its plan, with intervals about the question. Only planned
// episodes count. Each counts once, with the result of the first attempt that has one.
func Compute(r *Run, about stats.Question) (out []*Score) {
	byCondition := map[string]*Score{}
	for i, g := range r.Manifest.Groups {
		env, _ := r.Manifest.EnvironmentOf(g.Condition) // reading has checked it
		seed := g.Condition.Seed
		g.Condition.Seed = 0
		key := g.Condition.Key()
		s := byCondition[key]
		if s == nil {
			s = newScore(g.Condition, env, about)
			s.withSteps = r.withSteps
			byCondition[key] = s
			out = append(out, s)
		}
		s.addGroup(r, i, seed)
	}
	for _, s := range out {
		s.compute()
	}
	return out
}

func newScore(c record.Condition, env record.Environment, about stats.Question) *Score {
	outside := 0
	for _, t := range env.Tasks {
		if t.Index < 0 && c.Preset == nil { // a preset has a list of its own
			outside++
		}
	}
	return &Score{Condition: c, Environment: env, Outside: outside, About: about, tasks: newTasks(env.Tasks),
		Unfinished: map[record.Outcome]int{}, LaterUnfinished: map[record.Outcome]int{}}
}

// addGroup adds the episodes of a group of the plan.
func (s *Score) addGroup(r *Run, group int, seed int64) {
	s.Seeds = append(s.Seeds, seed)
	s.Planned += len(s.tasks)
	s.Spent = s.Spent.Plus(r.spent[group])
	for i := range s.tasks {
		t := &s.tasks[i]
		if s.Condition.Trials != nil {
			s.addChain(r, group, i, seed)
		}
		a := r.attempt(group, 1, i)
		if !a.Outcome.Final() {
			s.Unfinished[a.Outcome]++
			continue
		}
		s.Finished++
		t.results = append(t.results, seedResult{seed, a})
		s.Replies.add(a)
	}
}

// compute derives the rates from what was played.
func (s *Score) compute() {
	slices.Sort(s.Seeds)
	s.tasks = arranged(s.tasks)
	s.equalSeeds = s.haveEqualSeeds()
	s.rate()
}

// rate derives the rates from the results of the tasks.
func (s *Score) rate() {
	s.Success = s.newRate(success)
	s.Progress = s.newRate(progress)
	s.Grounding = s.newRate(func(a *attempt) float64 { return a.Grounding })
}

// value is a number of a result.
type value func(*attempt) float64

func success(a *attempt) float64 { return stats.Indicator(a.success) }

func progress(a *attempt) float64 { return a.Progress }

// Joins reports whether two scores are for one condition on the same tasks, with
// other seeds each: then they are parts of one score.
func (s *Score) Joins(o *Score) bool {
	if s.About != o.About || slices.ContainsFunc(s.Seeds, func(seed int64) bool {
		return slices.Contains(o.Seeds, seed)
	}) {
		return false
	}
	return s.Condition.Key() == o.Condition.Key() && reflect.DeepEqual(s.Environment, o.Environment)
}

// Join returns the score over the seeds of scores that join.
func Join(scores ...*Score) *Score {
	first := scores[0]
	s := newScore(first.Condition, first.Environment, first.About)
	s.withSteps = true
	byKey := map[string]*taskResults{}
	for i := range s.tasks {
		byKey[s.tasks[i].key] = &s.tasks[i]
	}
	for _, score := range scores {
		s.withSteps = s.withSteps && score.withSteps
		s.Seeds = append(s.Seeds, score.Seeds...)
		s.Planned, s.Finished = s.Planned+score.Planned, s.Finished+score.Finished
		s.chains = append(s.chains, score.chains...)
		s.Spent = s.Spent.Plus(score.Spent)
		addCounts(s.Unfinished, score.Unfinished)
		addCounts(s.LaterUnfinished, score.LaterUnfinished)
		for _, t := range score.tasks {
			for _, p := range t.results {
				byKey[t.key].results = append(byKey[t.key].results, p)
				s.Replies.add(p.attempt)
			}
		}
	}
	s.compute()
	return s
}

func addCounts[K comparable](dst, src map[K]int) {
	for kind, n := range src {
		dst[kind] += n
	}
}
