package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"heldout/eval"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// errorHeader is the header of a message that has the reason why there is no record.
const errorHeader = "Heldout-Error"

// errEnded says that the run is complete, errNoRun that there is none yet or no more,
// errSilent that the server, which may be busy, does not say which runs there are.
var (
	errEnded  = errors.New("the run has ended")
	errSilent = fmt.Errorf("JetStream has not answered for %v", patience)
	errNoRun  = errors.New("no run waits for workers there; start one with heldout run --queue, or it is complete")
)

// Worker plays orders of a run.
type Worker struct {
	// Job describes the run.
	Job      Job
	link     *connection
	player   *eval.Worker
	finished atomic.Int64
}

// Join connects to a server and finds the run with that name, or the only one if the name is empty. It waits for a
// run that is not there yet. Close the worker when it is done.
func Join(ctx context.Context, o Options, name string) (*Worker, error) {
	link, err := connect(ctx, o)
	if err != nil {
		return nil, err
	}
	w := &Worker{link: link}
	err = o.await(ctx, func() error {
		w.Job, err = link.find(ctx, name)
		return err
	}, func() {
		o.Tell(fmt.Sprintf("queue %s: no run waits for workers there; waiting for one for %v", link.name, o.FirstWait))
	}, errNoRun, errSilent)
	if err != nil {
		err = link.named(err)
		link.close()
		return nil, err
	}
	return w, nil
}

// find returns the run with that name, or the only one.
func (l *connection) find(ctx context.Context, name string) (found Job, err error) {
	ctx, stop := l.bind(ctx)
	defer stop(nil)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var names []string
	list := l.js.ListStreams(ctx, jetstream.WithStreamListSubject(subject("*", "work.>")))
	for s := range list.Info() {
		job, ok := decodeJob(s.Config.Metadata)
		if !ok || s.Config.Name != workStream(job.Name) {
			continue
		}
		if name == "" || name == job.Name {
			found = job
			names = append(names, job.Name)
		}
	}
	switch {
	case errors.Is(list.Err(), jetstream.ErrJetStreamNotEnabled), errors.Is(list.Err(), nats.ErrNoResponders):
		return found, errors.New("the server has no JetStream; start it with -js")
	case errors.Is(list.Err(), context.DeadlineExceeded):
		return found, errSilent
	case list.Err() != nil:
		return found, list.Err()
	case len(names) == 0 && name != "":
		return found, fmt.Errorf("no run %.40q (without --job, the only run is taken): %w", name, errNoRun)
	case len(names) == 0:
		return found, errNoRun
	case len(names) > 1:
		return found, fmt.Errorf("there are several runs; choose one with --job: %s", strings.Join(names, ", "))
	}
	return found, nil
}

// Close leaves the run.
func (w *Worker) Close() { w.link.close() }

// Finished is the number of orders that were carried out.
func (w *Worker) Finished() int { return int(w.finished.Load()) }

// Work plays orders, so many at a time, until the run is complete or ctx is done.
// Servers is what the model servers report, by player.
func (w *Worker) Work(ctx context.Context, player *eval.Worker, servers map[string]record.ServerReport,
	slots int) error {
	w.player = player
	ctx, cancel := w.link.bind(ctx)
	defer cancel(nil)
	sub, err := w.link.conn.Subscribe(subject(w.Job.Name, "end"), func(*nats.Msg) { cancel(errEnded) })
	if err != nil {
		return err
	}
	defer sub.Unsubscribe() //nolint:errcheck // the connection is closed next
	if err := w.introduce(ctx, servers); err != nil {
		return w.leave(err)
	}
	group, playing := errgroup.WithContext(ctx)
	for range slots {
		group.Go(func() error { return w.serve(playing) })
	}
	err = group.Wait()
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return w.leave(err)
}

// leave tells the leader why the worker ends, unless the run is complete.
func (w *Worker) leave(err error) error {
	if errors.Is(err, errEnded) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil
	}
	if !errors.Is(err, context.Canceled) {
		_ = w.link.conn.Publish(subject(w.Job.Name, "notes"),
			fmt.Appendf(nil, "%s ends: %v", w.link.conn.Opts.Name, err))
	}
	return err
}

func (w *Worker) introduce(ctx context.Context, servers map[string]record.ServerReport) error {
	if len(servers) == 0 {
		return nil
	}
	data, err := json.Marshal(servers)
	if err != nil {
		return err
	}
	return w.link.publish(ctx, resultsStream(w.Job.Name),
		&nats.Msg{Subject: subject(w.Job.Name, "servers"), Data: data})
}

func (w *Worker) serve(ctx context.Context) error {
	var consumer jetstream.Consumer
	failures := 0
	for ctx.Err() == nil {
		m, err := w.next(ctx, &consumer)
		w.link.answers(err, &failures)
		switch {
		case err != nil && w.link.gone(ctx, workStream(w.Job.Name)):
			return errEnded
		case err != nil:
			consumer = nil
			_ = model.Pause(ctx, w.link.pause)
		case m != nil:
			if err := w.carryOut(ctx, m, consumer.CachedInfo().Config.AckWait/4); err != nil {
				return err
			}
		}
	}
	return context.Cause(ctx)
}

// next takes an order; nil if none comes within a moment. It looks up the consumer unless that is known.
func (w *Worker) next(ctx context.Context, consumer *jetstream.Consumer) (jetstream.Msg, error) {
	if *consumer == nil {
		once, cancel := context.WithTimeout(ctx, w.link.patience)
		defer cancel()
		var err error
		if *consumer, err = w.link.js.Consumer(once, workStream(w.Job.Name), workers); err != nil {
			return nil, err
		}
	}
	messages, err := (*consumer).Fetch(1, jetstream.FetchMaxWait(w.link.fetch))
	if err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case m := <-messages.Messages():
		if m == nil {
			return nil, messages.Error()
		}
		return m, nil
	}
}

// carryOut plays an order and sends the record. An order that is not carried out
// is given back, and one that nobody can carry out is set aside. Pulse is the time between two signs of life.
func (w *Worker) carryOut(ctx context.Context, m jetstream.Msg, pulse time.Duration) error {
	defer model.Repeat(max(pulse, time.Millisecond), func() { _ = m.InProgress() })() // the next beat may arrive
	store := func(stored *nats.Msg) error { return w.link.publish(ctx, resultsStream(w.Job.Name), stored) }
	var order eval.Order
	if err := json.Unmarshal(m.Data(), &order); err != nil {
		return w.setAside(m, store, fmt.Errorf("the order cannot be read: %w", err))
	}
	replies := &journal{connection: w.link, ctx: ctx, job: w.Job}
	rec, err := w.player.Play(ctx, order, replies.open)
	if errors.As(err, new(*eval.OrderError)) {
		return w.setAside(m, store, err)
	}
	if err == nil {
		err = w.send(rec, store)
	}
	if rec != nil && errors.Is(context.Cause(ctx), errEnded) {
		err = nil // the leader has the record, and was quicker than the answer to it
	}
	if err != nil {
		if errors.As(cmp.Or(context.Cause(ctx), err), new(*eval.UnusableError)) {
			replies.drop() // others are wanted
		}
		_ = m.Nak() // comes back by itself if that is lost
		return err
	}
	w.finished.Add(1)
	_ = m.Ack() // else it is played again, and the leader drops the record
	replies.drop()
	return nil
}

// send stores a record in the stream of results.
func (w *Worker) send(rec *record.Episode, store func(*nats.Msg) error) error {
	name := subject(w.Job.Name, fmt.Sprintf("results.%s.%d", rec.ID, rec.Attempt))
	data, err := pack(rec)
	var messages []*nats.Msg
	if err == nil {
		messages, err = cut(name, data, int(w.link.conn.MaxPayload()))
	}
	if err != nil {
		messages = []*nats.Msg{{Subject: name, Header: nats.Header{errorHeader: {err.Error()}}}}
	}
	for _, m := range messages {
		if err := store(m); err != nil {
			return err
		}
	}
	return nil
}
