package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/envs/stream"
)

// counted makes clusters of one pair each from a table of counts.
func counted(table [2][2]int) (clusters [][]Pair) {
	for a, row := range table {
		for b, n := range row {
			for range n {
				clusters = append(clusters, []Pair{{a, b}})
			}
		}
	}
	return clusters
}

func alone(t testing.TB, n int) Sampling {
	t.Helper()
	groups := make([]Group, n)
	for i := range groups {
		groups[i].Setting = fmt.Sprint(i)
	}
	s := sharedtest.Must(NewSampling(TheseKinds, groups, 0.95))(t)
	return s
}

// Tables whose kappa was computed by hand, and whose standard error by the formula of
// Fleiss, Cohen and Everitt (1969): the one of AgentRefine's Section 8, and others.
func TestKappaByHand(t *testing.T) {
	for _, c := range []struct {
		table     [2][2]int
		kappa, se float64 // se 0: not compared
	}{
		// po = 0.88, pe = 0.56·0.5 + 0.44·0.5 = 0.5
		{[2][2]int{{47, 9}, {3, 41}}, 0.76, 0.064523},
		// po = 0.70, pe = 0.5·0.6 + 0.5·0.4 = 0.5
		{[2][2]int{{20, 5}, {10, 15}}, 0.40, 0.126996},
		// po = 0.9, pe = 0.9·0.9 + 0.1·0.1 = 0.82
		{[2][2]int{{85, 5}, {5, 5}}, 0.08 / 0.18, 0.147245},
		{[2][2]int{{0, 10}, {10, 0}}, -1, 0},
		{[2][2]int{{25, 25}, {25, 25}}, 0, 0.1},
	} {
		clusters := counted(c.table)
		k, err := NewKappa(clusters)
		if err != nil || math.Abs(k.Value-c.kappa) > 1e-9 {
			t.Errorf("%v: kappa %v, want %v (%v)", c.table, k.Value, c.kappa, err)
		}
		variance, _ := alone(t, len(clusters)).Variance(k.half.means())
		n := float64(len(clusters)) // the variance is unbiased, the formula's is not
		if se := 2 * math.Sqrt(variance*(n-1)/n); c.se > 0 && math.Abs(se-c.se) > 0.00005 {
			t.Errorf("%v: standard error %v, want %v", c.table, se, c.se)
		}
		// Items on which the raters differ carry a kappa above 0.
		if differ := float64(c.table[0][1] + c.table[1][0]); c.se > 0 && !(math.Abs(k.half.Carriers-differ) <= 1e-9) {
			t.Errorf("%v: %v items carry it, want %v", c.table, k.half.Carriers, differ)
		}
		iv, err := alone(t, len(clusters)).Kappa(k)
		if err != nil || !(iv.Low >= -1 && iv.Low <= k.Value && k.Value <= iv.High && iv.High <= 1) {
			t.Errorf("%v: interval %v of %v (%v)", c.table, iv, k.Value, err)
		}
	}
	for name, clusters := range map[string][][]Pair{"nothing": {{}, {}}, "one label": {{{0, 0}}, {{0, 0}}}} {
		if k, err := NewKappa(clusters); err == nil {
			t.Errorf("%s: %v", name, k)
		}
	}
}

// Items of one cluster carry a kappa together: 2, 1 and 1 of them count for 4²/6.
func TestKappaOfClusters(t *testing.T) {
	alike := []Pair{{0, 0}, {1, 1}}
	k, err := NewKappa([][]Pair{{{0, 1}, {1, 0}}, {{0, 1}, {0, 0}}, {{1, 0}, {1, 1}}, alike, alike})
	if err != nil || !(math.Abs(k.half.Carriers-16.0/6) <= 1e-9) {
		t.Errorf("%v items carry it, want 16/6 (%v)", k.half.Carriers, err)
	}
}

// Three labels, and the kappa of a published example (Cohen 1960, table 1: kappa 0.492 of 200 items).
func TestKappaOfThreeLabels(t *testing.T) {
	var clusters [][]Pair
	for a, row := range [][]int{{88, 14, 18}, {10, 40, 10}, {2, 6, 12}} {
		for b, n := range row {
			for range n {
				clusters = append(clusters, []Pair{{a, b}})
			}
		}
	}
	k, err := NewKappa(clusters)
	// po = 140/200; pe = 0.6·0.5 + 0.3·0.3 + 0.1·0.2 = 0.41
	if err != nil || math.Abs(k.Value-0.29/0.59) > 1e-12 {
		t.Errorf("%v, %v", k.Value, err)
	}
}

// rated draws clusters of pairs: the first rater's labels are given, the second's
// are others with a probability whose logit has an effect of the cluster.
func rated(rng *rand.Rand, clusters, size int, balanced bool, base, effect float64) (out [][]Pair) {
	for range clusters {
		logit := base + effect*rng.NormFloat64()
		var pairs []Pair
		for i := range size {
			a := i % 2
			if !balanced && rng.Float64() < 0.8 {
				a = 0
			}
			b := a
			if rng.Float64() < logistic(logit+0.5*float64(a)) {
				b = 1 - a
			}
			pairs = append(pairs, Pair{a, b})
		}
		out = append(out, pairs)
	}
	return out
}

// Intervals of kappa cover the true one. Run with -coverage for more draws.
func TestKappaCovers(t *testing.T) {
	runs, truth := 100, 20_000
	if *coverageRuns > 0 {
		runs, truth = *coverageRuns, 200_000
	}
	var all coverages
	for _, clusters := range sharedtest.Sample(t, []int{25, 50, 100}, 1, 2) {
		for _, size := range []int{2, 6} {
			for _, balanced := range []bool{true, false} {
				for _, base := range []float64{-3.5, -2, -1} { // kappa of about 0.9, 0.7, 0.4
					for _, effect := range []float64{0, 1} {
						name := fmt.Sprint(clusters, size, balanced, base, effect)
						big := sharedtest.Must(NewKappa(rated(stream.New(1, "kappa truth", name), truth, size,
							balanced, base, effect)))(t)
						rng := stream.New(2, "kappa", name)
						s := alone(t, clusters)
						covered, _ := covering(runs, func() (float64, Interval, error) {
							k, err := NewKappa(rated(rng, clusters, size, balanced, base, effect))
							if err != nil {
								return 0, Interval{}, err
							}
							iv, err := s.Kappa(k)
							return big.Value, iv, err
						})
						all = append(all, covered)
					}
				}
			}
		}
	}
	all.check(t, "kappa", 0.88, 0.93)
}
