package stats

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"heldout/envs/stream"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// tenths draws rates as averages over ten seeds have them.
var tenths = rapid.Map(rapid.IntRange(0, 10), func(i int) float64 { return float64(i) / 10 })

func TestSpread(t *testing.T) {
	xs := []float64{0.448, 0.500, 0.515, 0.545, 0.455, 0.448} // AgentRefine, Table 3
	near(t, "Mean", Mean(xs), 0.4851667, 1e-6)
	near(t, "PopulationStd", PopulationStd(xs), 0.0373, 5e-5)
	near(t, "SampleStd", SampleStd(xs), 0.0373*math.Sqrt(6.0/5), 1e-4)
	if !math.IsNaN(SampleStd([]float64{1})) {
		t.Error("the sample deviation of one value is a number")
	}
}

func TestWeightedMean(t *testing.T) {
	near(t, "WeightedMean", WeightedMean([]float64{1, 0}, []float64{1, 3}), 0.25, 1e-15)
}

func TestRateInterval(t *testing.T) {
	// Wilson's interval of 10 of 60 at 95 %: 0.0931 to 0.2803.
	trials := make([]float64, 60)
	for i := range 10 {
		trials[i] = 1
	}
	iv, ok := RateInterval(trials, 0.95)
	if !ok {
		t.Fatal("no interval")
	}
	near(t, "Low", iv.Low, 0.0931, 5e-5)
	near(t, "High", iv.High, 0.2803, 5e-5)
	all := []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1} // 10 of 10: 0.7225 to 1
	if iv, _ = RateInterval(all, 0.95); iv.High != 1 {
		t.Errorf("High = %v, want 1", iv.High)
	}
	near(t, "Low", iv.Low, 0.7225, 5e-5)
	if _, ok := RateInterval([]float64{1}, 0.95); ok {
		t.Error("one task has an interval")
	}
}

func TestRateIntervalHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rates := rapid.SliceOfN(tenths, 2, 200).Draw(t, "rates")
		iv, ok := RateInterval(rates, 0.95)
		m := Mean(rates)
		if !ok || !(0 <= iv.Low && iv.Low <= m+1e-9 && m-1e-9 <= iv.High && iv.High <= 1) {
			t.Fatalf("mean %v is outside of %v", m, iv)
		}
		wide, _ := RateInterval(rates, 0.99)
		if wide.Low > iv.Low || wide.High < iv.High {
			t.Fatalf("at 99 %% %v is narrower than %v", wide, iv)
		}
	})
}

func TestPaired(t *testing.T) {
	a := []float64{1, 1, 0, 1, 1, 1, 0, 1}
	b := []float64{0, 1, 0, 0, 1, 0, 0, 0}
	d, ok := Paired(a, b, 0.95, stream.New(1, "test"))
	if !ok || d.N != 8 {
		t.Fatal(d, ok)
	}
	near(t, "Mean", d.Mean, 0.5, 1e-15)
	// t(7) = 2.3646, std = 0.53452, so half = 0.44687.
	near(t, "Low", d.Low, 0.05313, 1e-4)
	near(t, "High", d.High, 0.94687, 1e-4)
	near(t, "P", d.P, 0.125, 0.02) // 4 discordant pairs, all one way: 2/2^4
}

func TestPairedIsAntisymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		rates := rapid.SliceOfN(tenths, n, n)
		a, b := rates.Draw(t, "a"), rates.Draw(t, "b")
		x, _ := Paired(a, b, 0.9, stream.New(3, "x"))
		y, _ := Paired(b, a, 0.9, stream.New(3, "x"))
		if math.Abs(x.Mean+y.Mean) > 1e-12 || math.Abs(x.Low+y.High) > 1e-9 || x.P != y.P {
			t.Fatalf("%v and %v", x, y)
		}
	})
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{0.04, 0.01, 0.03, 0.5})
	for i, want := range []float64{0.09, 0.04, 0.09, 0.5} {
		near(t, "Holm", got[i], want, 1e-12)
	}
}
