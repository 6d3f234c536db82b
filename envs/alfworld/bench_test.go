package alfworld

import (
	"testing"

	"heldout/envs/stream"
)

// BenchmarkSteps plays the official games at random, with the list of valid
// actions at every step, 30 steps each. No time counts for loading games.
func BenchmarkSteps(b *testing.B) {
	e := official(b, Options{})
	for _, task := range e.Tasks() {
		newTestWorld(b, e, task)
	}
	rng := stream.New(1, "bench")
	var w *world
	for n := 0; b.Loop(); n++ {
		if n%stepLimit == 0 {
			w = newTestWorld(b, e, e.Tasks()[n/stepLimit%len(e.Tasks())])
		}
		actions, err := w.Actions(b.Context())
		if err != nil || len(actions) == 0 {
			b.Fatalf("%d actions, %v", len(actions), err)
		}
		if s, err := w.Step(b.Context(), actions[rng.IntN(len(actions))]); err != nil || !s.Valid {
			b.Fatal(s, err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}
