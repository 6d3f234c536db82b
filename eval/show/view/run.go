package view

import (
	"fmt"
	"sync"
	"time"

	"heldout/scoring/record"
)

// fresh is how long what was read of a run is good enough, at least.
const fresh = time.Second

// shownRun is a run that is shown.
type shownRun struct {
	name     string // in addresses
	parts    record.Chosen
	now      func() time.Time
	patience time.Duration // for the first reading

	opening sync.Once
	opened  chan struct{} // closed after the first reading

	mu         sync.Mutex
	index      *record.Index // nil until it is needed
	looked     time.Time     // when the index was brought up to date
	counted    int           // results that the summary counts
	summary    Summary
	cost       time.Duration // of making the summary
	summarized time.Time     // when the summary was made

	reasons reasons
}

// errReading says that the records of a run are being read.
var errReading = &stillReading{"the records are being read"}

// open begins to read the run, once, as soon as there is a place among the readers.
func (r *shownRun) open(readers chan struct{}) {
	r.opening.Do(func() {
		go func() {
			readers <- struct{}{}
			defer func() { <-readers }()
			r.mu.Lock()
			defer r.mu.Unlock()
			defer close(r.opened)
			_ = r.update() // the next look tries again and tells
		}()
	})
}

// isOpen reports whether the first reading has ended.
func (r *shownRun) isOpen() bool {
	select {
	case <-r.opened:
		return true
	default:
		return false
	}
}

// look calls f with the index and a summary, both up to date. Nobody else uses them
// meanwhile. The error is errReading if the first reading takes long.
func (r *shownRun) look(f func(*record.Index, Summary) error) error {
	late := time.NewTimer(r.patience)
	defer late.Stop()
	select {
	case <-r.opened:
	case <-late.C:
		return errReading
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.update(); err != nil {
		return err
	}
	return f(r.index, r.summary)
}

// update reads what is new. A summary of many episodes takes longer to make, so it
// is made less often.
func (r *shownRun) update() (err error) {
	now := r.now()
	if r.index != nil && now.Sub(r.looked) < fresh {
		return nil
	}
	if r.index == nil {
		r.index, err = record.OpenIndex(r.parts)
	} else {
		err = r.index.Update()
	}
	if err != nil {
		r.index = nil // half of it may be new
		return err
	}
	r.looked = now
	const share = 20 // of the time, at most, goes into summaries
	if n := r.index.Results().Len(); r.summarized.IsZero() || n != r.counted && now.Sub(r.summarized) > share*r.cost {
		if r.summary, err = summarize(r.parts.Parts, r.index, now); err != nil {
			return fmt.Errorf("%s: %w", r.parts.Name(), err)
		}
		r.summarized = r.now()
		r.cost, r.counted = r.summarized.Sub(now), n
	}
	r.summary.setStatus(r.now())
	return nil
}
