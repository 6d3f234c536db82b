package babyai

import (
	"context"
	"testing"

	"heldout/envs/stream"
)

// BenchmarkStep plays the benchmark's tasks at random, the full table of actions
// made anew after every step, on one core.
func BenchmarkStep(b *testing.B) {
	e := opened(b, Options{})
	rng := stream.New(1, "bench")
	var w *world
	steps := 0
	for b.Loop() {
		if steps%30 == 0 {
			w, _ = played(b, e, e.Tasks()[steps/30%len(e.Tasks())].ID)
		}
		choices := w.game.table.choices
		act(b, w, choices[rng.IntN(len(choices))].text)
		steps++
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "steps/s")
}

// BenchmarkExpert plans the benchmark's tasks, one after the other.
func BenchmarkExpert(b *testing.B) {
	e := opened(b, Options{})
	n := 0
	for b.Loop() {
		w, _ := played(b, e, e.Tasks()[n%len(e.Tasks())].ID)
		if _, err := w.ExpertAction(context.Background()); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "plans/s")
}
