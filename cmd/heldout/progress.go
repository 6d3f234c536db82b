package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"

	"heldout/eval/agent"
	"heldout/eval/record"
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

	mu                      sync.Mutex
	done, results, failures int
	successes, progressSum  float64
	tokens                  int
}

// newProgress starts to show the progress of so many episodes.
func newProgress(sys *system, total int) *progress {
	p := &progress{stderr: sys.stderr, now: sys.now, started: sys.now(), total: total, stop: make(chan struct{})}
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
	p.results++
	p.progressSum += r.Progress
	if r.Success {
		p.successes++
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
	fmt.Fprintf(p.stderr, "%d/%d episodes  %s%s\n", p.done, p.total, p.rates(), p.remaining())
}

// rates says how the run goes so far.
func (p *progress) rates() string {
	text := "SR –  PR –"
	if p.results > 0 {
		n := float64(p.results)
		text = fmt.Sprintf("SR %.1f  PR %.1f", 100*p.successes/n, 100*p.progressSum/n)
	}
	if seconds := p.now().Sub(p.started).Seconds(); p.tokens > 0 && seconds > 0 {
		text += fmt.Sprintf("  %.0f tokens/s", float64(p.tokens)/seconds)
	}
	if p.failures > 0 {
		text += fmt.Sprintf("  %d failed", p.failures)
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
