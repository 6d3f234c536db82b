// Package scoring computes rates, spreads and comparisons from records. It is
// pure: the same records give the same numbers, in any order.
package scoring

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"heldout/envs"
	"heldout/eval/record"
	"heldout/scoring/refinement"
	"heldout/scoring/stats"
)

// Level is the confidence level of all intervals.
const Level = 0.95

// Score is what one model reached on one environment under one condition, over
// all seeds of it.
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
	// Unfinished counts the other episodes by the outcome of their last attempt;
	// "" stands for episodes that were never tried.
	Unfinished map[record.Outcome]int

	Success, Progress, Grounding Rate
	// Replies says how readable the model was.
	Replies Replies
	// Easy and Hard are the rates on the easy and on the hard tasks.
	Easy, Hard Split

	// LaterUnfinished counts the trials after the first that are due and have no
	// result, by the outcome of their last attempt. All other fields are about first
	// trials; see Trials.
	LaterUnfinished map[record.Outcome]int

	played     []played
	chains     []chain // nil if the tasks have one trial
	hasActions bool
	samplings  map[stats.Question]stats.Sampling // of all played tasks
}

// played is a result with what was planned.
type played struct {
	task   *envs.Task
	seed   int64
	result *record.Result
	counts *refinement.Counts // nil if it was read without its trajectory
}

// Split are the rates on a part of the tasks.
type Split struct {
	// Tasks counts those with a result.
	Tasks             int
	Success, Progress Rate
}

// Complete reports whether every planned episode has a result.
func (s *Score) Complete() bool { return s.Finished == s.Planned }

// Run is a run directory's content.
type Run struct {
	Manifest *record.Manifest
	Results  []record.Result
	// Counts holds what each result contributes to the measures of refinement;
	// nil if the run was read without trajectories.
	Counts []refinement.Counts
	// Actions holds a hash of the actions of each result, or is nil as Counts.
	Actions []uint64
}

// ReadRun reads a run, checks its records against the plan and counts
// what its episodes contribute to the measures of refinement. Thoughts are compared
// with the known ones, which may be none.
func ReadRun(p record.Parts, known []string) (Run, error) {
	var r Run
	var damaged error
	var forms sync.Once
	var old map[perturbed]func(string) bool
	counters := sync.Pool{New: func() any { return refinement.NewCounter(known) }}
	type derived struct {
		actions uint64
		counts  refinement.Counts
	}
	derive := func(m *record.Manifest, e *record.Episode) derived {
		forms.Do(func() { old, damaged = oldForms(m) })
		counter := counters.Get().(*refinement.Counter)
		defer counters.Put(counter)
		return derived{actionsOf(e), counter.Count(e, old[perturbed{e.Env, e.Perturbation}])}
	}
	var err error
	r.Manifest, err = record.EachDerived(p, derive, func(m *record.Manifest, e *record.Episode, d derived) {
		if r.Results == nil { // most of the plan may be there
			n := m.Planned()
			r.Results, r.Actions, r.Counts = make([]record.Result, 0, n), make([]uint64, 0, n), make([]refinement.Counts, 0, n)
		}
		r.Results = append(r.Results, withoutTexts(e.Result))
		r.Actions = append(r.Actions, d.actions)
		r.Counts = append(r.Counts, d.counts)
	})
	if err == nil && damaged != nil {
		err = fmt.Errorf("%s: %w", p.Name(), damaged)
	}
	return r, err
}

// Compute returns the scores of a run in the order of its plan, with intervals
// about the question. Only planned episodes count. Each counts once, with the
// result of the first attempt that has one.
func Compute(r Run, about stats.Question) ([]*Score, error) {
	final, last := settle(r.Results)
	var out []*Score
	byCondition := map[string]*Score{}
	for _, g := range r.Manifest.Groups {
		env, ok := r.Manifest.EnvironmentOf(g.Condition)
		if !ok || len(env.Tasks) != len(g.Episodes) {
			return nil, fmt.Errorf("the plan for %s on %s does not fit its tasks", g.Condition.Model, g.Condition.Env)
		}
		seed := g.Condition.Seed
		g.Condition.Seed = 0
		key, err := json.Marshal(g.Condition)
		if err != nil {
			return nil, err
		}
		s := byCondition[string(key)]
		if s == nil {
			s = &Score{Condition: g.Condition, Environment: env, About: about, samplings: map[stats.Question]stats.Sampling{}, Unfinished: map[record.Outcome]int{},
				LaterUnfinished: map[record.Outcome]int{}, hasActions: r.Actions != nil}
			byCondition[string(key)] = s
			out = append(out, s)
		}
		s.Seeds = append(s.Seeds, seed)
		s.Planned += len(g.Episodes)
		for i, id := range g.Episodes {
			if s.Condition.Trials != nil {
				s.addChain(&r, env.Tasks[i], seed, id, final, last)
			}
			if at, ok := final[id]; ok {
				s.Finished++
				p := played{task: &env.Tasks[i], seed: seed, result: &r.Results[at]}
				if r.Counts != nil {
					p.counts = &r.Counts[at]
				}
				s.played = append(s.played, p)
				s.Replies.add(*p.result)
			} else {
				s.Unfinished[last[id]]++
			}
		}
	}
	for _, s := range out {
		s.compute()
	}
	return out, nil
}

// settle returns the outcome of each episode: the result of the first attempt
// that has one, and the outcome of the last attempt.
func settle(results []record.Result) (final map[string]int, last map[string]record.Outcome) {
	final, last = map[string]int{}, map[string]record.Outcome{}
	order := make([]int, len(results))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return record.ByAttempt(&results[a], &results[b]) })
	for _, i := range order {
		r := &results[i]
		if _, done := final[r.ID]; !done && r.Outcome.Final() {
			final[r.ID] = i
		}
		last[r.ID] = r.Outcome
	}
	return final, last
}

// compute derives the rates from what was played.
func (s *Score) compute() {
	slices.Sort(s.Seeds)
	s.Success = s.newRate(s.played, success)
	s.Progress = s.newRate(s.played, progress)
	s.Grounding = s.newRate(s.played, func(r record.Result) float64 { return r.Grounding })
	s.Easy = s.split(envs.Easy)
	s.Hard = s.split(envs.Hard)
}

func success(r record.Result) float64 {
	if r.Success {
		return 1
	}
	return 0
}

func progress(r record.Result) float64 { return r.Progress }

func (s *Score) split(d envs.Difficulty) Split {
	var part []played
	tasks := map[string]bool{}
	for _, p := range s.played {
		if p.task.Difficulty == d {
			part = append(part, p)
			tasks[taskKey(p)] = true
		}
	}
	return Split{Tasks: len(tasks), Success: s.newRate(part, success), Progress: s.newRate(part, progress)}
}
