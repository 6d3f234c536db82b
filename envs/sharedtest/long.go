package sharedtest

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Long reports whether tests run in their long form, because HELDOUT_LONG is 1. The
// short form tests the same with fewer inputs.
func Long() bool { return os.Getenv("HELDOUT_LONG") == "1" }

// Every returns 1 in the long form, and n in the short one: a test then takes one of n
// inputs. It says so.
func Every(t testing.TB, n int) int {
	t.Helper()
	if Long() {
		return 1
	}
	t.Logf("the short form takes one of %d; HELDOUT_LONG=1 takes all", n)
	return n
}

// Times returns how often a test does something: long or short, by its form. It says so.
func Times(t testing.TB, long, short int) int {
	t.Helper()
	if Long() {
		return long
	}
	t.Logf("the short form does %d of %d; HELDOUT_LONG=1 does all", short, long)
	return short
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

// Sample returns all inputs in the long form, and n of them in the short one, spread
// evenly. It says so.
func Sample[T any](t testing.TB, inputs []T, n int) []T {
	t.Helper()
	if Long() || n >= len(inputs) {
		return inputs
	}
	t.Logf("the short form takes %d of %d; HELDOUT_LONG=1 takes all", n, len(inputs))
	sample := make([]T, n)
	for i := range sample {
		sample[i] = inputs[i*len(inputs)/n]
	}
	return sample
}
