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
	for _, want := range []struct {
		seed   int64
		state  string
		next64 []uint64
		to10   []int64
		large  []int64 // of 3000000000: some draws are rejected
		floats []float64
	}{
		{
			0, "1aa1b5345996452d09585eb7a69561e3",
			[]uint64{0xa30febcfd9c2825f, 0x4510bdf882d9d721, 0x0a7d3da94ecde8b8},
			[]int64{8, 6, 5, 2, 3, 0, 0, 0, 1, 8, 6, 9, 5, 6, 9, 7, 6, 5, 5, 9},
			[]int64{2551872677, 1910885061, 1533409439, 809360140, 923488268, 122920571},
			[]float64{0.6369616873214543, 0.2697867137638703, 0.04097352393619469},
		},
		{
			1, "9c5b484bfedb756c2a6e7d6f320fbc7e",
			[]uint64{0x8306bdf37922e4ff, 0xf35196bbc152a866, 0x24e7a4f608ec18cd},
			[]int64{4, 5, 7, 9, 0, 1, 8, 9, 2, 3, 8, 4, 2, 8, 2, 4, 6, 5, 0, 0},
			[]int64{1535464873, 2851391088, 104557657, 2845948340, 935494355, 2607075741},
			[]float64{0.5118216247002567, 0.9504636963259353, 0.14415961271963373},
		},
		{
			1234, "160ad84006fe21eaf69b873d9fe45409",
			[]uint64{0xfa08fef3fab6bbba, 0x615481f7fce9ac81, 0xec59dd7c2bde3cb4},
			[]int64{9, 9, 9, 3, 1, 9, 1, 2, 1, 3, 5, 1, 7, 2, 7, 3, 7, 9, 9, 2},
			[]int64{2938052366, 2930099299, 2963821739, 1140587204, 314677933, 785077271},
			[]float64{0.9766997666981422, 0.3801957350196178, 0.9232462337639554},
		},
	} {
		t.Run(fmt.Sprint(want.seed), func(t *testing.T) {
			sharedtest.Equal(t, seeded(t, want.seed).state.String(), want.state, "state")
			diff(t, "Uint64", want.next64, drawn(3, seeded(t, want.seed).Uint64))
			g := seeded(t, want.seed)
			diff(t, "Integers(0, 10)", want.to10, drawn(20, func() int64 { return g.Integers(0, 10) }))
			g = seeded(t, want.seed)
			diff(t, "Integers(0, 3000000000)", want.large, drawn(6, func() int64 { return g.Integers(0, 3000000000) }))
			diff(t, "Float64", want.floats, drawn(3, seeded(t, want.seed).Float64))
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
