// Package progress follows work while it goes on: how far it is, its rates so far, and
// how long it still takes. It shows nothing itself.
package progress

import (
	"cmp"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"heldout/envs"
	"heldout/eval"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/lengths"
	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Tracker is the progress of a run. It is an eval.Observer.
type Tracker struct {
	now         func() time.Time
	started     time.Time
	concurrency int // less than 1 if it changes
	processors  int
	// waits says for what calls wait, so that the steps so far do not tell the time that is
	// left; empty if they do not wait.
	waits func() string

	mu sync.Mutex
	// finished counts the episodes that had a result when the run began, done those that have ended since, and
	// failures how many of these have no result. Episodes that were stopped have not ended.
	finished, done, failures, stopped int
	// low and high count the episodes since: later trials depend on outcomes.
	low, high int
	tokens    int // of replies
	reasons   map[string]*failure
	// lastReason is why the latest episode without a result has none.
	lastReason string
	// ends are when the latest episodes ended, if they are played elsewhere: their steps do not show here.
	elsewhere bool
	ends      []time.Time
	paces     map[eval.EpisodeKind]*pace
	order     []eval.EpisodeKind // as planned
}

// NewRun returns the progress of a run that is so far, with so many episodes in flight; less than 1 if the number
// changes. waits says for what calls wait, and is empty if they do not.
func NewRun(due eval.Due, concurrency int, waits func() string, now func() time.Time) *Tracker {
	p := &Tracker{
		now: now, started: now(), concurrency: concurrency, waits: waits, finished: len(due.Finished),
		processors: runtime.GOMAXPROCS(0),
		low:        len(due.Missing), high: len(due.Missing), paces: map[eval.EpisodeKind]*pace{},
		reasons: map[string]*failure{},
	}
	for i := range due.Conditions {
		p.paceOf(&due.Conditions[i])
	}
	for _, e := range due.Missing {
		p.paceOf(e.Condition).planned++
		p.high += e.TrialsLeft()
	}
	for _, f := range due.Finished {
		pace := p.paceOf(f.Condition)
		pace.finished++
		pace.rate(f.Episode, f.Attempt.Outcome == record.Success)
	}
	return p
}

// paceOf is the pace of the episodes of a condition.
func (p *Tracker) paceOf(c *record.Condition) *pace {
	key := eval.NewEpisodeKind(c)
	if p.paces[key] == nil {
		p.paces[key] = &pace{Lengths: lengths.New(c.StepLimit), tasks: map[string]*sums{}, begun: map[string]*life{}}
		p.order = append(p.order, key)
	}
	return p.paces[key]
}

// PlayElsewhere says that other processes play the episodes.
func (p *Tracker) PlayElsewhere() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.elsewhere = true
}

// EpisodeBegun implements eval.Observer.
func (p *Tracker) EpisodeBegun(e *episode.Episode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.paces[eval.NewEpisodeKind(e.Condition)].begin(e.ID, p.now())
}

// StepDone implements eval.Observer.
func (p *Tracker) StepDone(e *episode.Episode, u agent.Usage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	pace := p.paces[eval.NewEpisodeKind(e.Condition)]
	if u.Repeated {
		pace.restart(e.ID, p.now())
		return
	}
	p.tokens += u.CompletionTokens
	pace.step(e.ID, p.now(), u.Latency, sharing(p.inOrder(), p.processors))
}

// EpisodeDone implements eval.Observer.
func (p *Tracker) EpisodeDone(e *episode.Episode, r record.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := eval.NewEpisodeKind(e.Condition)
	if r.Outcome == record.Cancelled {
		p.paces[key].cancel(r.ID)
		p.stopped++
		return
	}
	p.done++
	if p.elsewhere {
		p.ends = append(p.ends, p.now())
		p.ends = p.ends[max(0, len(p.ends)-mostEnds):]
	}
	p.paces[key].note(e, r, p.now())
	if e.NextTrial(r.Brief()) != nil {
		p.low++
		p.paces[key].planned++
	} else {
		p.high -= e.TrialsLeft()
	}
	if !r.Outcome.Final() {
		p.failures++
		p.fail(r)
	}
}

// Line has the totals of the run, the most important first, because a terminal may cut it.
func (p *Tracker) Line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.line()
}

func (p *Tracker) line() string {
	results := p.done - p.failures // since the start
	parts := []string{fmt.Sprintf("%d/%s episodes", p.finished+results, p.total())}
	seconds := p.now().Sub(p.started).Seconds()
	if results > 0 && seconds > 0 {
		parts = append(parts, frequency(float64(results)/seconds))
	}
	if wait := p.waits(); wait != "" {
		parts = append(parts, wait)
	} else if rest, ok := p.remaining(); ok {
		eta := "ETA "
		if p.high > p.low {
			eta += "at least "
		}
		parts = append(parts, eta+rest.Round(time.Second).String())
		if place := p.computing(); place != "" {
			parts = append(parts, fmt.Sprintf("waiting for %s (CPU)", envs.Title(place)))
		}
	}
	if p.failures > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", p.failures))
	}
	if p.stopped > 0 {
		parts = append(parts, fmt.Sprintf("%d stopped", p.stopped))
	}
	if p.tokens > 0 && seconds > 0 {
		parts = append(parts, fmt.Sprintf("%.0f reply tokens/s", float64(p.tokens)/seconds))
	}
	if p.lastReason != "" {
		parts = append(parts, "last failure: "+p.lastReason)
	}
	return strings.Join(parts, "  ")
}

// mostlyLocal is the share of time from which the processors of this machine are what episodes wait for.
const mostlyLocal = 0.5

// computing is the environment whose worlds this machine computes, if all episodes that are left belong to it and
// mostly wait for that; empty if not.
func (p *Tracker) computing() (place string) {
	for key, pace := range p.paces {
		switch {
		case pace.planned <= pace.done:
		case place != "" && place != key.Env, pace.local() < mostlyLocal:
			return ""
		default:
			place = key.Env
		}
	}
	if len(p.paces) < 2 {
		return ""
	}
	return place
}

// State differs from the one before when a log should say how far the run is: all episodes of
// a condition have ended, a new reason of failures came up, or calls wait or go on.
func (p *Tracker) State() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	complete := 0
	for _, pace := range p.paces {
		if pace.done == pace.planned {
			complete++
		}
	}
	return fmt.Sprint(complete, len(p.reasons), p.waits())
}

// total is the number of episodes, or the least and the most.
func (p *Tracker) total() string {
	low, high := p.finished+p.low, p.finished+p.high
	if high > low {
		return fmt.Sprintf("%d-%d", low, high)
	}
	return fmt.Sprint(low)
}

// frequency writes episodes per second, or per minute if they are few.
func frequency(perSecond float64) string {
	if perSecond < 1 {
		return fmt.Sprintf("%.1f/min", 60*perSecond)
	}
	return fmt.Sprintf("%.1f/s", perSecond)
}

func (p *Tracker) remaining() (time.Duration, bool) {
	if p.elsewhere {
		return p.remainingElsewhere()
	}
	return remaining(p.inOrder(), p.processors, p.now())
}

func (p *Tracker) inOrder() []*pace {
	paces := make([]*pace, len(p.order))
	for i, kind := range p.order {
		paces[i] = p.paces[kind]
	}
	return paces
}

// An estimate from the ends of episodes needs so many, and uses the latest ones.
const fewestEnds, mostEnds = 8, 512

// remainingElsewhere is remaining for episodes that other processes play: those that
// are left come at the rate of the latest ones.
func (p *Tracker) remainingElsewhere() (time.Duration, bool) {
	if len(p.ends) < fewestEnds || p.done >= p.low {
		return 0, false
	}
	span := p.now().Sub(p.ends[0])
	return time.Duration(float64(span) * float64(p.low-p.done) / float64(len(p.ends)-1)), true
}

func (p *Tracker) inFlight() int {
	if p.concurrency >= 1 {
		return p.concurrency
	}
	return max(1, inFlight(p.inOrder()))
}

// Status is how far the run is.
func (p *Tracker) Status() *record.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &record.Status{
		Updated: p.now().UTC(), Started: p.started.UTC(), Concurrency: p.inFlight(),
		Planned: p.low, MaxPlanned: p.high, Done: p.done, Failed: p.failures, Tokens: p.tokens,
		InFlight: []record.InFlight{},
	}
	if rest, ok := p.remaining(); ok {
		s.RemainingSeconds = new(rest.Seconds())
	}
	for _, pace := range p.paces {
		for id, steps := range pace.Running {
			s.InFlight = append(s.InFlight, record.InFlight{ID: id, Steps: steps, Started: pace.begun[id].began.UTC()})
		}
	}
	slices.SortFunc(s.InFlight, func(a, b record.InFlight) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID))
	})
	if n := len(s.InFlight); n > record.MaxInFlight {
		s.InFlight, s.Others = s.InFlight[:record.MaxInFlight], n-record.MaxInFlight
	}
	return s
}

// failure is a reason why episodes ended without a result.
type failure struct {
	text     string // of the first
	episodes int
}

// mostOfLine is how much of a reason stands in the line of totals, in bytes.
const mostOfLine = 80

// mostOfReason is how long a reason may be, in bytes.
const mostOfReason = 300

var numbers = regexp.MustCompile(`[0-9]+`)

// fail notes why an episode has no result. Reasons that differ in numbers only are one.
func (p *Tracker) fail(r record.Result) {
	line, _, _ := strings.Cut(r.Error, "\n")
	text := strings.ReplaceAll(string(r.Outcome), "_", " ")
	if line != "" {
		text += ": " + line
	}
	key := numbers.ReplaceAllString(text, "")
	if p.reasons[key] == nil {
		p.reasons[key] = &failure{text: table.Printable(table.Abridged(text, mostOfReason))}
	}
	p.reasons[key].episodes++
	p.lastReason = table.Abridged(p.reasons[key].text, mostOfLine)
}

// Failures gives all reasons why episodes ended without a result since the run began, the most frequent first.
func (p *Tracker) Failures() (lines []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var reasons []*failure
	for _, f := range p.reasons {
		reasons = append(reasons, f)
	}
	slices.SortFunc(reasons, func(a, b *failure) int {
		return cmp.Or(cmp.Compare(b.episodes, a.episodes), cmp.Compare(a.text, b.text))
	})
	for _, f := range reasons {
		lines = append(lines, fmt.Sprintf("%s without a result: %s", table.Counted(f.episodes, "episode"), f.text))
	}
	return lines
}
