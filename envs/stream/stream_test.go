package stream_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// draws returns the first numbers of a stream.
func draws(r *rand.Rand) [4]uint64 {
	var out [4]uint64
	for i := range out {
		out[i] = r.Uint64()
	}
	return out
}

// The numbers must never change: runs are repeated by them.
func TestPinned(t *testing.T) {
	for _, tt := range sharedtest.Cases[struct {
		Seed int64
		Name []string
		Want [4]uint64
		Num  int64
	}](t, "pinned.yaml") {
		sharedtest.Same(t, draws(stream.New(tt.Seed, tt.Name...)), tt.Want, "stream", tt.Seed, tt.Name)
		sharedtest.Equal(t, stream.Seed(tt.Seed, tt.Name...), tt.Num, "seed of", tt.Seed, tt.Name)
	}
}

// Streams that differ in seed or name, however little, have nothing in common.
func TestPartsAreKeptApart(t *testing.T) {
	type source struct {
		seed int64
		name []string
	}
	sources := []source{
		{0, nil}, {1, nil}, {-1, nil}, {1 << 32, nil}, {0, []string{""}}, {0, []string{"", ""}}, {0, []string{"0"}},
		{1, []string{"0"}}, {0, []string{"a"}},
		{0, []string{"ab", "c"}}, {0, []string{"a", "bc"}}, {0, []string{"abc"}}, {0, []string{"a", "b", "c"}},
		{0, []string{"", "abc"}}, {0, []string{"abc", ""}},
		{0, []string{"A"}}, {0, []string{"a\x00"}}, {0, []string{"a", "\x00"}},
		{0, []string{"\x00\x00\x00\x00\x00\x00\x00\x01a"}},
	}
	seenDraws := map[uint64]source{}
	seenSeeds := map[int64]source{}
	for _, s := range sources {
		for _, d := range draws(stream.New(s.seed, s.name...)) {
			if other, ok := seenDraws[d]; ok {
				t.Errorf("%v and %v draw the same number", s, other)
			}
			seenDraws[d] = s
		}
		n := stream.Seed(s.seed, s.name...)
		if other, ok := seenSeeds[n]; ok {
			t.Errorf("%v and %v have the same seed", s, other)
		}
		seenSeeds[n] = s
	}
}

func TestProperties(t *testing.T) {
	names := rapid.SliceOfN(rapid.StringN(0, 3, -1), 0, 3)
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Int64().Draw(rt, "seed")
		a, b := names.Draw(rt, "a"), names.Draw(rt, "b")
		if same := draws(stream.New(seed, a...)) == draws(stream.New(seed, b...)); same != slices.Equal(a, b) {
			rt.Errorf("%q and %q: same numbers %v", a, b, same)
		}
		n := stream.Seed(seed, a...)
		if n < 0 || n >= 1<<31 || n != stream.Seed(seed, a...) {
			rt.Errorf("seed %d", n)
		}
		// One stream does not depend on how much another has been used.
		one, other := stream.New(seed, a...), stream.New(seed, append(b, "other")...)
		for range rapid.IntRange(0, 100).Draw(rt, "used") {
			other.Uint64()
		}
		sharedtest.Equal(rt, draws(one), draws(stream.New(seed, a...)), "a stream depends on another")
	})
}
