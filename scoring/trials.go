package scoring

import (
	"hash/fnv"
	"slices"

	"heldout/scoring/record"
)

// Trial is one of the trials that a score's tasks were given: what was reached after it, and what it took.
type Trial struct {
	// Number counts from 1.
	Number int
	// Score is the score after this trial: a task counts as solved if a trial so far solved it, and its progress is
	// that of its last trial. Best is the best progress of the trials so far. Score is nil if a later trial that is
	// due has no result: the tasks without it have all failed so far, so the others would make the rate too high.
	Score *Score
	Best  Rate
	// Due counts the trials of this number that are due: all first ones, and those
	// after a failure. Finished counts those with a result, Solved the successes.
	Due, Finished, Solved int
	// Same counts the trials with the same actions as the one before; -1 if the run
	// was read without trajectories. Cut counts those that a rule ended early.
	Same, Cut int
	// Forgetful counts the trials that lost reflections to fit the context; Replies
	// says how readable the model was.
	Forgetful int
	Replies   Replies
	// Reflections counts the reflections made after the trial. Flawed counts them
	// by what is wrong with them, and Trimmed those that saw a part of the trial.
	Reflections, Trimmed int
	Flawed               map[record.Fault]int
	// Calls and tokens are totals of the trials and of the reflections after them.
	Calls, PromptTokens, CompletionTokens int
}

// chain is the trials of one task with one seed.
type chain struct {
	task int // index in the environment
	seed int64
	// results holds the results in order: all but the last are failures.
	results []*attempt
	// due is set if another trial is due and has no result.
	due bool
}

// actionsOf is a hash of what an agent did in a trial; 0 if the task has only one.
func actionsOf(e *record.Episode) uint64 {
	if e.Trial == 0 {
		return 0
	}
	h := fnv.New64a()
	for i := range e.Trajectory {
		h.Write([]byte(e.Trajectory[i].Action + "\x00"))
	}
	return h.Sum64()
}

// addChain follows the trials of an episode, whose first trial has that id. It
// counts a later trial that is due and has no result.
func (s *Score) addChain(r *Run, group, task int, seed int64) {
	c := chain{task: task, seed: seed}
	for trial := 1; trial <= s.Condition.MostTrials(); trial++ {
		a := r.attempt(group, trial, task)
		if !a.Outcome.Final() {
			c.due = true
			if trial > 1 {
				s.LaterUnfinished[a.Outcome]++
			}
			break
		}
		c.results = append(c.results, a)
		if a.success {
			break
		}
	}
	s.chains = append(s.chains, c)
}

// Episodes counts the episodes of all trials that are due so far, and those with a
// result. With one trial they are Planned and Finished.
func (s *Score) Episodes() (due, finished int) {
	due, finished = s.Planned, s.Finished
	for _, c := range s.chains {
		retries := max(0, len(c.results)-1)
		finished += retries
		due += retries
		if c.due && len(c.results) > 0 {
			due++
		}
	}
	return due, finished
}

// Trials returns what was reached after each trial; nil if the tasks have only one.
func (s *Score) Trials() []Trial {
	if s.Condition.Trials == nil || s.trials != nil {
		return s.trials
	}
	for n := 1; n <= s.Condition.MostTrials(); n++ {
		t := Trial{Number: n}
		for i := range s.chains {
			t.add(&s.chains[i])
		}
		if !s.withSteps {
			t.Same = -1
		}
		if !slices.ContainsFunc(s.chains, func(c chain) bool {
			return c.due && len(c.results) > 0 && len(c.results) < n
		}) {
			t.Score, t.Best = s.scoreAfter(n)
		}
		s.trials = append(s.trials, t)
	}
	return s.trials
}

// add counts the trial of one task.
func (t *Trial) add(c *chain) {
	n := t.Number
	if len(c.results) < n {
		if len(c.results) == n-1 && c.due {
			t.Due++
		}
		return
	}
	t.Due++
	t.Finished++
	a := c.results[n-1]
	t.Replies.add(a)
	t.PromptTokens += a.promptTokens
	t.CompletionTokens += a.completionTokens
	if a.success {
		t.Solved++
	}
	t.Calls += a.result.Calls
	if a.result.Cut != "" {
		t.Cut++
	}
	if a.result.Forgotten > 0 {
		t.Forgetful++
	}
	if n > 1 && a.actions == c.results[n-2].actions {
		t.Same++
	}
	if a.result.Reflection != nil {
		t.reflected(a.result.Reflection)
	}
}

// reflected counts a reflection.
func (t *Trial) reflected(r *record.Reflection) {
	t.Reflections++
	t.Calls += r.Calls
	t.PromptTokens += r.PromptTokens
	t.CompletionTokens += r.CompletionTokens
	if r.Trimmed > 0 {
		t.Trimmed++
	}
	if r.Fault != "" {
		if t.Flawed == nil {
			t.Flawed = map[record.Fault]int{}
		}
		t.Flawed[r.Fault]++
	}
}

// scoreAfter returns the score after so many trials, and the best progress.
func (s *Score) scoreAfter(n int) (*Score, Rate) {
	score := newScore(s.Condition, s.Environment, s.About)
	score.Seeds, score.Planned = s.Seeds, s.Planned
	best := map[*attempt]float64{}
	for _, c := range s.chains {
		if len(c.results) == 0 {
			continue
		}
		results := c.results[:min(n, len(c.results))]
		last := results[len(results)-1]
		score.Finished++
		t := &score.tasks[c.task]
		t.results = append(t.results, seedResult{c.seed, last})
		for _, a := range results {
			score.Replies.add(a)
			best[last] = max(best[last], a.Progress)
		}
	}
	score.compute()
	return score, score.newRate(func(a *attempt) float64 { return best[a] })
}
