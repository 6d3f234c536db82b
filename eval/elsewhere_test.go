package eval

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"heldout/envs/sharedtest"
	"heldout/eval/episode/episodetest"
	"heldout/scoring/record"
)

// postman sends orders to a worker as text.
type postman struct {
	t      *testing.T
	worker *Worker
}

func (p postman) Play(ctx context.Context, id string, order Order) (*record.Episode, func(), error) {
	text, err := json.Marshal(order)
	if err != nil {
		p.t.Error(err)
	}
	var there Order
	if err := json.Unmarshal(text, &there); err != nil {
		p.t.Error(err)
	}
	rec, err := p.worker.Play(ctx, there, func(string, int) (*record.Replies, error) { return nil, nil })
	if err == nil && rec.ID != id {
		p.t.Errorf("the record of %s came for %s", rec.ID, id)
	}
	return rec, func() {}, err
}

// Trials that are played elsewhere have the records of those that are played here.
func TestTrialsElsewhere(t *testing.T) {
	plan := func() *Plan {
		return planOne(t, benchmark(episodetest.NewCountdown(1)), trying(learning(2), 5, 2), 1)
	}
	here, there := t.TempDir(), t.TempDir()
	sharedtest.OK(t, sharedtest.Err(play(t, t.Context(), here, plan(), Options{Concurrency: 2})))
	worker := NewWorker(plan(), Options{Now: clock()})
	away := Options{Concurrency: 2, Elsewhere: postman{t, worker}}
	sharedtest.OK(t, sharedtest.Err(play(t, t.Context(), there, plan(), away)))
	if diff := cmp.Diff(episodes(t, here), episodes(t, there),
		cmpopts.IgnoreFields(record.Result{}, "Started", "Ended"),
		cmpopts.IgnoreFields(record.Episode{}, "Checksum")); diff != "" {
		t.Error(diff)
	}
}

// gated is a postman whose records are only kept once a second episode has begun.
type gated struct {
	postman
	begun  *atomic.Int32
	second chan struct{}
}

func (g gated) Play(ctx context.Context, id string, order Order) (*record.Episode, func(), error) {
	if g.begun.Add(1) == 2 {
		close(g.second)
	}
	rec, _, err := g.postman.Play(ctx, id, order)
	return rec, func() {
		select {
		case <-g.second:
		case <-ctx.Done():
			g.t.Error("no second episode begins")
		}
	}, err
}

// The next episode begins while the record of the one before it goes to disk.
func TestRecordsDoNotHoldUpEpisodes(t *testing.T) {
	ctx := sharedtest.Limited(t)
	plan := func() *Plan {
		return planOne(t, benchmark(episodetest.NewCountdown(2)), trying(episodetest.Saying("up"), 1, 0), 1)
	}
	g := gated{postman{t, NewWorker(plan(), Options{Now: clock()})}, new(atomic.Int32), make(chan struct{})}
	sharedtest.OK(t, sharedtest.Err(play(t, ctx, t.TempDir(), plan(), Options{Concurrency: 1, Elsewhere: g})))
}

// oneElsewhere plays the first episode elsewhere, and then ends the run. No other one ends.
type oneElsewhere struct {
	postman
	end   context.CancelFunc
	begun atomic.Int32
}

func (o *oneElsewhere) Play(ctx context.Context, id string, order Order) (*record.Episode, func(), error) {
	if o.begun.Add(1) > 1 {
		<-ctx.Done()
		return nil, nil, ctx.Err()
	}
	rec, _, err := o.postman.Play(ctx, id, order)
	return rec, o.end, err
}

// Cancelling also ends a run in which a worker waits for what may follow an episode that is played elsewhere.
func TestCancelWhileWaiting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := planOne(t, benchmark(episodetest.NewCountdown(2)), served(episodetest.Saying("down")), 0)
	elsewhere := &oneElsewhere{postman: postman{t, NewWorker(p, Options{Now: clock()})}, end: cancel}
	ended := make(chan error, 1)
	go func() {
		_, err := play(t, ctx, t.TempDir(), p, Options{Concurrency: 2, Elsewhere: elsewhere})
		ended <- err
	}()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-sharedtest.Limited(t).Done():
		t.Fatal("the run goes on")
	}
}
