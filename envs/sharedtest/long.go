package sharedtest

import (
	"cmp"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// Long reports whether tests run in their long form, because HELDOUT_LONG is 1, or in the
// whole one. The short form tests the same with fewer inputs.
func Long() bool { return os.Getenv("HELDOUT_LONG") == "1" || Whole() }

// Whole reports whether tests take all inputs, because HELDOUT_LONG is all: the long form
// samples what would take it minutes.
func Whole() bool { return os.Getenv("HELDOUT_LONG") == "all" }

// Heavy skips a test in the short form: kills by the hundred, a browser, the whole of a
// command that few use. A lighter test of the same kind stays in that form.
func Heavy(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skip("the short form leaves this test out: HELDOUT_LONG=1 go test runs it")
	}
}

// Every returns how many inputs there are for each that a test takes: n in the short form
// and 1 in the whole one. The long form takes all, too, or one of so many. It says so.
func Every(t testing.TB, n int, long ...int) int {
	t.Helper()
	switch {
	case Whole() || Long() && long == nil:
		return 1
	case Long():
		n = long[0]
	}
	t.Logf("this form takes one of %d; HELDOUT_LONG=all takes all", n)
	return n
}

// Times returns how often a test does something: long or short, by its form, and in the
// whole form as often as it says, or long. It says so.
func Times(t testing.TB, long, short int, full ...int) int {
	t.Helper()
	largest := append(full, long)[0]
	n := short
	switch {
	case Whole():
		n = largest
	case Long():
		n = long
	}
	if n != largest {
		t.Logf("this form does %d of %d; HELDOUT_LONG=all does all", n, largest)
	}
	return n
}

// Absent skips a test that needs a part of the machine that is not there, and says how
// to get it. If HELDOUT_REQUIRE names the part, separated from others by commas, the
// test fails: this machine has it, and the test should find it.
func Absent(t testing.TB, part, remedy string) {
	t.Helper()
	if slices.Contains(strings.Split(os.Getenv("HELDOUT_REQUIRE"), ","), part) {
		t.Fatalf("HELDOUT_REQUIRE names %s, and it is not found: %s", part, remedy)
	}
	t.Skip(remedy)
}

// Sample returns n of the inputs in the short form, and all in the long one, or so many of
// them, spread evenly. It says so.
func Sample[T any](t testing.TB, inputs []T, n int, long ...int) []T {
	t.Helper()
	switch {
	case Whole() || Long() && long == nil:
		return inputs
	case Long():
		n = long[0]
	}
	if n >= len(inputs) {
		return inputs
	}
	t.Logf("this form takes %d of %d; HELDOUT_LONG=all takes all", n, len(inputs))
	sample := make([]T, n)
	for i := range sample {
		sample[i] = inputs[i*len(inputs)/n]
	}
	return sample
}

// SampleMap is Sample for a map, by the order of its keys.
func SampleMap[K cmp.Ordered, V any](t testing.TB, inputs map[K]V, n int) map[K]V {
	t.Helper()
	sample := map[K]V{}
	for _, key := range Sample(t, slices.Sorted(maps.Keys(inputs)), n) {
		sample[key] = inputs[key]
	}
	return sample
}
