package eval

import (
	"context"
	"errors"
	"fmt"

	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/fleet"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// Order asks another process to play one attempt at an episode. It has what the process cannot know from the plan.
type Order struct {
	// First is the id of the first trial, Trial the number of the trial to play; see Episode.Trial.
	First string `json:"first"`
	Trial int    `json:"trial,omitempty"`
	// Attempt is the number of the attempt, from 1.
	Attempt int `json:"attempt"`
	// Reflections are those on earlier trials, the oldest first.
	Reflections []record.Remembered `json:"reflections,omitempty"`
	// Proven: the model has given enough usable replies in this run.
	Proven bool `json:"proven,omitempty"`
}

// Elsewhere plays the episodes of a run in other processes.
type Elsewhere interface {
	// Play returns the record of an attempt at the episode with that id. Ack is called when the record is on disk.
	// An error is the outcome of the attempt, unless ctx is cancelled; ack is never nil then.
	Play(ctx context.Context, id string, order Order) (rec *record.Episode, ack func(), err error)
}

// Worker plays orders of a plan. It is safe for concurrent use.
type Worker struct {
	plan  map[string]*episode.Episode
	o     Options
	watch *watch
}

// NewWorker returns a worker for a plan. It uses only Now, Observer, AllowUnusable and Warn of the options.
func NewWorker(p *Plan, o Options) *Worker {
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	w := &Worker{plan: map[string]*episode.Episode{}, o: o, watch: newWatch(o, nil, nil)}
	for i := range p.Episodes {
		w.plan[p.Episodes[i].ID] = &p.Episodes[i]
	}
	return w
}

// OrderError says that an order is not for the worker's plan.
type OrderError struct{ Reason string }

func (e *OrderError) Error() string { return e.Reason }

func (w *Worker) find(order Order) (*episode.Episode, error) {
	first := w.plan[order.First]
	if first == nil {
		return nil, &OrderError{fmt.Sprintf("the plan has no episode %.40q", order.First)}
	}
	if order.Trial < first.Trial || order.Trial > max(first.Trial, first.Condition.MostTrials()) || order.Attempt < 1 {
		return nil, &OrderError{fmt.Sprintf("episode %s has no trial %d, attempt %d", order.First, order.Trial,
			order.Attempt)}
	}
	e := *first
	e.Trial, e.Reflections = order.Trial, order.Reflections
	if order.Trial > first.Trial {
		e.ID = record.TrialID(order.First, order.Trial)
	}
	return &e, nil
}

// Replies returns those to an attempt at the episode with that id; see record.ReadReplies.
type Replies func(id string, attempt int) (*record.Replies, error)

// Play carries out an order. The error of an order that is not for this plan is an *OrderError. Any other means
// that the worker must not play on; the attempt then does not count.
func (w *Worker) Play(ctx context.Context, order Order, replies Replies) (*record.Episode, error) {
	e, err := w.find(order)
	if err != nil {
		return nil, err
	}
	if e.Player.Model != nil {
		if e.Replies, err = replies(e.ID, order.Attempt); err != nil {
			return nil, err
		}
	}
	if order.Proven {
		w.watch.proven(e.Player.Name)
	}
	rec, cause := attempt(ctx, e, order.Attempt, &w.o, w.watch)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if rec.Outcome == record.Cancelled { // a reply cannot be written down
		return nil, cause
	}
	if err := w.watch.fatal(e, cause); err != nil {
		return nil, err
	}
	w.o.Observer.EpisodeDone(e, rec.Result)
	return rec, nil
}

// attempt plays the episode and returns the record; see episode.Episode.Play.
func attempt(ctx context.Context, e *episode.Episode, n int, o *Options, w *watch) (rec *record.Episode, cause error) {
	started := o.Now()
	o.Observer.EpisodeBegun(e)
	e.Attempt = n
	rec, cause = e.Play(ctx, w, func(u agent.Usage) { o.Observer.StepDone(e, u) })
	rec.Attempt, rec.Started, rec.Ended = n, started.UTC(), o.Now().UTC()
	return rec, cause
}

// delegate has the attempt played elsewhere. The record is nil if ctx is cancelled.
func (p *pool) delegate(ctx context.Context, e *episode.Episode, n int) (rec *record.Episode, ack func()) {
	started := p.o.Now()
	p.o.Observer.EpisodeBegun(e)
	rec, ack, err := p.o.Elsewhere.Play(ctx, e.ID, Order{
		First: e.First, Trial: e.Trial, Attempt: n, Reflections: e.Reflections, Proven: p.watch.usable(e.Player.Name),
	})
	if err == nil {
		err = e.Owns(rec)
	}
	if err != nil && ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		rec = e.Blank()
		rec.Outcome, rec.Error = record.EnvError, err.Error()
		rec.Started, rec.Ended = started.UTC(), p.o.Now().UTC()
	}
	rec.Attempt = n
	p.watch.learn(e.Player, rec)
	return rec, ack
}

// fatal returns the error of an attempt after which nothing more can be played;
// nil if the cause of its outcome is none.
func (w *watch) fatal(e *episode.Episode, cause error) error {
	switch refused, isRefusal := errors.AsType[*model.RequestError](cause); {
	case errors.As(cause, new(*UnusableError)), errors.As(cause, new(*ChangedModelError)),
		errors.As(cause, new(*fleet.LostError)), isRefusal && refused.Fatal():
		return cause
	case isRefusal:
		return w.refusal(e.Condition.Model, cause)
	}
	return nil
}
