package scoring

import (
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// tried plans several trials.
func tried(tasks, seeds, most int) *run {
	r := newRun(tasks, seeds)
	for i := range r.Manifest.Groups {
		r.Manifest.Groups[i].Condition.Trials = &record.Trials{
			Limit: most, Memory: 3, Decoding: &record.Decoding{TopP: 1, MaxTokens: 256}}
	}
	return r
}

// trial records a trial with a cost, and a reflection after a failure.
func (r *run) trial(seed, task, n int, outcome record.Outcome, progress float64) *record.Result {
	r.add(record.TrialID(id(seed, task), n), outcome, progress, 1)
	last := &r.Results[len(r.Results)-1]
	last.Trial, last.Calls, last.PromptTokens, last.CompletionTokens = n, 10, 100, 20
	if outcome == record.Failure {
		last.Reflection = &record.Reflection{Calls: 1, PromptTokens: 5, CompletionTokens: 2}
	}
	return last
}

// TestTrials is worked by hand: four tasks, three trials.
//
//	task   trial 1   trial 2   trial 3
//	t0     success
//	t1     0.5       success
//	t2     0.5       0.25      0
//	t3     0         0.75      success
func TestTrials(t *testing.T) {
	r := tried(4, 1, 3)
	r.trial(0, 0, 1, record.Success, 1)
	r.trial(0, 1, 1, record.Failure, 0.5).Reflection.Fault = record.CutOff
	r.trial(0, 1, 2, record.ModelError, 0)
	r.trial(0, 1, 2, record.Success, 1)
	r.trial(0, 2, 1, record.Failure, 0.5).Cut = record.SameAction
	r.trial(0, 2, 2, record.Failure, 0.25).Reflection.Trimmed = 4
	r.trial(0, 2, 3, record.Failure, 0).Forgotten = 2
	r.trial(0, 3, 1, record.Failure, 0)
	r.trial(0, 3, 2, record.Failure, 0.75)
	r.trial(0, 3, 3, record.Success, 1)
	r.Actions = make([]uint64, len(r.Results))
	for i := range r.Actions {
		r.Actions[i] = uint64(i)
	}
	r.Actions[5] = r.Actions[4] // t2 repeats its first trial
	s := r.score(t)
	near(t, "success of the first trial", s.Success.Mean, 0.25)
	near(t, "progress of the first trial", s.Progress.Mean, 0.5)
	if !s.Complete() || s.Planned != 4 || s.Finished != 4 || len(s.LaterUnfinished) != 0 || s.Replies.Episodes != 4 {
		t.Errorf("%+v", s)
	}
	type row struct {
		Due, Played, Solved, Same, Cut, Forgetful, Reflections, Trimmed, Flawed, Calls, In, Out int
		SR, PR, Best                                                                            float64
	}
	want := []row{
		{4, 4, 1, 0, 1, 0, 3, 0, 1, 43, 415, 86, 0.25, 0.5, 0.5},
		{3, 3, 1, 1, 0, 0, 2, 1, 0, 32, 310, 64, 0.5, 0.75, 0.8125},
		{2, 2, 1, 0, 0, 1, 1, 0, 0, 21, 205, 42, 0.75, 0.75, 0.875},
	}
	var got []row
	for _, n := range s.Trials() {
		got = append(got, row{n.Due, n.Finished, n.Solved, n.Same, n.Cut, n.Forgetful, n.Reflections, n.Trimmed,
			n.Flawed[record.CutOff], n.Calls, n.PromptTokens, n.CompletionTokens,
			n.Score.Success.Mean, n.Score.Progress.Mean, n.Best.Mean})
		if n.Score.Success.Interval == nil || !n.Score.Complete() {
			t.Errorf("trial %d: %+v", n.Number, n.Score)
		}
	}
	sharedtest.Same(t, got, want)
	if last := s.Trials()[2].Score.Replies; last.Episodes != 9 {
		t.Errorf("the rates after the last trial rest on %d episodes", last.Episodes)
	}
}

// A trial that is due and has no result leaves no rate from there on: the tasks that have one would be those that
// were solved earlier. Without a first trial, the rates are for the other tasks, as everywhere.
func TestTrialsIncomplete(t *testing.T) {
	r := tried(3, 1, 3)
	r.trial(0, 0, 1, record.Success, 1)
	r.trial(0, 1, 1, record.Failure, 0)
	r.trial(0, 1, 2, record.ContextExceeded, 0)
	s := r.score(t)
	n := s.Trials()
	if n[0].Score == nil || n[0].Score.Complete() || n[1].Score != nil || n[2].Score != nil {
		t.Errorf("%+v", n)
	}
	near(t, "after trial 1", n[0].Score.Success.Mean, 0.5)
	if n[1].Due != 1 || n[1].Finished != 0 || n[2].Due != 0 || n[0].Due != 3 || n[0].Same != -1 {
		t.Errorf("due %d, %d, %d", n[0].Due, n[1].Due, n[2].Due)
	}
	sharedtest.Same(t, s.LaterUnfinished, map[record.Outcome]int{record.ContextExceeded: 1})
}

func TestOneTrialHasNoTrials(t *testing.T) {
	r := newRun(1, 1)
	r.add(id(0, 0), record.Success, 1, 1)
	if got := r.score(t).Trials(); got != nil {
		t.Errorf("%+v", got)
	}
}

// Success never falls with trials, the best progress neither, and each first trial
// is as in the ordinary tables; with seeds and intervals of every kind.
func TestTrialsOnlyAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tasks, seeds, most := rapid.IntRange(1, 5).Draw(t, "tasks"), rapid.IntRange(1, 3).Draw(t, "seeds"),
			rapid.IntRange(2, 4).Draw(t, "most")
		r := tried(tasks, seeds, most)
		for seed := range seeds {
			for task := range tasks {
				solvedAt := rapid.IntRange(1, most+2).Draw(t, "solved at")
				for n := 1; n <= min(most, solvedAt); n++ {
					outcome, progress := record.Failure, float64(rapid.IntRange(0, 4).Draw(t, "progress"))/4
					if n == solvedAt {
						outcome, progress = record.Success, 1
					}
					r.trial(seed, task, n, outcome, progress)
				}
			}
		}
		scores := Compute(r.read(), rapid.SampledFrom([]stats.Question{
			stats.TheseTasks, stats.TheseKinds, stats.NewKinds}).Draw(t, "about"))
		s := scores[0]
		var before Trial
		for i, n := range s.Trials() {
			if n.Due != n.Finished || i == 0 && (n.Score.Success.Mean != s.Success.Mean ||
				n.Score.Progress.Mean != s.Progress.Mean) {
				t.Fatalf("trial 1: %+v, the score has %+v", n, s)
			}
			if i > 0 && (n.Score.Success.Mean < before.Score.Success.Mean-1e-12 ||
				n.Best.Mean < before.Best.Mean-1e-12 || n.Due != before.Due-before.Solved) {
				t.Fatalf("trial %d: %+v after %+v", n.Number, n, before)
			}
			if n.Best.Mean < n.Score.Progress.Mean-1e-12 {
				t.Fatalf("trial %d: best %v, last %v", n.Number, n.Best.Mean, n.Score.Progress.Mean)
			}
			before = n
		}
	})
}
