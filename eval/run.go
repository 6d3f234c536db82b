package eval

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/scoring/record"
)

// Options say how a plan is carried out; they do not change the results.
type Options struct {
	// Concurrency is the number of episodes in flight, at least 1; AutoConcurrency
	// finds the number at which the rate of model calls no longer grows.
	Concurrency int
	// Ceiling is how many times their latency at the beginning calls may take with
	// AutoConcurrency; 0 for any.
	Ceiling float64
	// Full says, with AutoConcurrency, why the servers are full, "" if they are not
	// known to be; nil if nobody knows. Its calls do not overlap.
	Full func(context.Context) string
	// Now tells the time.
	Now func() time.Time
	// Budget bounds what the run takes.
	Budget Budget
	// Observer receives the events of the run; nil for none.
	Observer Observer
	// AllowUnusable continues with a model even if none of its first replies is
	// usable, and counts its episodes as failures.
	AllowUnusable bool
	// Warn receives a one-line warning about replies that make the rates less
	// meaningful; nil for none. Run calls it from many goroutines.
	Warn func(line string)
	// Elsewhere plays the episodes; nil plays them in this process. Concurrency is
	// then the number of episodes that are ordered and not back.
	Elsewhere Elsewhere
}

// Observer receives the events of a run. Run calls its methods from many
// goroutines.
type Observer interface {
	// EpisodeBegun reports an episode that begins.
	EpisodeBegun(*episode.Episode)
	// StepDone reports a step of an episode and its usage.
	StepDone(*episode.Episode, agent.Usage)
	// EpisodeDone reports an attempt that is on disk.
	EpisodeDone(*episode.Episode, record.Result)
}

func (o Options) note(line string) {
	if o.Warn != nil {
		o.Warn(line)
	}
}

// climbing is an Observer that also lets a climb see the model calls.
type climbing struct {
	Observer
	climb *climb
}

// StepDone implements Observer.
func (c climbing) StepDone(e *episode.Episode, u agent.Usage) {
	c.climb.step(u)
	c.Observer.StepDone(e, u)
}

// nobody is the Observer that ignores all events.
type nobody struct{}

func (nobody) EpisodeBegun(*episode.Episode)               {}
func (nobody) StepDone(*episode.Episode, agent.Usage)      {}
func (nobody) EpisodeDone(*episode.Episode, record.Result) {}

// Run plays the episodes of a plan that have no result in the store yet, and the
// trials that become due. Every attempt is on disk before it counts. When ctx is
// cancelled, the episodes in flight end as cancelled and Run returns ctx's error. An
// error that would also stop every further episode, such as an unknown model, ends
// the run. A model without a usable reply ends it with an *UnusableError, and a budget
// with a *BudgetError.
func Run(ctx context.Context, p *Plan, s *record.Store, o Options) error {
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	todo := p.Due(s.Attempts)
	w := newWatch(o, s.Attempts)
	runCtx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	slots := max(1, o.Concurrency)
	due := newAgenda(todo.Missing, slots)
	if o.Concurrency == AutoConcurrency {
		slots = MostInFlight
		c := newClimb(o.Ceiling, due.setLimit, due.playing, o.note, o.Now)
		if o.Full != nil {
			c.full = func() string { return o.Full(runCtx) }
		}
		o.Observer = climbing{o.Observer, c}
	}
	purse := newPurse(&o, s.Attempts, due.wake, stop)
	if purse != nil {
		o.Observer, due.may = purse, purse.take
	}
	defer context.AfterFunc(runCtx, due.stop)()
	pool := pool{due, todo.Attempts, s, &o, w, stop}
	var workers errgroup.Group
	for range min(slots, len(todo.Missing)) {
		workers.Go(func() error { return pool.work(runCtx) })
	}
	err := workers.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	case context.Cause(runCtx) != nil:
		return context.Cause(runCtx)
	}
	return cmp.Or(w.verdict(), purse.ended())
}

type pool struct {
	due      *agenda
	attempts map[string]int // made before, by episode
	store    *record.Store
	o        *Options
	watch    *watch
	stop     context.CancelCauseFunc // ends the run
}

// work plays one episode after the other. An attempt goes to disk while the next one
// is played, so that no model server waits for a disk; one with a fault goes first,
// because it may end the run.
func (p *pool) work(ctx context.Context) error {
	var recording errgroup.Group
	for {
		e := p.due.take()
		if e == nil || ctx.Err() != nil {
			return recording.Wait()
		}
		rec, ack, cause := p.play(ctx, e, p.attempts[e.ID]+1)
		p.due.release()
		if err := recording.Wait(); err != nil || rec == nil {
			return cmp.Or(err, ctx.Err())
		}
		recording.Go(func() error {
			next, err := p.record(e, rec, cause, ack)
			if err != nil {
				p.stop(err)
			}
			p.due.done(next)
			return err
		})
		if cause != nil {
			if err := recording.Wait(); err != nil {
				return err
			}
		}
	}
}

// play makes one attempt, here or elsewhere; nil if ctx is cancelled.
func (p *pool) play(ctx context.Context, e *episode.Episode, n int) (rec *record.Episode, ack func(), cause error) {
	if p.o.Elsewhere == nil {
		rec, cause = attempt(ctx, e, n, p.o, p.watch)
		return rec, func() {}, cause
	}
	rec, ack = p.delegate(ctx, e, n)
	return rec, ack, nil
}

// record puts an attempt on disk, and says so.
func (p *pool) record(e *episode.Episode, rec *record.Episode, cause error, ack func()) (next *episode.Episode,
	err error) {
	if err := p.store.Append(rec); err != nil {
		return nil, fmt.Errorf("task %s: %w", e.Task.ID, err)
	}
	ack()
	p.o.Observer.EpisodeDone(e, rec.Result)
	if err := p.watch.fatal(e, cause); err != nil {
		return nil, err
	}
	return e.NextTrial(rec.Brief()), nil
}
