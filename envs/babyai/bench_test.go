package babyai

import (
	"testing"

	"heldout/envs/stream"
)

// BenchmarkStep plays the benchmark's tasks at random, 30 steps each, with the
// list of valid actions at every step, on one core: what a step with its list
// takes, the making of worlds included.
func BenchmarkStep(b *testing.B) {
	e := opened(b, Options{})
	rng := stream.New(1, "bench")
	var w *world
	steps := 0
	for b.Loop() {
		if steps%stepLimit == 0 {
			w, _ = played(b, e, e.Tasks()[steps/stepLimit%len(e.Tasks())].ID)
		}
		actions, err := w.Actions(b.Context())
		if err != nil || len(actions) == 0 {
			b.Fatalf("%d actions, %v", len(actions), err)
		}
		act(b, w, actions[rng.IntN(len(actions))])
		steps++
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
}
