package stats

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
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

// trials returns n rates of which k are 1 and the others 0.
func trials(k, n int) []float64 {
	rates := make([]float64, n)
	for i := range k {
		rates[i] = 1
	}
	return rates
}

// TestRateIntervalOfTrials has the values of Newcombe (1998), method 3, and of
// two cases from our tables.
func TestRateIntervalOfTrials(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718},
		{10, 60, 0.0931, 0.2803}, {10, 10, 0.7225, 1},
	} {
		iv, ok := RateInterval(trials(c.k, c.n), 0.95)
		if !ok {
			t.Fatal("no interval")
		}
		near(t, fmt.Sprintf("%d of %d: Low", c.k, c.n), iv.Low, c.low, 5e-5)
		near(t, fmt.Sprintf("%d of %d: High", c.k, c.n), iv.High, c.high, 5e-5)
	}
	for n := range 2 {
		if iv, ok := RateInterval(trials(n, n), 0.95); ok {
			t.Errorf("%d tasks have the interval %v", n, iv)
		}
	}
}

// TestRateIntervalOfAverages is worked by hand: 0.2, 0.4, 0.6, 0.8 have the mean
// 0.5 and the variance 0.0667, so that the effective size is
// 4*0.25/0.0667*(1.95996/3.18245)^2 = 5.6894.
func TestRateIntervalOfAverages(t *testing.T) {
	iv, _ := RateInterval([]float64{0.2, 0.4, 0.6, 0.8}, 0.95)
	// Wilson's interval of 5.6894 trials around 0.5 is 0.5 ± 0.5/sqrt(1+5.6894/1.95996^2).
	half := 0.5 / math.Sqrt(1+5.6894/(1.95996*1.95996))
	near(t, "Low", iv.Low, 0.5-half, 1e-4)
	near(t, "High", iv.High, 0.5+half, 1e-4)
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
			iv, ok := RateInterval(rates, 0.95)
			if !ok || iv.High-iv.Low < 1/float64(n) {
				t.Errorf("%d times %v has the interval %v", n, rate, iv)
			}
		}
	}
}

// TestRateIntervalCovers draws benchmarks of 20 tasks and counts how often the
// interval has the true rate in it.
func TestRateIntervalCovers(t *testing.T) {
	const benchmarks, tasks = 2000, 20
	for _, c := range []struct {
		name  string
		seeds int
		easy  float64 // share of tasks with the rate 0.9, the others have 0.1
	}{
		{"one seed", 1, 0.3}, {"ten seeds", 10, 0.3}, {"ten seeds, half", 10, 0.5},
	} {
		rng := stream.New(1, "covers", c.name)
		truth, hits := c.easy*0.9+(1-c.easy)*0.1, 0
		for range benchmarks {
			rates := make([]float64, tasks)
			for i := range rates {
				rate := 0.1
				if rng.Float64() < c.easy {
					rate = 0.9
				}
				for range c.seeds {
					if rng.Float64() < rate {
						rates[i] += 1 / float64(c.seeds)
					}
				}
			}
			if iv, _ := RateInterval(rates, 0.95); iv.Low <= truth && truth <= iv.High {
				hits++
			}
		}
		near(t, c.name+": coverage", float64(hits)/benchmarks, 0.955, 0.02)
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

// TestWeightedIntervalOfTwo has the differences of Newcombe (1998, doi:10.1002/
// (SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I), method 10, which are
// those of the same method: a - b is twice the mean of a and 1-b, less 1.
func TestWeightedIntervalOfTwo(t *testing.T) {
	for _, c := range []struct {
		a, n, b, m int
		low, high  float64
	}{
		{56, 70, 48, 80, 0.0524, 0.3339}, {9, 10, 3, 10, 0.1705, 0.8090}, {6, 7, 2, 7, 0.0582, 0.8062},
		{5, 56, 0, 29, -0.0381, 0.1926}, {0, 10, 0, 20, -0.1611, 0.2775}, {10, 10, 0, 20, 0.6791, 1},
	} {
		first, second := trials(c.a, c.n), trials(c.m-c.b, c.m)
		one, _ := RateInterval(first, 0.95)
		two, _ := RateInterval(second, 0.95)
		iv := WeightedInterval([]float64{Mean(first), Mean(second)}, []Interval{one, two}, []float64{1, 1})
		near(t, fmt.Sprintf("%d/%d-%d/%d: Low", c.a, c.n, c.b, c.m), 2*iv.Low-1, c.low, 5e-5)
		near(t, fmt.Sprintf("%d/%d-%d/%d: High", c.a, c.n, c.b, c.m), 2*iv.High-1, c.high, 5e-5)
	}
}

// TestWeightedIntervalCovers draws the tasks of the held-out environments again
// and again: about 95 % of the intervals hold the score that all tasks would have.
func TestWeightedIntervalCovers(t *testing.T) {
	weights := []float64{112, 90, 60, 20} // and tasks
	for i, truth := range [][]float64{{0.7, 0.4, 0.2, 0.1}, {0.95, 0.05, 0.02, 0.3}, {0.5, 0.5, 0.5, 0.5}, {0.02, 0.01, 0.01, 0.01}} {
		rng := stream.New(int64(i), "coverage")
		const draws = 4000
		held := 0
		for range draws {
			var means []float64
			var ivs []Interval
			for e, p := range truth {
				rates := make([]float64, int(weights[e]))
				for k := range rates {
					if rng.Float64() < p {
						rates[k] = 1
					}
				}
				iv, _ := RateInterval(rates, 0.95)
				means, ivs = append(means, Mean(rates)), append(ivs, iv)
			}
			if iv, score := WeightedInterval(means, ivs, weights), WeightedMean(truth, weights); iv.Low <= score && score <= iv.High {
				held++
			}
		}
		near(t, fmt.Sprint(truth, ": coverage"), float64(held)/draws, 0.955, 0.035)
	}
}

func TestPaired(t *testing.T) {
	a := []float64{1, 1, 0, 1, 1, 1, 0, 1}
	b := []float64{0, 1, 0, 0, 1, 0, 0, 0}
	d, ok := Paired(a, b, 0.95, nil)
	if !ok || d.N != 8 {
		t.Fatal(d, ok)
	}
	near(t, "Mean", d.Mean, 0.5, 1e-15)
	// t(7) = 2.3646, std = 0.53452, so half = 0.44687.
	near(t, "Low", d.Low, 0.05313, 1e-4)
	near(t, "High", d.High, 0.94687, 1e-4)
	near(t, "P", d.P, 0.125, 0) // 4 discordant pairs, all one way: 2/2^4
}

// TestPairedSleep has the numbers of Student's own example (1908), scaled to
// rates: R's t.test gives 0.7001142 to 2.4598858 for it. Nine differences are
// positive and one is 0, so that P is 2/2^9.
func TestPairedSleep(t *testing.T) {
	hours := []float64{1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4}
	a, b := make([]float64, len(hours)), make([]float64, len(hours))
	for i, h := range hours {
		a[i], b[i] = 0.3+h/10, 0.3
	}
	d, _ := Paired(a, b, 0.95, nil)
	near(t, "Mean", d.Mean, 0.158, 1e-12)
	near(t, "Low", d.Low, 0.07001142, 1e-8)
	near(t, "High", d.High, 0.24598858, 1e-8)
	near(t, "P", d.P, 2.0/512, 0)
}

// TestPairedIsMcNemar: for single trials the test is the two-sided binomial test
// on the discordant pairs, exact for few of them and estimated for many.
func TestPairedIsMcNemar(t *testing.T) {
	for _, c := range []struct {
		wins, losses, ties int
		tolerance          float64
	}{
		{3, 9, 48, 1e-12}, {5, 5, 10, 1e-12}, {16, 0, 0, 1e-12}, {1, 1, 0, 1e-12},
		{20, 10, 30, 0.01}, {40, 30, 0, 0.015}, {12, 9, 0, 0.015},
	} {
		n := c.wins + c.losses + c.ties
		a, b := trials(c.wins, n), make([]float64, n)
		for i := range c.losses {
			b[c.wins+i] = 1
		}
		discordant := distuv.Binomial{N: float64(c.wins + c.losses), P: 0.5}
		want := min(1, 2*discordant.CDF(float64(min(c.wins, c.losses))))
		d, _ := Paired(a, b, 0.95, stream.New(1, "mcnemar"))
		near(t, fmt.Sprintf("P of %d to %d", c.wins, c.losses), d.P, want, c.tolerance)
	}
}

// TestPairedCountsExactly compares P with a count in whole numbers, which sums of
// tenths do not come out equal without.
func TestPairedCountsExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.SliceOfN(rapid.IntRange(-10, 10), 2, 8).Draw(t, "tenths")
		a, b := make([]float64, len(whole)), make([]float64, len(whole))
		observed := 0
		for i, d := range whole {
			a[i], b[i] = float64(max(0, d))/10, float64(max(0, -d))/10
			observed += d
		}
		extreme := 0
		for signs := range 1 << len(whole) {
			sum := 0
			for i, d := range whole {
				sum += d * (1 - 2*(signs>>i&1))
			}
			if max(sum, -sum) >= max(observed, -observed) {
				extreme++
			}
		}
		d, _ := Paired(a, b, 0.95, nil)
		if want := float64(extreme) / float64(int(1)<<len(whole)); d.P != want {
			t.Fatalf("P = %v, want %v", d.P, want)
		}
	})
}

// TestPairedEstimateIsAboveZero: chance alone is never ruled out by drawing.
func TestPairedEstimateIsAboveZero(t *testing.T) {
	d, _ := Paired(trials(60, 60), trials(0, 60), 0.95, stream.New(1, "above zero"))
	near(t, "P", d.P, 1.0/10001, 1e-12)
}

// TestPairedAlike: where no task says anything else than the others there is no
// interval, and the test knows only their number.
func TestPairedAlike(t *testing.T) {
	for _, n := range []int{2, 20} {
		same, _ := Paired(trials(1, n), trials(1, n), 0.95, stream.New(1, "alike"))
		if same.Mean != 0 || same.P != 1 || !math.IsNaN(same.Low) || !math.IsNaN(same.High) {
			t.Errorf("%d equal pairs: %+v", n, same)
		}
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			b[i] = float64(i) / 100
			a[i] = b[i] + 0.1 // 0.1 up to rounding
		}
		all, _ := Paired(a, b, 0.95, stream.New(1, "alike"))
		if !math.IsNaN(all.Low) || !math.IsNaN(all.High) {
			t.Errorf("%d equal differences: %+v", n, all)
		}
	}
	if d, ok := Paired([]float64{1}, []float64{0}, 0.95, nil); ok {
		t.Errorf("one pair: %+v", d)
	}
}

// TestPairedWithinRange: the interval does not leave what differences can be.
func TestPairedWithinRange(t *testing.T) {
	d, _ := Paired([]float64{1, 1, 0.5}, []float64{0, 0, 0}, 0.99, nil)
	if d.High != 1 || d.Low < -1 {
		t.Errorf("%+v", d)
	}
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

// TestHolm has values of R's p.adjust.
func TestHolm(t *testing.T) {
	for _, c := range []struct{ ps, want []float64 }{
		{[]float64{0.04, 0.01, 0.03, 0.5}, []float64{0.09, 0.04, 0.09, 0.5}},
		{[]float64{0.01, 0.04, 0.03, 0.005}, []float64{0.03, 0.06, 0.06, 0.02}},
		{[]float64{0.02, 0.02, 0.02}, []float64{0.06, 0.06, 0.06}},
		{[]float64{0.6, 0.7}, []float64{1, 1}},
		{[]float64{0.3}, []float64{0.3}},
		{nil, nil},
	} {
		got := Holm(c.ps)
		if len(got) != len(c.want) {
			t.Fatalf("%v has the corrections %v", c.ps, got)
		}
		for i, want := range c.want {
			near(t, fmt.Sprint("Holm of ", c.ps), got[i], want, 1e-12)
		}
	}
}

func TestHolmHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 20).Draw(t, "ps")
		got := Holm(ps)
		for i := range ps {
			if got[i] < ps[i] || got[i] > min(1, ps[i]*float64(len(ps))) {
				t.Fatalf("%v becomes %v of %d", ps[i], got[i], len(ps))
			}
			for j := range ps {
				if ps[i] < ps[j] && got[i] > got[j] {
					t.Fatalf("%v and %v change places: %v, %v", ps[i], ps[j], got[i], got[j])
				}
			}
		}
	})
}
