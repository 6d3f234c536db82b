package pddl

import (
	"context"
	"testing"

	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// BenchmarkSteps plays the official tasks at random, with the list of valid
// actions at every step, 30 steps each.
func BenchmarkSteps(b *testing.B) {
	e := official(b)
	ctx := context.Background()
	for _, task := range e.Tasks() {
		if _, err := e.NewWorld(task); err != nil {
			b.Fatal(err)
		}
	}
	rng := stream.New(1, "bench")
	var w envs.World
	for n := 0; b.Loop(); n++ {
		if n%stepLimit == 0 {
			w = sharedtest.Must(e.NewWorld(e.Tasks()[n/stepLimit%len(e.Tasks())]))(b)
		}
		actions, err := w.(envs.Lister).Actions(ctx)
		if err != nil || len(actions) == 0 {
			b.Fatalf("%d actions, %v", len(actions), err)
		}
		if s, err := w.Step(ctx, actions[rng.IntN(len(actions))]); err != nil || !s.Valid && s.Observation != noEffect {
			b.Fatal(s, err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}
