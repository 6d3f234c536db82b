package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"heldout/eval/training/calls"
)

// tally shows the progress of items that are made by calls. Its methods are safe for
// concurrent use.
type tally struct {
	now     func() time.Time
	started time.Time
	display *display
	quiet   bool
	stop    chan struct{}
	stopped sync.WaitGroup

	mu                                sync.Mutex
	planned, done, failed, calls, tok int
}

// newTally starts to show the progress of so many items, or only counts if it is to
// be quiet.
func newTally(sys *system, planned int, quiet bool) *tally {
	t := &tally{now: sys.now, started: sys.now(), display: sys.display, quiet: quiet, stop: make(chan struct{}), planned: planned}
	if quiet {
		return t
	}
	every := lineEvery
	if sys.interactive {
		every = barEvery
	}
	t.stopped.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-t.stop:
				return
			case <-tick.C:
				t.display.show(t.line())
			}
		}
	})
	return t
}

// Call counts a call with a reply.
func (t *tally) Call(c *calls.Call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls++
	t.tok += c.PromptTokens + c.CompletionTokens
}

// Item counts an item that ended, with an error if a call has no reply.
func (t *tally) Item(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done++
	if err != nil {
		t.failed++
	}
}

// line describes the state, the most important facts first.
func (t *tally) line() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	parts := []string{fmt.Sprintf("%d/%d items", t.done, t.planned)}
	elapsed := t.now().Sub(t.started)
	if t.done > 0 && t.done < t.planned {
		left := time.Duration(float64(elapsed) / float64(t.done) * float64(t.planned-t.done))
		parts = append(parts, "ETA "+left.Round(time.Second).String())
	}
	if t.failed > 0 {
		parts = append(parts, fmt.Sprintf("%d without a result", t.failed))
	}
	parts = append(parts, fmt.Sprintf("%d calls", t.calls))
	if seconds := elapsed.Seconds(); t.tok > 0 && seconds > 0 {
		parts = append(parts, fmt.Sprintf("%.0f tokens/s", float64(t.tok)/seconds))
	}
	return strings.Join(parts, "  ")
}

// Finish shows a last line, which stays.
func (t *tally) Finish() {
	close(t.stop)
	t.stopped.Wait()
	if !t.quiet {
		t.display.note(t.line())
	}
}
