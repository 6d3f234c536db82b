package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"heldout/eval"
	"heldout/eval/agent"
	"heldout/eval/record"
	"heldout/scoring/table"
)

// How often progress is shown: on a terminal, and in a log.
const (
	barEvery  = 200 * time.Millisecond
	lineEvery = 10 * time.Second
)

// progress shows how a run gets on: a bar on a terminal, a line now and then
// elsewhere. It is an eval.Observer.
type progress struct {
	stderr  io.Writer
	now     func() time.Time
	started time.Time
	total   int
	bar     *progressbar.ProgressBar // nil without a terminal
	stop    chan struct{}
	stopped sync.WaitGroup

	mu             sync.Mutex
	done, failures int
	tokens         int
	tallies        map[playing]*tally
	latest         playing // what the last result is of
}

// playing is what has rates of its own: those of different environments or
// players do not average to anything.
type playing struct{ env, model, perturbation string }

// tally counts results.
type tally struct{ results, successes, progress float64 }

// newProgress starts to show the progress of so many episodes.
func newProgress(sys *system, total int) *progress {
	p := &progress{stderr: sys.stderr, now: sys.now, started: sys.now(), total: total, stop: make(chan struct{}), tallies: map[playing]*tally{}}
	if total == 0 {
		return p
	}
	every := lineEvery
	if sys.interactive {
		every = barEvery
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(sys.stderr), progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true),
			progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(barEvery))
	}
	p.stopped.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-tick.C:
				p.show()
			}
		}
	})
	return p
}

// StepDone implements eval.Observer.
func (p *progress) StepDone(u agent.Usage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tokens += u.PromptTokens + u.CompletionTokens
}

// EpisodeDone implements eval.Observer.
func (p *progress) EpisodeDone(r record.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if !r.Outcome.Final() {
		p.failures++
		return
	}
	p.latest = playing{r.Env, r.Model, r.Perturbation}
	t := p.tallies[p.latest]
	if t == nil {
		t = &tally{}
		p.tallies[p.latest] = t
	}
	t.results++
	t.progress += r.Progress
	if r.Success {
		t.successes++
	}
}

// show brings the display up to date.
func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Describe(p.rates())
		_ = p.bar.Set(p.done) // a terminal that is gone is no reason to stop
		return
	}
	line := fmt.Sprintf("%d/%d episodes  %s", p.done, p.total, p.rates())
	fmt.Fprintln(p.stderr, strings.TrimSpace(line)+p.remaining())
}

// rates says how the run goes so far. Where different things are played, the
// rates are those of what was played last, and at the end there are none: the
// tables follow.
func (p *progress) rates() string {
	var parts []string
	t := p.tallies[p.latest]
	switch several := len(p.tallies) > 1; {
	case t == nil:
		parts = append(parts, "SR –  PR –")
	case !several || p.done < p.total:
		if several {
			parts = append(parts, p.latest.String())
		}
		parts = append(parts, fmt.Sprintf("SR %.1f  PR %.1f", 100*t.successes/t.results, 100*t.progress/t.results))
	}
	if seconds := p.now().Sub(p.started).Seconds(); p.tokens > 0 && seconds > 0 {
		parts = append(parts, fmt.Sprintf("%.0f tokens/s", float64(p.tokens)/seconds))
	}
	if p.failures > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", p.failures))
	}
	return strings.Join(parts, "  ")
}

// String names what is played.
func (p playing) String() string {
	text := p.env + " " + table.Printable(p.model)
	if p.perturbation != eval.NoPerturbation {
		text += " " + p.perturbation
	}
	return text
}

// remaining estimates the time that is left.
func (p *progress) remaining() string {
	if p.done == 0 || p.done == p.total {
		return ""
	}
	left := p.now().Sub(p.started) * time.Duration(p.total-p.done) / time.Duration(p.done)
	return "  ETA " + left.Round(time.Second).String()
}

// finish ends the display.
func (p *progress) finish() {
	close(p.stop)
	p.stopped.Wait()
	if p.total == 0 {
		return
	}
	if p.bar != nil {
		_ = p.bar.Finish()
		p.bar = nil
	}
	p.show()
}
