package minigrid

import (
	"math/big"
	"testing"

	"heldout/envs/babyai/nprand"
)

// seeded returns the random numbers of a seed.
func seeded(t testing.TB, seed int64) *nprand.Generator {
	t.Helper()
	rng, err := nprand.New(big.NewInt(seed))
	if err != nil {
		t.Fatal(err)
	}
	return rng
}

// generated returns the world of a level and seed.
func generated(t testing.TB, level int, seed int64) *World {
	t.Helper()
	w, err := NewGenerator(&Levels()[level-1]).Generate(seeded(t, seed))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func BenchmarkGenerate(b *testing.B) {
	seed := int64(0)
	for b.Loop() {
		generated(b, int(seed%40)+1, seed/40)
		seed++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "worlds/s")
}
