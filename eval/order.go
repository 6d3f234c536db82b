package eval

import (
	"context"
	"errors"
	"fmt"

	"heldout/eval/agent"
	"heldout/eval/fleet"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// Order asks another process to play one attempt at an episode. It has what the
// process cannot know from the plan.
type Order struct {
	// First is the id of the first trial, Trial the number of the trial to play; see
	// Episode.Trial.
	First string `json:"first"`
	Trial int    `json:"trial,omitempty"`
	// Attempt is the number of the attempt, from 1.
	Attempt int `json:"attempt"`
	// Reflections are those on earlier trials, the oldest first.
	Reflections []record.Remembered `json:"reflections,omitempty"`
	// Proven: the model has given a usable reply in this run.
	Proven bool `json:"proven,omitempty"`
}

// Elsewhere plays the episodes of a run in other processes.
type Elsewhere interface {
	// Play returns the record of an attempt at the episode with that id. Kept is
	// called when the record is on disk. An error is the outcome of the attempt,
	// unless ctx is cancelled; kept is never nil then.
	Play(ctx context.Context, id string, order Order) (rec *record.Episode, kept func(), err error)
}

// order returns the order for an attempt.
func (e *Episode) order(attempt int, proven bool) Order {
	return Order{First: e.first, Trial: e.Trial, Attempt: attempt, Reflections: e.reflections, Proven: proven}
}

// Worker plays orders of a plan. It is safe for concurrent use.
type Worker struct {
	plan  map[string]*Episode
	o     Options
	watch *watch
}

// NewWorker returns a worker for a plan. It uses only Now, Observer, AllowUnusable
// and Warn of the options.
func NewWorker(p *Plan, o Options) *Worker {
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	w := &Worker{plan: map[string]*Episode{}, o: o, watch: newWatch(o, nil)}
	for i := range p.Episodes {
		w.plan[p.Episodes[i].ID] = &p.Episodes[i]
	}
	return w
}

// find returns the episode of an order.
func (w *Worker) find(order Order) (*Episode, error) {
	first := w.plan[order.First]
	if first == nil {
		return nil, fmt.Errorf("the plan has no episode %.40q", order.First)
	}
	if order.Trial < first.Trial || order.Trial > max(first.Trial, first.Condition.MostTrials()) || order.Attempt < 1 {
		return nil, fmt.Errorf("episode %s has no trial %d, attempt %d", order.First, order.Trial, order.Attempt)
	}
	e := *first
	e.Trial, e.reflections = order.Trial, order.Reflections
	if order.Trial > first.Trial {
		e.ID = record.TrialID(order.First, order.Trial)
	}
	return &e, nil
}

// Play carries out an order. An error means that the worker must not play on; the
// attempt then does not count.
func (w *Worker) Play(ctx context.Context, order Order) (*record.Episode, error) {
	e, err := w.find(order)
	if err != nil {
		return nil, err
	}
	if order.Proven {
		w.watch.proven(e.player.Name)
	}
	rec, cause := e.attempt(ctx, order.Attempt, &w.o, w.watch)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := w.watch.fatal(e, cause); err != nil {
		return nil, err
	}
	w.o.Observer.EpisodeDone(e, rec.Result)
	return rec, nil
}

// attempt plays the episode and returns the record; see play.
func (e *Episode) attempt(ctx context.Context, attempt int, o *Options, w *watch) (rec *record.Episode, cause error) {
	started := o.Now()
	o.Observer.EpisodeBegun(e)
	rec, cause = e.play(ctx, w, func(u agent.Usage) { o.Observer.StepDone(e, u) })
	rec.Attempt, rec.Started, rec.Ended = attempt, started.UTC(), o.Now().UTC()
	return rec, cause
}

// delegate has the attempt played elsewhere. The record is nil if ctx is
// cancelled.
func (e *Episode) delegate(ctx context.Context, attempt int, o *Options, w *watch) (rec *record.Episode, kept func()) {
	started := o.Now()
	o.Observer.EpisodeBegun(e)
	rec, kept, err := o.Elsewhere.Play(ctx, e.ID, e.order(attempt, w.usable(e.player.Name)))
	if err == nil {
		err = e.owns(rec)
	}
	if err != nil && ctx.Err() != nil {
		return nil, nil
	}
	if err != nil {
		rec = e.blank()
		rec.Outcome, rec.Error = record.EnvError, err.Error()
		rec.Started, rec.Ended = started.UTC(), o.Now().UTC()
	}
	rec.Attempt = attempt
	w.learn(&rec.Result)
	return rec, kept
}

// owns reports a record that is not of an attempt at the episode.
func (e *Episode) owns(rec *record.Episode) error {
	want, got := e.blank().Result, rec.Result
	for _, f := range []struct {
		field     string
		got, want any
	}{
		{"id", got.ID, want.ID}, {"env", got.Env, want.Env}, {"source", got.Source, want.Source}, {"task", got.Task, want.Task},
		{"task_index", got.TaskIndex, want.TaskIndex}, {"task_type", got.TaskType, want.TaskType}, {"difficulty", got.Difficulty, want.Difficulty},
		{"model", got.Model, want.Model}, {"agent", got.Agent, want.Agent}, {"seed", got.Seed, want.Seed},
		{"perturbation", got.Perturbation, want.Perturbation}, {"preset", got.Preset, want.Preset}, {"trial", got.Trial, want.Trial},
	} {
		if f.got != f.want {
			return fmt.Errorf("a worker sent the record of another episode: %s is %#v, want %#v", f.field, f.got, f.want)
		}
	}
	if got.Steps > e.Condition.StepLimit {
		return fmt.Errorf("a worker sent a record of %d steps; the step limit is %d", got.Steps, e.Condition.StepLimit)
	}
	return nil
}

// fatal returns the error of an attempt after which nothing more can be played;
// nil if the cause of its outcome is none.
func (w *watch) fatal(e *Episode, cause error) error {
	var refused *model.RequestError
	var unusable *UnusableError
	var lost *fleet.LostError
	switch {
	case errors.As(cause, &unusable), errors.As(cause, &lost):
		return cause
	case !errors.As(cause, &refused):
		return nil
	case refused.Fatal():
		return cause
	}
	return w.refusal(e.Condition.Model, cause)
}
