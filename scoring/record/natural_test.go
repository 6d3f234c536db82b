package record

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

func TestNatural(t *testing.T) {
	want := []string{"", "a", "a01b", "a1b", "a2", "a2b", "a10", "ab", "checkpoint-200", "checkpoint-1000", "run2/c-1",
		"run10/c-1"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, Natural)
	sharedtest.Same(t, got, want)
}

// It is an order: antisymmetric and transitive, and only equal names are equal.
func TestNaturalIsAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringOfN(rapid.SampledFrom([]rune("01a-b")), 0, 6, -1)
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if Natural(a, b) != -Natural(b, a) || (Natural(a, b) == 0) != (a == b) {
			t.Errorf("%q %q", a, b)
		}
		if Natural(a, b) < 0 && Natural(b, c) < 0 && Natural(a, c) >= 0 {
			t.Errorf("%q %q %q", a, b, c)
		}
	})
}
