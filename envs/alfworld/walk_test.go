package alfworld

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
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
