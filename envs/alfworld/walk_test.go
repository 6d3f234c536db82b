package alfworld

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// Wherever play leads: the list of actions is sorted and without repetition, all
// that is on it and nothing else is taken, and a snapshot brings everything back.
func TestWalk(t *testing.T) {
	e := sharedtest.Must(NewOfficial(fixture, Options{Dialect: "file"}))(t)
	rapid.Check(t, func(rt *rapid.T) {
		w := newTestWorld(t, e, rapid.SampledFrom(e.Tasks()).Draw(rt, "task"))
		all := slices.Compact(slices.Sorted(slices.Values(w.rules.game.texts)))
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			listed, err := w.Actions(t.Context())
			if err != nil || !slices.IsSorted(listed) || len(slices.Compact(slices.Clone(listed))) != len(listed) {
				rt.Fatalf("%q, %v", listed, err)
			}
			attempt := rapid.SampledFrom(all).Draw(rt, "any action")
			first, err := forked(rt, w).Step(t.Context(), attempt)
			if err != nil || first.Valid != slices.Contains(listed, attempt) || !w.done &&
				first.Valid == (first.Observation == rejected) {
				rt.Fatalf("%q: %+v, %v", attempt, first, err)
			}
			if again, err := w.Actions(t.Context()); err != nil || !slices.Equal(again, listed) {
				rt.Fatalf("%q after a fork did %q: %s", again, attempt, cmp.Diff(listed, again))
			}
			action := rapid.SampledFrom(listed).Draw(rt, "action")
			if s, err := w.Step(t.Context(), action); err != nil || !s.Valid || s.Observation == rejected {
				rt.Fatalf("%q: %+v, %v", action, s, err)
			}
		}
	})
}

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
