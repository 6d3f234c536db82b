package progress

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// episodes are planned episodes of one kind.
func episodes(env, model, perturbation string, limit, n int) (out []*episode.Episode) {
	for i := range n {
		out = append(out, &episode.Episode{
			ID: fmt.Sprint(env, model, perturbation, i), Task: &envs.Task{ID: fmt.Sprint(i)},
			Condition: &record.Condition{Env: env, Model: model, Perturbation: perturbation, StepLimit: limit},
		})
	}
	return out
}

// result is the record of an episode that ended after so many steps.
func result(e *episode.Episode, steps int, outcome record.Outcome, progress float64, took time.Duration) record.Result {
	c := e.Condition
	ended := time.Unix(1000, 0)
	return record.Result{
		ID: e.ID, Env: c.Env, Model: c.Model, Perturbation: c.Perturbation, Steps: steps,
		Outcome: outcome, Success: outcome == record.Success, Progress: progress, Started: ended.Add(-took),
		Ended: ended,
	}
}

// never is for what calls wait that do not wait.
func never() string { return "" }

// While calls wait, the line says for what, and guesses nothing.
func TestWaits(t *testing.T) {
	wait := ""
	p := NewRun(eval.Due{}, 1, func() string { return wait }, func() time.Time { return time.Unix(0, 0) })
	sharedtest.Equal(t, p.Line(), "0/0 episodes")
	wait = "no model server answers since 03:04:05"
	sharedtest.Equal(t, p.Line(), "0/0 episodes  "+wait)
}

// What other processes play comes at the rate of the latest episodes.
func TestRemainingElsewhere(t *testing.T) {
	now := time.Unix(0, 0)
	plan := episodes("pddl", "vllm:m", "none", 2, 100)
	p := NewRun(eval.Due{Missing: plan}, 0, never, func() time.Time { return now })
	p.PlayElsewhere()
	for i := range 20 {
		left, ok := p.remaining()
		if ok != (i >= fewestEnds) || ok && left != time.Duration(100-i)*5*time.Second {
			t.Errorf("after %d of 100: %v, %v", i, left, ok)
		}
		now = now.Add(5 * time.Second)
		p.EpisodeBegun(plan[i])
		p.EpisodeDone(plan[i], result(plan[i], 2, record.Success, 1, 10*time.Second))
	}
}

// rates are the success rates of a run so far, in percent, row by row.
func rates(p *Tracker) (text string) {
	for _, row := range p.View().Rows {
		for _, c := range row.Cells {
			text += fmt.Sprintf(" %.1f", 100*c.Success)
		}
	}
	return text
}

// There is no ETA before every kind has been played. Rates of different things are not
// averaged: each environment and player has its own.
func TestProgressLines(t *testing.T) {
	now := time.Unix(0, 0)
	plan := append(episodes("pddl", "random", "none", 2, 3), episodes("alfworld", "vllm:/models/bad\x1b[2J", "P1", 2,
		3)...)
	p := NewRun(eval.Due{Missing: plan}, 1, never, func() time.Time { return now })
	var got []string
	play := func(i int, outcome record.Outcome, progress float64) {
		p.EpisodeBegun(plan[i])
		for range 2 {
			p.StepDone(plan[i], agent.Usage{Usage: record.Usage{PromptTokens: 100 * i, CompletionTokens: 10 * i}})
		}
		now = now.Add(10 * time.Second)
		p.EpisodeDone(plan[i], result(plan[i], 2, outcome, progress, 10*time.Second))
		got = append(got, p.Line()+rates(p))
	}
	got = append(got, p.Line()+rates(p))
	play(0, record.Failure, 0.5)
	play(1, record.Success, 1)
	play(3, record.ModelError, 0)
	play(4, record.Failure, 0.25)
	play(5, record.Cancelled, 0)
	play(5, record.Failure, 0.25)
	play(2, record.Failure, 0)
	want := []string{
		"0/6 episodes NaN NaN NaN NaN",
		"1/6 episodes  6.0/min 0.0 NaN NaN NaN",
		"2/6 episodes  6.0/min  1 reply tokens/s 50.0 NaN NaN NaN",
		"2/6 episodes  4.0/min  ETA 30s  1 failed  3 reply tokens/s  last failure: model error 50.0 NaN NaN NaN",
		"3/6 episodes  4.5/min  ETA 20s  1 failed  4 reply tokens/s  last failure: model error 50.0 NaN NaN 0.0",
		"3/6 episodes  3.6/min  ETA 20s  1 failed  1 stopped  5 reply tokens/s  last failure: model error 50.0 NaN NaN 0.0",
		"4/6 episodes  4.0/min  ETA 10s  waiting for PDDL (CPU)  1 failed  1 stopped  6 reply tokens/s  last failure: model error 50.0 NaN NaN 0.0",
		"5/6 episodes  4.3/min  1 failed  1 stopped  6 reply tokens/s  last failure: model error 33.3 NaN NaN 0.0",
	}
	sharedtest.Equal(t, cmp.Diff(want, got), "")
}

// A run that is resumed counts what it had before, and its rates are means over tasks.
func TestProgressOfAResumedRun(t *testing.T) {
	now := time.Unix(0, 0)
	plan := episodes("pddl", "vllm:m", "none", 2, 4)
	again := *plan[0] // with another seed
	again.ID = "again"
	due := eval.Due{Missing: plan[2:], Finished: []eval.Finished{
		{Episode: plan[0], Attempt: &record.Attempt{Rank: record.Rank{Outcome: record.Success, Progress: 1}}},
		{Episode: &again, Attempt: &record.Attempt{Rank: record.Rank{Outcome: record.Failure, Progress: 0.5}}},
		{Episode: plan[1], Attempt: &record.Attempt{Rank: record.Rank{Outcome: record.Failure}}},
	}}
	p := NewRun(due, 1, never, func() time.Time { return now })
	sharedtest.Equal(t, p.Line()+rates(p), "3/5 episodes 25.0")
	now = now.Add(10 * time.Second)
	p.EpisodeBegun(plan[2])
	p.EpisodeDone(plan[2], result(plan[2], 1, record.Success, 1, time.Second))
	sharedtest.Equal(t, p.Line()+rates(p), "4/5 episodes  6.0/min  ETA 0s 50.0")
}

// Later trials depend on outcomes: the line has the least and the most. The rates are for first trials.
func TestProgressOfTrials(t *testing.T) {
	now := time.Unix(0, 0)
	plan := episodes("pddl", "vllm:m", "none", 2, 2)
	for i := range plan {
		plan[i].Trial, plan[i].Condition.Trials = 1, &record.Trials{Limit: 3}
	}
	p := NewRun(eval.Due{Missing: plan}, 1, never, func() time.Time { return now })
	var got []string
	play := func(e *episode.Episode, outcome record.Outcome) *episode.Episode {
		p.EpisodeBegun(e)
		p.StepDone(e, agent.Usage{})
		now = now.Add(10 * time.Second)
		r := result(e, 1, outcome, 0.5, 10*time.Second)
		r.Trial = e.Trial
		p.EpisodeDone(e, r)
		got = append(got, p.Line()+rates(p))
		return e.NextTrial(r.Brief())
	}
	got = append(got, p.Line()+rates(p))
	second := play(plan[0], record.Failure)
	play(plan[1], record.Success)
	third := play(second, record.Failure)
	play(third, record.ModelError)
	want := []string{
		"0/2-6 episodes NaN",
		"1/3-6 episodes  6.0/min  ETA at least 20s 0.0",
		"2/3-4 episodes  6.0/min  ETA at least 10s 50.0",
		"3/4 episodes  6.0/min  ETA 10s 50.0",
		"3/4 episodes  4.5/min  1 failed  last failure: model error 50.0",
	}
	sharedtest.Equal(t, cmp.Diff(want, got), "")
}

// The status has the episodes in flight, the oldest first, with their steps.
func TestStatusOfARun(t *testing.T) {
	start := time.Unix(100, 0).UTC()
	now := start
	plan := append(episodes("pddl", "random", "none", 5, 3), episodes("babyai", "random", "none", 5, 1)...)
	p := NewRun(eval.Due{Missing: plan}, 2, never, func() time.Time { return now })
	if left := p.Status().RemainingSeconds; left != nil {
		t.Errorf("an estimate before the first step: %v", *left)
	}
	for i := range plan {
		now = start.Add(time.Duration(i) * time.Second)
		p.EpisodeBegun(plan[i])
		for range i {
			p.StepDone(plan[i], agent.Usage{Usage: record.Usage{PromptTokens: 10, CompletionTokens: 1}})
		}
	}
	p.EpisodeDone(plan[1], result(plan[1], 1, record.ModelError, 0, time.Second))
	got := p.Status()
	if got.RemainingSeconds == nil {
		t.Error("no estimate though every kind has made a step")
	}
	got.RemainingSeconds = nil
	want := &record.Status{
		Updated: now, Started: start, Concurrency: 2, Planned: 4, MaxPlanned: 4, Done: 1, Failed: 1, Tokens: 6,
		InFlight: []record.InFlight{
			{ID: plan[0].ID, Started: start},
			{ID: plan[2].ID, Steps: 2, Started: start.Add(2 * time.Second)},
			{ID: plan[3].ID, Steps: 3, Started: start.Add(3 * time.Second)},
		},
	}
	sharedtest.Equal(t, cmp.Diff(want, got), "")
}

// A status describes a bounded number of episodes.
func TestStatusIsBounded(t *testing.T) {
	plan := episodes("pddl", "random", "none", 5, record.MaxInFlight+7)
	p := NewRun(eval.Due{Missing: plan}, len(plan), never, func() time.Time { return time.Unix(0, 0) })
	for i := range plan {
		p.EpisodeBegun(plan[i])
	}
	if s := p.Status(); len(s.InFlight) != record.MaxInFlight || s.Others != 7 {
		t.Errorf("%d in flight and %d others", len(s.InFlight), s.Others)
	}
}

// flight is an episode that is being played.
type flight struct {
	*episode.Episode
	steps, length int
	next, started time.Time
}

// simulation is a run on a clock of its own.
type simulation struct {
	plan        []*episode.Episode
	concurrency int
	// length is how many steps an episode takes.
	length func(*episode.Episode) int
	// step is how long a step takes on average, in seconds; nil for one. It takes that long give or take a half,
	// and so much more for each other episode of its environment that shares a processor with it.
	step   func(*episode.Episode) float64
	shared map[string]float64
	// crowded are environments whose steps this machine computes on two processors: one in flight with others takes as
	// many times longer.
	crowded map[string]bool
	// start is what the first step of an episode takes more, in seconds, when so
	// many have begun before; nil for nothing.
	start func(begun int) float64
	// disk is how long an episode is on its way to the disk, in seconds, while the next one is played.
	disk float64
}

// play returns the estimates of the time left from the first tenth of the episodes on, with what was left.
func (s simulation) play() (estimates, left []time.Duration) {
	rng := rand.New(rand.NewPCG(1, 2))
	now := time.Unix(0, 0)
	plan := eval.InPlayingOrder(s.plan)
	p := NewRun(eval.Due{Missing: plan}, s.concurrency, never, func() time.Time { return now })
	if p.processors = 2; len(s.shared) > 0 {
		p.processors = 1
	}
	var flights, writes []*flight
	mean := func(e *episode.Episode) float64 {
		if s.step != nil {
			return s.step(e)
		}
		return 1
	}
	step := func(e *episode.Episode) time.Duration {
		mean := mean(e)
		for _, f := range flights {
			if f.Condition.Env == e.Condition.Env {
				mean += s.shared[e.Condition.Env]
			}
		}
		if s.crowded[e.Condition.Env] {
			together := 1.0
			for _, f := range flights {
				if s.crowded[f.Condition.Env] && f.Episode != e {
					together++
				}
			}
			mean *= max(1, together/2)
		}
		return time.Duration(mean * (0.5 + rng.Float64()) * float64(time.Second))
	}
	var at []time.Time
	for begun, steps := 0, 0; p.done < len(plan); steps++ {
		for len(flights) < s.concurrency && begun < len(plan) {
			e := plan[begun]
			first := step(e)
			if s.start != nil {
				first += time.Duration(s.start(begun) * float64(time.Second))
			}
			flights = append(flights, &flight{e, 0, s.length(e), now.Add(first), now})
			p.EpisodeBegun(e)
			begun++
		}
		f := slices.MinFunc(slices.Concat(flights, writes), func(a, b *flight) int { return a.next.Compare(b.next) })
		now = f.next
		is := func(other *flight) bool { return other == f }
		if f.steps == f.length {
			p.EpisodeDone(f.Episode, result(f.Episode, f.steps, record.Failure, 0, now.Sub(f.started)))
			writes = slices.DeleteFunc(writes, is)
			continue
		}
		latency := time.Duration(mean(f.Episode) * float64(time.Second))
		if s.crowded[f.Condition.Env] {
			latency = 0
		}
		p.StepDone(f.Episode, agent.Usage{Latency: latency})
		f.steps++
		f.next = now.Add(step(f.Episode))
		if f.steps == f.length {
			f.next = now.Add(time.Duration(s.disk * float64(time.Second)))
			flights, writes = slices.DeleteFunc(flights, is), append(writes, f)
		}
		if steps%8 > 0 || 10*p.done < len(plan) {
			continue
		}
		if estimate, ok := p.remaining(); ok {
			estimates, at = append(estimates, estimate), append(at, now)
		}
	}
	for _, when := range at {
		left = append(left, now.Sub(when))
	}
	return estimates, left
}

// gameCost is what a step of a game costs, in seconds: of some twenty times as much as of others.
func gameCost(e *episode.Episode) float64 {
	if e.Condition.Env != "jericho" {
		return 1
	}
	last := e.Task.ID[len(e.Task.ID)-1] // its number ends in
	return []float64{0.1, 0.2, 0.3, 0.5, 2}[(last-'0')%5]
}

// From the first tenth of the episodes on the estimate is right within a factor of two, until a few steps are
// left. Where episodes share a processor, it is so from half of the time on.
func TestETA(t *testing.T) {
	var rng *rand.Rand // made anew for each
	one := episodes("pddl", "m", "none", 30, 1000)
	few := episodes("pddl", "m", "none", 30, 100)
	two := append(episodes("pddl", "m", "none", 30, 500), episodes("jericho", "m", "none", 100, 500)...)
	same := append(episodes("pddl", "m", "none", 30, 300), episodes("babyai", "m", "none", 30, 300)...)
	players := append(episodes("pddl", "expert", "none", 30, 200), episodes("pddl", "random", "none", 30, 200)...)
	any := func(e *episode.Episode) int { return 1 + rng.IntN(e.Condition.StepLimit) }
	slow := func(env string) func(*episode.Episode) float64 {
		return func(e *episode.Episode) float64 {
			if e.Condition.Env == env {
				return 10
			}
			return 1
		}
	}
	for name, s := range sharedtest.SampleMap(t, map[string]simulation{
		"all fail": {plan: one, concurrency: 256, length: func(*episode.Episode) int { return 30 }},
		"short or long": {plan: one, concurrency: 256, length: func(*episode.Episode) int {
			return []int{5, 30}[rng.IntN(2)]
		}},
		"any length":    {plan: one, concurrency: 256, length: any},
		"one by one":    {plan: few, concurrency: 1, length: any},
		"two of a kind": {plan: two, concurrency: 64, length: any},
		"all but at once": {plan: few, concurrency: 256, length: func(*episode.Episode) int {
			return 10 + rng.IntN(20)
		}},
		"the second slow": {plan: same, concurrency: 16, length: any, step: slow("babyai")},
		"the first slow":  {plan: same, concurrency: 16, length: any, step: slow("pddl")},
		"slow at first": {plan: one, concurrency: 64, length: any, start: func(begun int) float64 {
			if begun < 64 {
				return 30
			}
			return 0
		}},
		"longer on the way to the disk": {plan: one, concurrency: 8, disk: 8, length: func(*episode.Episode) int {
			return 5 + rng.IntN(3)
		}},
		"a processor shared": {plan: two, concurrency: 64, length: any, shared: map[string]float64{"jericho": 1}},
		"games of different cost at the end": {plan: slices.Concat(one, episodes("jericho", "m", "none", 100, 20)),
			concurrency: 64, length: func(e *episode.Episode) int {
				if e.Condition.Env == "jericho" {
					return 100
				}
				return any(e)
			}, step: gameCost, crowded: map[string]bool{"jericho": true}},
		"plans of any length": {plan: few, concurrency: 8, length: func(*episode.Episode) int { return 5 },
			start: func(int) float64 { return 4 * rng.ExpFloat64() }, step: func(*episode.Episode) float64 { return 0 },
			crowded: map[string]bool{"pddl": true}},
		"slow beginnings": {plan: one, concurrency: 64, length: any, start: func(int) float64 { return 30 }},
		"expert, then random": {plan: players, concurrency: 8, length: func(e *episode.Episode) int {
			if e.Condition.Model == "expert" {
				return 5 + rng.IntN(5)
			}
			return 30
		}, step: func(e *episode.Episode) float64 {
			if e.Condition.Model == "expert" {
				return 2
			}
			return 0.5
		}},
	}, 4) {
		rng = rand.New(rand.NewPCG(3, 4))
		estimates, left := s.play()
		if len(estimates) == 0 {
			t.Errorf("%s: no estimates", name)
			continue
		}
		longest := 1.0 // step
		if s.step != nil {
			longest = max(s.step(s.plan[0]), s.step(s.plan[len(s.plan)-1]))
		}
		few := time.Duration(10 * longest * float64(time.Second))
		if longest == 0 {
			few = 12 * time.Second
		}
		worst, when := 1.0, time.Duration(0)
		for i, e := range estimates {
			if left[i] < few || (s.shared != nil || s.crowded != nil) && left[i] > left[0]/2 {
				continue
			}
			if factor := max(e.Seconds()/left[i].Seconds(), left[i].Seconds()/e.Seconds()); factor > worst {
				worst, when = factor, left[i]
			}
		}
		t.Logf("%s: within a factor of %.2f, worst when %v were left of %v", name, worst, when, left[0])
		if worst > 2 {
			t.Errorf("%s: the estimate is wrong by a factor of %.2f when %v are left", name, worst, when)
		}
	}
}

// As long as nothing is known of a kind of episodes, no time is told.
func TestNoETAYet(t *testing.T) {
	now := time.Unix(0, 0)
	plan := append(episodes("pddl", "m", "none", 30, 2), episodes("alfworld", "m", "none", 30, 2)...)
	p := NewRun(eval.Due{Missing: plan}, 2, never, func() time.Time { return now })
	p.EpisodeBegun(plan[0])
	p.EpisodeBegun(plan[2])
	now = now.Add(time.Second)
	p.StepDone(plan[0], agent.Usage{})
	if left, ok := p.remaining(); ok {
		t.Errorf("%v", left)
	}
	now = now.Add(time.Second)
	p.StepDone(plan[2], agent.Usage{})
	if _, ok := p.remaining(); !ok {
		t.Error("no estimate")
	}
}

// Reasons of failures are counted, whatever numbers they hold.
func TestFailures(t *testing.T) {
	plan := episodes("pddl", "m", "none", 5, 20)
	p := NewRun(eval.Due{Missing: plan}, 1, never, func() time.Time { return time.Unix(0, 0) })
	end := func(i int, outcome record.Outcome, text string) {
		p.EpisodeBegun(plan[i])
		r := result(plan[i], 0, outcome, 0, 0)
		r.Error = text
		p.EpisodeDone(plan[i], r)
	}
	for i := range 9 {
		end(i, record.ModelError, fmt.Sprintf("HTTP 500 after %d tries\nmore", i))
	}
	for i, text := range []string{"a", "b", "c", "d"} {
		end(9+i, record.EnvError, text)
	}
	end(13, record.Cancelled, "stopped")
	want := []string{"9 episodes without a result: model error: HTTP 500 after 0 tries",
		"1 episode without a result: env error: a", "1 episode without a result: env error: b",
		"1 episode without a result: env error: c", "1 episode without a result: env error: d"}
	sharedtest.Equal(t, cmp.Diff(want, p.Failures()), "")
}

// anySimulation is a run of several kinds of episodes, in number, length and cost as the dice fall: with models that
// take their time, worlds that this machine computes, games of which some cost many times as much as others, and plans
// before the first step.
func anySimulation(rng *rand.Rand) simulation {
	s := simulation{concurrency: []int{1, 4, 16, 64}[rng.IntN(4)], crowded: map[string]bool{}}
	cost, lengths := map[*episode.Episode]float64{}, map[string]int{}
	for _, env := range []string{"alfworld", "babyai", "jericho", "pddl", "sciworld"}[:2+rng.IntN(4)] {
		mean, spread := math.Pow(10, -1.5+2*rng.Float64()), 1.5*rng.Float64()
		lengths[env], s.crowded[env] = rng.IntN(3), rng.IntN(2) > 0
		for _, e := range episodes(env, "m", "none", 10+rng.IntN(50), 20+rng.IntN(300)) {
			s.plan, cost[e] = append(s.plan, e), mean*math.Exp(spread*rng.NormFloat64())
		}
	}
	s.step = func(e *episode.Episode) float64 { return cost[e] }
	s.length = func(e *episode.Episode) int {
		switch limit := e.Condition.StepLimit; {
		case lengths[e.Condition.Env] == 0 || lengths[e.Condition.Env] == 1 && rng.IntN(3) > 0:
			return limit
		default:
			return 1 + rng.IntN(limit)
		}
	}
	if rng.IntN(3) == 0 {
		s.start = func(int) float64 { return math.Exp(1.2 * rng.NormFloat64()) }
	}
	return s
}

// From half of the time on, nine of ten estimates are right within a factor of two, whatever is played.
func TestETAOfAnyRun(t *testing.T) {
	right, all := 0, 0
	for i := range sharedtest.Times(t, 60, 3) {
		s := anySimulation(rand.New(rand.NewPCG(uint64(i), 7)))
		estimates, left := s.play()
		of, outside := 0, 0
		for k, e := range estimates {
			if left[k] > left[0]/2 || left[k] < left[0]/50 {
				continue
			}
			if of++; max(e.Seconds()/left[k].Seconds(), left[k].Seconds()/e.Seconds()) > 2 {
				outside++
			}
		}
		right, all = right+of-outside, all+of
		if 5*outside > of {
			t.Logf("run %d, %d at once: %d of %d outside, %v in all", i, s.concurrency, outside, of, left[0])
		}
	}
	t.Logf("%d of %d estimates are right within a factor of two", right, all)
	if 10*right < 9*all {
		t.Error("too many estimates are wrong")
	}
}
