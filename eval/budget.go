package eval

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"heldout/configs"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/lengths"
	"heldout/scoring/record"
)

// Budget bounds what a run takes; zero values bound nothing. No episode begins that is
// expected to pass a bound together with those in flight, which play on to their ends.
type Budget struct {
	// Tokens is the largest number of tokens of prompts and replies, and Dollars the most
	// that they may cost at Prices, since the run directory was made.
	Tokens  int
	Dollars float64
	Prices  configs.Prices
	// Time is the longest that this session may last.
	Time time.Duration
}

// BudgetError says that a budget ended a session. What was played is on disk.
type BudgetError struct{ Rule string }

func (e *BudgetError) Error() string { return "stopped by " + e.Rule }

type budgetVerdict int

const (
	begin    budgetVerdict = iota
	postpone               // when more is known, or when episodes in flight have ended
	never                  // in this session
)

// purse keeps a budget. It is an Observer that passes on what it sees, and safe for concurrent use.
type purse struct {
	Observer
	limits []*limit
	now    func() time.Time
	time   time.Duration // 0 without a bound of time
	ends   time.Time
	// wake is called when an episode that was to begin later may begin.
	wake func()
	fail func(error)

	mu      sync.Mutex
	longest map[EpisodeKind]time.Duration // that an episode took, with a bound of time
	rule    string                        // that ended the session; empty for none
}

// newPurse returns a purse from which earlier attempts have been paid. A nil purse has no bounds.
func newPurse(o *Options, attempts []record.Attempt, wake func(), fail func(error)) *purse {
	b := o.Budget
	p := &purse{Observer: o.Observer, now: o.Now, time: b.Time, ends: o.Now().Add(b.Time),
		wake: wake, fail: fail, longest: map[EpisodeKind]time.Duration{}}
	if b.Tokens > 0 {
		rate := func(string) configs.Price { return configs.Price{Input: 1e6, Output: 1e6} }
		p.limits = append(p.limits, newLimit(fmt.Sprintf("--set budget-tokens=%d", b.Tokens), float64(b.Tokens), rate))
	}
	if b.Dollars > 0 {
		price := func(model string) configs.Price { cost, _ := b.Prices.Lookup(model); return cost }
		p.limits = append(p.limits, newLimit(fmt.Sprintf("--budget-usd %g", b.Dollars), b.Dollars, price))
	}
	if len(p.limits) == 0 && b.Time == 0 {
		return nil
	}
	for _, l := range p.limits {
		for i := range attempts {
			a := &attempts[i]
			l.spent += l.rate(a.Model).Dollars(int(a.PromptTokens), int(a.CachedTokens), int(a.CompletionTokens))
		}
	}
	return p
}

// take says whether an episode may begin, and counts it as begun if it may.
func (p *purse) take(e *episode.Episode) budgetVerdict {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rule != "" {
		return never
	}
	if p.time > 0 && p.now().Add(p.longest[NewEpisodeKind(e.Condition)]).After(p.ends) {
		p.rule = fmt.Sprintf("--set budget-time=%v", p.time)
		return never
	}
	if e.Condition.Decoding == nil {
		return begin // it calls no model
	}
	for _, l := range p.limits {
		switch v := l.may(e); {
		case v == never:
			p.rule = l.name
			return v
		case v == postpone:
			return v
		}
	}
	for _, l := range p.limits {
		l.begin(e)
	}
	return begin
}

// StepDone implements Observer.
func (p *purse) StepDone(e *episode.Episode, u agent.Usage) {
	p.mu.Lock()
	news := false
	for _, l := range p.limits {
		cost := l.rate(e.Condition.Model).Dollars(u.PromptTokens-u.Counted.PromptTokens,
			u.CachedTokens-u.Counted.CachedTokens, u.CompletionTokens-u.Counted.CompletionTokens)
		news = l.step(e, cost) || news
	}
	p.mu.Unlock()
	if news {
		p.wake()
	}
	p.Observer.StepDone(e, u)
}

// end notes that an episode has ended, as EpisodeDone does if it was not noted before.
func (p *purse) end(e *episode.Episode, r *record.Result) {
	if p == nil {
		return
	}
	a := r.Brief()
	p.mu.Lock()
	for _, l := range p.limits {
		l.end(e, r, l.rate(a.Model).Dollars(int(a.PromptTokens), int(a.CachedTokens), int(a.CompletionTokens)))
	}
	k := NewEpisodeKind(e.Condition)
	p.longest[k] = max(p.longest[k], r.Ended.Sub(r.Started))
	p.mu.Unlock()
	p.wake()
}

// EpisodeDone implements Observer.
func (p *purse) EpisodeDone(e *episode.Episode, r record.Result) {
	p.end(e, &r)
	if len(p.limits) > 0 && r.Outcome.Final() && r.Calls > 0 && r.PromptTokens+r.CompletionTokens == 0 {
		p.fail(fmt.Errorf("the server of %s does not report how many tokens it uses, which --set budget-tokens and "+
			"--budget-usd need; use --set budget-time", r.Model))
	}
	p.Observer.EpisodeDone(e, r)
}

// ended returns a *BudgetError if a bound ended the session.
func (p *purse) ended() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.rule == "" {
		return nil
	}
	return &BudgetError{p.rule}
}

// EpisodeKind is what episodes have in common that take about the same. An average over different kinds has no meaning.
type EpisodeKind struct{ Env, Preset, Model, Perturbation string }

// NewEpisodeKind returns the kind of the episodes of a condition.
func NewEpisodeKind(c *record.Condition) EpisodeKind {
	return EpisodeKind{c.Env, c.Preset.Key(), c.Model, c.Perturbation}
}

// limit is a bound of the sum of what calls take, in tokens or dollars.
type limit struct {
	name  string
	bound float64
	rate  func(model string) configs.Price
	spent float64
	kinds map[EpisodeKind]*expense
	paid  map[string]float64 // by the episodes in flight
}

func newLimit(name string, bound float64, rate func(string) configs.Price) *limit {
	return &limit{name: name, bound: bound, rate: rate, kinds: map[EpisodeKind]*expense{}, paid: map[string]float64{}}
}

func (l *limit) kind(e *episode.Episode) *expense {
	key := NewEpisodeKind(e.Condition)
	if l.kinds[key] == nil {
		steps := max(1, e.Condition.StepLimit)
		l.kinds[key] = &expense{lengths.New(steps), make([]float64, steps), make([]int, steps)}
	}
	return l.kinds[key]
}

// may says whether an episode may begin. Nothing is known of a kind before its first
// replies, which one episode waits for.
func (l *limit) may(e *episode.Episode) budgetVerdict {
	k := l.kind(e)
	if !k.measured() && len(k.Running) > 0 {
		return postpone
	}
	needed := l.spent + k.next()
	for _, kind := range l.kinds {
		needed += kind.inFlight()
	}
	switch {
	case needed < l.bound:
		return begin
	case len(l.paid) > 0:
		return postpone
	}
	return never
}

func (l *limit) begin(e *episode.Episode) {
	l.kind(e).Running[e.ID] = 0
	l.paid[e.ID] = 0
}

// step adds a step; news says that others of its kind waited for it.
func (l *limit) step(e *episode.Episode, cost float64) (news bool) {
	if _, begun := l.paid[e.ID]; !begun {
		return false
	}
	k := l.kind(e)
	news = !k.measured()
	k.step(e.ID, cost)
	l.paid[e.ID] += cost
	l.spent += cost
	return news && k.measured()
}

// end adds what the steps of an episode did not tell, such as its reflection.
func (l *limit) end(e *episode.Episode, r *record.Result, total float64) {
	paid, begun := l.paid[e.ID]
	if !begun {
		return
	}
	k, rest := l.kind(e), total-paid
	if did := k.Running[e.ID]; did < r.Steps { // it was played elsewhere
		for range r.Steps - did {
			k.step(e.ID, rest/float64(r.Steps-did))
		}
	}
	delete(l.paid, e.ID)
	l.spent += rest
	if r.Outcome.Final() {
		k.End(e.ID, r.Steps)
	} else {
		delete(k.Running, e.ID)
	}
}

// expense estimates what episodes of a kind take. Later steps take more than earlier ones, because prompts grow.
type expense struct {
	*lengths.Lengths
	sum   []float64 // of the costs of first, second, … steps
	count []int
}

// measured reports whether there is anything to estimate from: two steps say how prompts
// grow, and episodes that have ended may have had only one.
func (x *expense) measured() bool {
	return x.count[min(1, x.Limit-1)] > 0 || slices.ContainsFunc(x.Ended, func(n int) bool { return n > 0 })
}

func (x *expense) step(id string, cost float64) {
	i := min(x.Running[id], x.Limit-1)
	x.sum[i] += cost
	x.count[i]++
	x.Running[id]++
}

// costs returns the mean costs of first, second, … steps. They grow on in a straight line
// beyond those that are known.
func (x *expense) costs() []float64 {
	costs := make([]float64, x.Limit)
	n := 0
	for n < x.Limit && x.count[n] > 0 {
		costs[n] = x.sum[n] / float64(x.count[n])
		n++
	}
	growth := 0.0
	if n > 1 {
		growth = max(0, (costs[n-1]-costs[0])/float64(n-1))
	}
	for i := max(1, n); i < x.Limit; i++ {
		costs[i] = costs[i-1] + growth
	}
	return costs
}

// rest returns what an episode is expected to take after 0, 1, … steps, if it goes on.
func (x *expense) rest() []float64 {
	costs, survival := x.costs(), x.Survival()
	rest := make([]float64, x.Limit+1)
	for steps := x.Limit - 1; steps >= 0; steps-- {
		if survival[steps] > 0 {
			rest[steps] = costs[steps] + rest[steps+1]*survival[steps+1]/survival[steps]
		}
	}
	return rest
}

// next is what another episode is expected to take; 0 if nothing is known.
func (x *expense) next() float64 { return x.rest()[0] }

func (x *expense) inFlight() (cost float64) {
	if len(x.Running) == 0 {
		return 0
	}
	rest := x.rest()
	for _, steps := range x.Running {
		cost += rest[min(steps, x.Limit)]
	}
	return cost
}
