package nprand

import (
	"fmt"
	"math/big"
	"testing"

	"heldout/envs/sharedtest"
)

// vector is what NumPy draws for one seed, each list from a fresh generator.
type vector struct {
	Seed    string
	Pool    []string
	State32 []string  `json:"generate_state_u32x8"`
	State64 []string  `json:"generate_state_u64x4"`
	State   string    `json:"pcg_state_after_seeding"`
	Inc     string    `json:"pcg_inc"`
	Next64  []string  `json:"next_u64"`
	To10    []int64   `json:"integers_0_10"`
	To6     []int64   `json:"integers_0_6"`
	To2     []int64   `json:"integers_0_2"`
	From1   []int64   `json:"integers_1_7"`
	Large   []int64   `json:"integers_0_3000000000"`
	Uniform []float64 `json:"uniform_0_1"`
	Mixed   [][]any
	End     string `json:"mixed_final_state"`
	Half    bool   `json:"mixed_final_buffered"`
}

func TestRecordedVectors(t *testing.T) {
	var vectors []vector
	sharedtest.JSON(t, "babyai/rng_vectors.json", &vectors)
	if len(vectors) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range vectors {
		t.Run(v.Seed, v.check)
	}
}

func (v *vector) check(t *testing.T) {
	seed, ok := new(big.Int).SetString(v.Seed, 10)
	if !ok {
		t.Fatal(v.Seed)
	}
	fresh := func() *Generator {
		return sharedtest.Must(New(seed))(t)
	}
	s := newSeedSequence(seed)
	diff(t, "pool", v.Pool, hexes("%08x", s.pool[:]))
	words32, words64 := s.words32(), s.words64()
	diff(t, "32-bit words", v.State32, hexes("%08x", words32[:]))
	diff(t, "64-bit words", v.State64, hexes("%016x", words64[:]))
	diff(t, "state and increment", []string{v.State, v.Inc}, []string{fresh().state.String(), fresh().inc.String()})
	diff(t, "Uint64", v.Next64, hexes("%016x", drawn(len(v.Next64), fresh().Uint64)))
	for _, r := range []struct {
		low, high int64
		want      []int64
	}{{0, 10, v.To10}, {0, 6, v.To6}, {0, 2, v.To2}, {1, 7, v.From1}, {0, 3000000000, v.Large}} {
		g := fresh()
		diff(t, fmt.Sprint("integers of ", r.low, r.high), r.want,
			drawn(len(r.want), func() int64 { return g.Integers(r.low, r.high) }))
	}
	diff(t, "floats", v.Uniform, drawn(len(v.Uniform), fresh().Float64))
	g := fresh()
	for _, m := range v.Mixed {
		if m[0] == "uniform" {
			diff(t, "float", m[1].(float64), g.Float64())
		} else {
			diff(t, "integer", int64(m[2].(float64)), g.Integers(int64(m[0].(float64)), int64(m[1].(float64))))
		}
	}
	diff(t, "end", State{State: v.End, Inc: v.Inc, HasHalf: v.Half, Half: g.State().Half}, g.State())
}

// hexes writes numbers as the records have them.
func hexes[T uint32 | uint64](format string, numbers []T) []string {
	var out []string
	for _, n := range numbers {
		out = append(out, fmt.Sprintf(format, n))
	}
	return out
}
