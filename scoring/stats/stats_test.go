package stats

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
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

// trials returns n rates of which k are 1 and the others 0.
func trials(k, n int) []float64 {
	rates := make([]float64, n)
	for i := range k {
		rates[i] = 1
	}
	return rates
}

// plainSampling samples n independent tasks.
func plainSampling(n int, level float64) Sampling {
	s, err := NewSampling(TheseKinds, sizes(same(n, 1)...), level)
	if err != nil {
		panic(err)
	}
	return s
}

// rateInterval is the interval of independent tasks.
func rateInterval(rates []float64, level float64) Interval {
	return plainSampling(len(rates), level).Rate(rates).Interval
}

// TestRateIntervalOfTrials has the values of Newcombe (1998), method 3, and of two cases from our tables.
func TestRateIntervalOfTrials(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718},
		{10, 60, 0.0931, 0.2803}, {10, 10, 0.7225, 1},
	} {
		iv := rateInterval(trials(c.k, c.n), 0.95)
		near(t, fmt.Sprintf("%d of %d: Low", c.k, c.n), iv.Low, c.low, 5e-5)
		near(t, fmt.Sprintf("%d of %d: High", c.k, c.n), iv.High, c.high, 5e-5)
	}
}

// TestRateIntervalOfEqualRates: rates without any spread do not make an interval
// without width, neither as they are nor by rounding.
func TestRateIntervalOfEqualRates(t *testing.T) {
	for tenths := range 31 {
		rate := float64(tenths) / 30
		for n := 2; n < 130; n += 7 {
			rates := make([]float64, n)
			for i := range rates {
				rates[i] = rate
			}
			rates[0] = max(0, math.Nextafter(rate, 0))
			if iv := rateInterval(rates, 0.95); iv.High-iv.Low < 1/float64(n) {
				t.Errorf("%d times %v has the interval %v", n, rate, iv)
			}
		}
	}
}

func TestRateIntervalHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rates := rapid.SliceOfN(tenths, 2, 200).Draw(t, "rates")
		iv := rateInterval(rates, 0.95)
		m := Mean(rates)
		if !(0 <= iv.Low && iv.Low <= m+1e-9 && m-1e-9 <= iv.High && iv.High <= 1) {
			t.Fatalf("mean %v is outside of %v", m, iv)
		}
		wide := rateInterval(rates, 0.99)
		if wide.Low > iv.Low || wide.High < iv.High {
			t.Fatalf("at 99 %% %v is narrower than %v", wide, iv)
		}
	})
}

// TestWeightedIntervalOfTwo has the differences of Newcombe (1998, doi:10.1002/
// (SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I), method 10, which the
// same method gives: a - b is twice the mean of a and 1-b, less 1.
func TestWeightedIntervalOfTwo(t *testing.T) {
	for _, c := range []struct {
		a, n, b, m int
		low, high  float64
	}{
		{56, 70, 48, 80, 0.0524, 0.3339}, {9, 10, 3, 10, 0.1705, 0.8090}, {6, 7, 2, 7, 0.0582, 0.8062},
		{5, 56, 0, 29, -0.0381, 0.1926}, {0, 10, 0, 20, -0.1611, 0.2775}, {10, 10, 0, 20, 0.6791, 1},
	} {
		first, second := trials(c.a, c.n), trials(c.m-c.b, c.m)
		one := rateInterval(first, 0.95)
		two := rateInterval(second, 0.95)
		iv := weightedInterval([]float64{Mean(first), Mean(second)}, []Interval{one, two}, []float64{1, 1})
		near(t, fmt.Sprintf("%d/%d-%d/%d: Low", c.a, c.n, c.b, c.m), 2*iv.Low-1, c.low, 5e-5)
		near(t, fmt.Sprintf("%d/%d-%d/%d: High", c.a, c.n, c.b, c.m), 2*iv.High-1, c.high, 5e-5)
	}
}

// TestPairedAgrees: the interval holds 0 if and only if the test does not reject.
func TestPairedAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(4, 40).Draw(t, "n")
		rates := rapid.SliceOfN(tenths, n, n)
		a, b := rates.Draw(t, "a"), rates.Draw(t, "b")
		groups := make([]Group, n)
		diffs, back := make([]float64, n), make([]float64, n)
		for i := range groups {
			groups[i] = Group{fmt.Sprint(i % 4), fmt.Sprint(i / 8)}
			diffs[i], back[i] = a[i]-b[i], b[i]-a[i]
		}
		for _, q := range []Question{TheseKinds, NewKinds} {
			s, err := NewSampling(q, groups, 0.95)
			if err != nil {
				t.Skip("few degrees of freedom")
			}
			d := s.Paired(diffs, 10)
			if excludes := d.Low > 0 || d.High < 0; excludes != (d.P < 0.05) {
				t.Fatalf("%s: %+v", q, d)
			}
			other := s.Paired(back, 10)
			if math.Abs(d.Low+other.High) > 1e-9 || math.Abs(d.P-other.P) > 1e-9 {
				t.Fatalf("%s: %+v and %+v", q, d, other)
			}
		}
	})
}

// TestPairedAlike: the extra tasks leave an interval if all differences are equal.
func TestPairedAlike(t *testing.T) {
	d := plainSampling(134, 0.95).Paired(make([]float64, 134), 1)
	near(t, "none of 134: High", d.High, 0.0206, 1e-4)
	near(t, "none of 134: P", d.P, 1, 0)
	d = plainSampling(6, 0.95).Paired(trials(6, 6), 1)
	near(t, "six of six: Low", d.Low, 0.107, 1e-3)
	near(t, "six of six: High", d.High, 1, 0)
	near(t, "six of six: P", d.P, 0.030, 1e-3)
	d = plainSampling(6, 0.95).Paired(trials(5, 6), 1)
	near(t, "five of six: Low", d.Low, -0.048, 1e-3)
	near(t, "five of six: P", d.P, 0.063, 1e-3)
}
