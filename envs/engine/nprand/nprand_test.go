package nprand

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/sharedtest"
)

func seeded(t testing.TB, seed int64) *Generator {
	t.Helper()
	return sharedtest.Must(New(big.NewInt(seed)))(t)
}

// drawn makes n draws.
func drawn[T any](n int, draw func() T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = draw()
	}
	return out
}

// What NumPy draws for three seeds.
func TestDraws(t *testing.T) {
	for _, want := range sharedtest.Cases[struct {
		Seed   int64
		State  string
		Next64 []uint64
		To10   []int64
		Large  []int64 // of 3000000000: some draws are rejected
		Floats []float64
	}](t, "draws.yaml") {
		t.Run(fmt.Sprint(want.Seed), func(t *testing.T) {
			sharedtest.Equal(t, seeded(t, want.Seed).state.String(), want.State, "state")
			diff(t, "Uint64", want.Next64, drawn(3, seeded(t, want.Seed).Uint64))
			g := seeded(t, want.Seed)
			diff(t, "Integers(0, 10)", want.To10, drawn(20, func() int64 { return g.Integers(0, 10) }))
			g = seeded(t, want.Seed)
			diff(t, "Integers(0, 3000000000)", want.Large, drawn(6, func() int64 { return g.Integers(0, 3000000000) }))
			diff(t, "Float64", want.Floats, drawn(3, seeded(t, want.Seed).Float64))
		})
	}
}

func diff(t *testing.T, what string, want, got any) {
	t.Helper()
	sharedtest.Same(t, got, want, what)
}

// Floats neither use nor clear the kept half, and a range of one takes no draw.
func TestInterleaved(t *testing.T) {
	g := seeded(t, 0)
	integer := func(low, high, want int64) {
		t.Helper()
		sharedtest.Equal(t, g.Integers(low, high), want, "Integers", low, high)
	}
	float := func(want float64) {
		t.Helper()
		sharedtest.Equal(t, g.Float64(), want, "Float64")
	}
	integer(0, 3, 2)
	float(0.2697867137638703)
	integer(0, 1, 0)
	integer(0, 4, 2)
	float(0.04097352393619469)
	integer(0, 7, 0)
	integer(2, 9, 2)
	integer(5, 6, 5)
	integer(0, 2, 0)
	float(0.9127555772777217)
	integer(0, 22, 17)
	integer(0, 6, 3)
	if g.state.String() != "90e994fc8e631df29e32b3053aa4aaea" || !g.hasHalf {
		t.Errorf("state %s, half kept %v", g.state, g.hasHalf)
	}
}

// Ranges of every width stay within their bounds, up to all of int64.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := sharedtest.Must(New(new(big.Int).SetUint64(rapid.Uint64().Draw(t, "seed"))))(t)
		low := rapid.Int64().Draw(t, "low")
		high := rapid.Int64Min(low).Draw(t, "high")
		if high == low {
			return
		}
		if v := g.Integers(low, high); v < low || v >= high {
			t.Fatalf("Integers(%d, %d) = %d", low, high, v)
		}
	})
}

func TestBelowWide(t *testing.T) {
	g, same := seeded(t, 7), seeded(t, 7)
	if got, want := g.bounded(1<<64-1), same.Uint64(); got != want {
		t.Errorf("all 64 bits: %x, want %x", got, want)
	}
	if got, want := g.bounded(1<<32-1), uint64(same.Uint32()); got != want {
		t.Errorf("all 32 bits: %x, want %x", got, want)
	}
	for range 100 { // more than half of the draws are rejected
		if got := g.bounded(1 << 63); got > 1<<63 {
			t.Errorf("below(2^63) = %x", got)
		}
	}
}

func TestBadArguments(t *testing.T) {
	sharedtest.Fails(t, sharedtest.Err(New(big.NewInt(-1))), "", "a negative seed was taken")
	defer func() {
		if recover() == nil {
			t.Error("an empty range gave a number")
		}
	}()
	seeded(t, 0).Integers(3, 3)
}

func BenchmarkIntegers(b *testing.B) {
	g := seeded(b, 1)
	for b.Loop() {
		g.Integers(0, 7)
	}
}
