package view

import (
	"errors"
	"net/url"
	"sync"
	"time"

	"heldout/eval/show/trajectory"
	"heldout/scoring"
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

	// opened is closed after the first reading, and noted after the first one that measures steps.
	opening, noting sync.Once
	opened, noted   chan struct{}

	mu         sync.Mutex
	index      *record.Index     // nil until it is needed
	measuring  *record.Measuring // nil until reasons of failures are asked for
	looked     time.Time         // when the index was brought up to date
	counted    int               // results that the summary counts
	summary    Summary
	cost       time.Duration // of making the summary
	summarized time.Time     // when the summary was made
}

// errReading says that the records of a run are being read.
var errReading = errors.New("the records are being read")

// open begins to read the run, once, as soon as there is a place among the readers.
func (r *shownRun) open(readers chan struct{}) {
	read(&r.opening, readers, r.opened, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		_ = r.update() // the next look tries again and tells
	})
}

// note begins to measure the steps of the run, once, and returns what is closed when lists know why attempts failed.
func (r *shownRun) note(readers chan struct{}) (noted <-chan struct{}) {
	read(&r.noting, readers, r.noted, func() {
		measuring := scoring.Measuring()
		index, _ := record.OpenNoted(r.parts, measuring, reasonOf)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.index, r.measuring, r.looked = index, measuring, time.Time{} // without an index, the next look tells why
	})
	return r.noted
}

// read reads once, in a place among the readers, and then closes done.
func read(once *sync.Once, readers, done chan struct{}, do func()) {
	once.Do(func() {
		go func() {
			readers <- struct{}{}
			defer func() { <-readers }()
			defer close(done)
			do()
		}()
	})
}

// reasonOf is the note of an index on why an attempt failed.
func reasonOf(r *record.Result, limit int, steps any) uint8 {
	return uint8(trajectory.ReasonOf(r.Outcome, steps.(*scoring.StepCounts).Counts, limit))
}

// ready is what is closed when the list of a page can be shown: some lists need the reasons of failures.
func (s *Server) ready(r *shownRun, query url.Values) <-chan struct{} {
	if trajectory.Order(query.Get("sort")).ByReason() || trajectory.ReadFilter(query.Get).Reason != "" {
		return r.note(s.readers)
	}
	return r.opened
}

// attemptsOf are the attempts of a run for a list.
func attemptsOf(results record.Results) trajectory.Attempts {
	return trajectory.Attempts{Count: results.Len(), Result: results.Result,
		Reason: func(i int) trajectory.Reason { return trajectory.Reason(results.Note(i)) }}
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

// look calls f with the index and a summary, both up to date, once the run is read. Nobody else uses them
// meanwhile. The error is errReading if that takes longer than patience.
func (r *shownRun) look(read <-chan struct{}, patience time.Duration, f func(*record.Index, Summary)) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-read:
	case <-late.C:
		return errReading
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.update()
	if err == nil {
		f(r.index, r.summary)
	}
	return err
}

// update reads what is new. A summary of many episodes takes longer to make, so it is made less often.
func (r *shownRun) update() (err error) {
	now := r.now()
	if r.index != nil && now.Sub(r.looked) < fresh {
		return nil
	}
	if r.index == nil {
		r.index, err = record.OpenNoted(r.parts, r.measuring, reasonOf)
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
		r.summary = summarize(r.parts.Parts, r.index, now)
		r.summarized = r.now()
		r.cost, r.counted = r.summarized.Sub(now), n
	}
	r.summary.setStatus(r.now())
	return nil
}
