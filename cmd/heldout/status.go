package main

import (
	"sync"
	"time"

	"heldout/eval/progress"
	"heldout/scoring/record"
)

// statusEvery is how often a run writes its status for those who watch.
const statusEvery = time.Second

// broadcast writes the status of a run until the returned function is called. An
// error of a write changes nothing: nothing depends on the status, and what the
// disk lacks shows when an episode is recorded.
func broadcast(p *progress.Run, write func(*record.Status) error) (stop func()) {
	var writing sync.WaitGroup
	done := make(chan struct{})
	writing.Go(func() {
		tick := time.NewTicker(statusEvery)
		defer tick.Stop()
		for {
			_ = write(p.Status())
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
