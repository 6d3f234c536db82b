package view

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"heldout/eval/show/trajectory"
	"heldout/scoring/record"
)

// reasons are why the attempts of a run were not solved. Their steps are read once, beside other work.
type reasons struct {
	mu      sync.Mutex
	results record.Results      // of the attempts that are read, or being read
	list    []trajectory.Reason // of the first of them
	pass    *pass               // nil while nothing is read
}

// pass is one reading of steps.
type pass struct {
	end chan struct{} // closed at its end
	err error         // to be read after that
}

// stillReading is the error of a page that must wait for a reading.
type stillReading struct{ text string }

func (e *stillReading) Error() string { return e.text }

// wait returns the reasons of attempts once all are read. It begins to read them, and waits no longer than ctx.
func (r *reasons) wait(ctx context.Context, s *Server, results record.Results) ([]trajectory.Reason, error) {
	for {
		found, working := r.begin(s, results)
		if working == nil {
			return found, nil
		}
		select {
		case <-working.end:
			if working.err != nil {
				return nil, working.err
			}
		case <-ctx.Done():
			return nil, &stillReading{fmt.Sprintf("the steps of the episodes are being read, %d of %d so far",
				len(found), results.Len())}
		}
	}
}

// begin returns the reasons that are known, with the pass that reads the others; nil if these are all.
func (r *reasons) begin(s *Server, results record.Results) ([]trajectory.Reason, *pass) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !results.Continues(r.results) && !r.results.Continues(results) {
		r.list, r.pass = nil, nil // other files are there
	}
	if n := results.Len(); len(r.list) >= n {
		return r.list[:n:n], nil
	}
	if r.pass == nil {
		r.results, r.pass = results, &pass{end: make(chan struct{})}
		go r.read(s, results, len(r.list), r.pass)
	}
	return r.list, r.pass
}

// read reads the attempts from one of them on, part by part.
func (r *reasons) read(s *Server, results record.Results, first int, own *pass) {
	defer close(own.end)
	for current := true; current; {
		s.readers <- struct{}{}
		part, err := reasonsOf(s.closing, results, first, min(first+searchPart, results.Len()))
		<-s.readers
		first += len(part)
		current = r.add(own, part, err, first == results.Len())
	}
}

// add adds what a part of a pass has given, and reports whether the pass goes on.
func (r *reasons) add(own *pass, part []trajectory.Reason, err error, end bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if own.err = err; r.pass != own {
		return false
	}
	if err == nil {
		r.list = append(r.list, part...)
	}
	if err != nil || end {
		r.pass = nil
	}
	return r.pass != nil
}

// reasonsOf reads those of the attempts between two numbers that failed. What cannot be read has no reason.
func reasonsOf(ctx context.Context, results record.Results, first, end int) ([]trajectory.Reason, error) {
	var failed []int
	for i := first; i < end; i++ {
		if results.Outcome(i) == record.Failure {
			failed = append(failed, i)
		}
	}
	out := make([]trajectory.Reason, end-first)
	_, err := record.Search(ctx, placesOf(results, failed), "", func(n int, e *record.Episode) bool {
		out[failed[n]-first] = trajectory.SignsOf(e).Reason(&e.Result, results.StepLimit(failed[n]))
		return true
	})
	return out, err
}

// attempts are those of a run. A list that is filtered or sorted by reasons waits for them, and one that is
// sorted by them cannot do without.
func (s *Server) attempts(ctx context.Context, r *shownRun, results record.Results, f trajectory.Filter,
	o trajectory.Order) (a trajectory.Attempts, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.ByReason() || f.Reason != "" {
		ctx, cancel = context.WithTimeout(ctx, r.patience)
		defer cancel()
	} else {
		cancel() // it only begins
	}
	a.Count, a.Result = results.Len(), results.Result
	a.Reasons, err = r.reasons.wait(ctx, s, results)
	if late := (*stillReading)(nil); errors.As(err, &late) && !o.ByReason() {
		err = nil
	}
	return a, err
}
