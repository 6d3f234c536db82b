package eval

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// spendthrift plays a plan in simulated time: one step of every episode in flight, and
// then the next. It returns what was spent and which
// episodes ended.
type spendthrift struct {
	plan        []*episode.Episode
	concurrency int
	length      func(*episode.Episode, *rand.Rand) int
}

func (s spendthrift) play(o Options) (tokens int, ended []string, err error) {
	o.Observer, o.Now = nobody{}, func() time.Time { return time.Time{} }
	p := newPurse(&o, nil, func() {}, func(e error) { err = e })
	type playing struct {
		e                 *episode.Episode
		steps, most, paid int
	}
	r := rand.New(rand.NewPCG(1, 2))
	var flights []*playing
	for next := 0; ; {
		for len(flights) < s.concurrency && next < len(s.plan) && p.take(s.plan[next]) == begin {
			flights = append(flights, &playing{e: s.plan[next], most: s.length(s.plan[next], r)})
			next++
		}
		if len(flights) == 0 {
			return tokens, ended, err
		}
		going := flights[:0]
		for _, f := range flights {
			cost := 500 + 60*f.steps // prompts grow
			f.steps++
			f.paid += cost
			tokens += cost
			p.StepDone(f.e, agent.Usage{Usage: record.Usage{PromptTokens: cost}})
			if f.steps < f.most {
				going = append(going, f)
				continue
			}
			ended = append(ended, f.e.ID)
			p.EpisodeDone(f.e, record.Result{ID: f.e.ID, Model: "m", Outcome: record.Failure, Steps: f.steps,
				Calls: f.steps, PromptTokens: f.paid})
		}
		flights = going
	}
}

// However long episodes are, a budget is used up to a few episodes and is not passed by
// much. The worst case is that all in flight turn out to be long.
func TestBudgetTokens(t *testing.T) {
	plan := planOf(map[string]int{"ax": 2000, "by": 2000}, 1)
	for i := range plan {
		c := *plan[i].Condition
		c.Decoding, c.StepLimit = &record.Decoding{}, 30
		plan[i].Condition = &c
	}
	for name, length := range map[string]func(*episode.Episode, *rand.Rand) int{
		"all fail":      func(*episode.Episode, *rand.Rand) int { return 30 },
		"any length":    func(_ *episode.Episode, r *rand.Rand) int { return 1 + r.IntN(30) },
		"short or long": func(_ *episode.Episode, r *rand.Rand) int { return []int{4, 30}[r.IntN(2)] },
		"mostly short":  func(_ *episode.Episode, r *rand.Rand) int { return []int{3, 4, 5, 30}[r.IntN(4)] },
	} {
		for _, concurrency := range []int{1, 8, 64, 256} {
			const most = 12_000_000
			s := spendthrift{plan: plan, concurrency: concurrency, length: length}
			tokens, ended, err := s.play(Options{Budget: Budget{Tokens: most}})
			over := 100 * float64(tokens-most) / most
			t.Logf("%s, %d in flight: %+.2f %% of the budget, %d episodes", name, concurrency, over, len(ended))
			if err != nil || over > 1 || over < -2 {
				t.Errorf("%s, %d in flight: %d tokens of %d: %v", name, concurrency, tokens, most, err)
			}
		}
	}
}

// A run that a budget stops is a fair, smaller run: over 200 of them, its rate is the rate of
// the whole run on average, although solved episodes are short, and the interval of the
// smaller run holds the rate of the whole in at least 95 of 100.
func TestStoppedRunIsFair(t *testing.T) {
	runs := sharedtest.Times(t, 200, 40)
	bias, covered := 0.0, 0
	for run := range runs {
		r := rand.New(rand.NewPCG(uint64(run), 7))
		plan := planOf(map[string]int{"ax": 150, "ay": 50, "bx": 100, "by": 300}, 1)
		chance := map[string]float64{"ax": 0.9, "ay": 0.1, "bx": 0.5, "by": 0.2}
		c := record.Condition{Decoding: &record.Decoding{}, StepLimit: 30}
		solved, whole := map[string]bool{}, 0.0
		for i := range plan {
			e := plan[i]
			c := c
			c.Env, c.Model = e.Condition.Env, e.Condition.Model
			e.Condition = &c
			solved[e.ID] = r.Float64() < chance[c.Env+e.Task.Type]
			if solved[e.ID] {
				whole += 1 / float64(len(plan))
			}
		}
		length := func(e *episode.Episode, r *rand.Rand) int {
			if solved[e.ID] {
				return 2 + r.IntN(12)
			}
			return 30
		}
		s := spendthrift{plan: InPlayingOrder(plan), concurrency: 32, length: length}
		_, ended, err := s.play(Options{Budget: Budget{Tokens: 6_000_000}})
		if err != nil {
			t.Fatal(err)
		}
		rate := 0.0
		for _, e := range ended {
			if solved[e] {
				rate += 1 / float64(len(ended))
			}
		}
		bias += (rate - whole) / float64(runs)
		if math.Abs(rate-whole) < 1.96*math.Sqrt(rate*(1-rate)/float64(len(ended))) {
			covered++
		}
	}
	t.Logf("bias %+.2f points, %d of %d intervals hold the rate of the whole run", 100*bias, covered, runs)
	if math.Abs(bias) > 0.015 || covered < runs*95/100 {
		t.Errorf("bias %+.2f points, %d of %d intervals hold the rate of the whole run", 100*bias, covered, runs)
	}
}

// No episode begins that may not end in time, going by the longest so far.
func TestBudgetTime(t *testing.T) {
	now := time.Unix(0, 0)
	o := Options{Observer: nobody{}, Now: func() time.Time { return now }, Budget: Budget{Time: time.Minute}}
	p := newPurse(&o, nil, func() {}, func(error) {})
	e := planOf(map[string]int{"ax": 1}, 1)[0]
	if v := p.take(e); v != begin {
		t.Fatal(v)
	}
	p.EpisodeDone(e, record.Result{ID: e.ID, Outcome: record.Failure, Started: now, Ended: now.Add(20 * time.Second)})
	now = now.Add(40 * time.Second)
	sharedtest.Equal(t, p.take(e), begin)
	now = now.Add(time.Second)
	if v, err := p.take(e), p.ended(); v != never || err == nil || err.Error() != "stopped by --set budget-time=1m0s" {
		t.Error(v, err)
	}
}
