package main

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"heldout/scoring/record"
)

// statusEvery is how often a run writes its status for those who watch.
const statusEvery = time.Second

// broadcast writes the status of a run until the returned function is called. An
// error of a write changes nothing: nothing depends on the status, and what the
// disk lacks shows when an episode is recorded.
func broadcast(p *progress, write func(*record.Status) error) (stop func()) {
	var writing sync.WaitGroup
	done := make(chan struct{})
	writing.Go(func() {
		tick := time.NewTicker(statusEvery)
		defer tick.Stop()
		for {
			_ = write(p.status())
			select {
			case <-done:
				return
			case <-tick.C:
			}
		}
	})
	return func() {
		close(done)
		writing.Wait()
	}
}

// status is how far the run is.
func (p *progress) status() *record.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := &record.Status{
		Updated: p.now().UTC(), Started: p.started.UTC(), Concurrency: p.inFlight(),
		Planned: p.least, Most: p.most, Done: p.done, Failed: p.failures, Tokens: p.tokens, InFlight: []record.InFlight{},
	}
	if left, ok := p.remaining(); ok {
		seconds := left.Seconds()
		s.RemainingSeconds = &seconds
	}
	for _, pace := range p.paces {
		for id, steps := range pace.running {
			s.InFlight = append(s.InFlight, record.InFlight{ID: id, Steps: steps, Started: pace.begun[id].UTC()})
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
