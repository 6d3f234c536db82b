package eval

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"heldout/eval/record"
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
	rec, err := p.worker.Play(ctx, there)
	if err == nil && rec.ID != id {
		p.t.Errorf("the record of %s came for %s", rec.ID, id)
	}
	return rec, func() {}, err
}

// Trials that are played elsewhere have the records of those that are played here.
func TestTrialsElsewhere(t *testing.T) {
	plan := func() *Plan {
		return mustPlan(t, Spec{Benchmarks: []Benchmark{benchmark(newCountdown(1))}, Players: []Player{trying(learning(2), 5, 2)}, Seeds: []int64{1}})
	}
	here, there := t.TempDir(), t.TempDir()
	if _, err := play(t, t.Context(), here, plan(), Options{Concurrency: 2}); err != nil {
		t.Fatal(err)
	}
	worker := NewWorker(plan(), Options{Now: clock()})
	if _, err := play(t, t.Context(), there, plan(), Options{Concurrency: 2, Elsewhere: postman{t, worker}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(episodes(t, here), episodes(t, there), cmpopts.IgnoreFields(record.Result{}, "Started", "Ended"), cmpopts.IgnoreFields(record.Episode{}, "Checksum")); diff != "" {
		t.Error(diff)
	}
}
