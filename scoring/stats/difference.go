package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Difference is the difference of two means on the same tasks.
type Difference struct {
	Mean float64 // of a-b
	// Interval is around Centre, which is nearer to 0 than Mean if few tasks were played.
	Interval
	Centre float64
	// Variance is the variance of Centre, with its degrees of freedom: from the design with the widest interval.
	Variance, Degrees float64
	// P is two-sided and uses the same t as the interval: the interval of level
	// 1-α holds 0 if and only if P is at least α.
	P float64
	N int // tasks

	spreads []spread
	limit   float64 // the largest that it can be; 0 stands for 1
}

// spread is the variance of a centre by one design.
type spread struct{ variance, degrees float64 }

// Paired estimates the mean of differences of rates, one for each task. Rates are averages over the given number of
// seeds, the smaller one if they differ. Two tasks are added that differ by ±1/√seeds, as Bonett and Price (2012,
// doi:10.3102/1076998611411915) add them to a paired 2×2 table; so there is also an interval if all tasks differ by
// the same amount. Of several designs the largest half width and the largest P count.
func (s Sampling) Paired(diffs []float64, seeds int) Difference { return s.paired(diffs, seeds, 1) }

// PairedChanges is Paired for differences of changes of rates, which can be as large as 2.
func (s Sampling) PairedChanges(diffs []float64, seeds int) Difference {
	return s.paired(diffs, seeds, 2)
}

func (s Sampling) paired(diffs []float64, seeds int, limit float64) Difference {
	n := float64(s.n)
	d := Difference{Mean: Exact(Mean(diffs)), N: s.n, limit: limit}
	d.Centre = n * d.Mean / (n + 2)
	return d.blocked(s.designs, func(g design) float64 {
		return (n*n*g.variance(diffs) + 2*(1/float64(seeds)+d.Mean*d.Mean)) / ((n + 2) * (n + 2))
	})
}

// by gives a difference the widest interval and the largest P of designs, by which its centre has a variance; a design
// by which it has none says nothing.
func (d Difference) blocked(designs []design, variance func(design) float64) Difference {
	widest := 0.0
	for _, g := range designs {
		v := variance(g)
		if v == 0 {
			continue
		}
		if w := g.t * g.t * v; w > widest {
			widest, d.Variance, d.Degrees = w, v, g.degrees
		}
		d.P = max(d.P, twoSided(d.Centre, v, g.degrees))
		d.spreads = append(d.spreads, spread{v, g.degrees})
	}
	d.Interval = d.around(widest)
	return d
}

// at gives a difference the P and the interval of its variance.
func (d Difference) atLevel(level float64) Difference {
	d.P = twoSided(d.Centre, d.Variance, d.Degrees)
	d.Interval = d.around(width(d.Variance, d.Degrees, level))
	return d
}

// AtLevel returns the difference with the interval of another level, from the same variances
// as P. One without a variance keeps its interval.
func (d Difference) AtLevel(level float64) Difference {
	if d.spreads == nil && d.Degrees == 0 {
		return d
	}
	squared := width(d.Variance, d.Degrees, level)
	for _, s := range d.spreads {
		squared = max(squared, width(s.variance, s.degrees, level))
	}
	d.Interval = d.around(squared)
	return d
}

// DecodingDifference is the difference of two estimates by DecodingRate on the same tasks.
func DecodingDifference(a, b Estimate, level float64) Difference {
	d := Difference{Mean: Exact(a.Mean - b.Mean), Variance: a.Variance + b.Variance, Degrees: a.Degrees + b.Degrees,
		N: a.N}
	d.Centre = d.Mean
	return d.atLevel(level)
}

// CombineDifferences is the weighted mean of differences on independent sets of tasks: variances add up, with
// Satterthwaite's degrees of freedom. The slices have the same length, the weights are positive.
func CombineDifferences(parts []Difference, weights []float64, level float64) Difference {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	var d Difference
	fourth := 0.0
	for i, p := range parts {
		share := weights[i] / total
		v := share * share * p.Variance
		d.Mean += share * p.Mean
		d.Centre += share * p.Centre
		d.Variance += v
		fourth += v * v / p.Degrees
		d.N += p.N
	}
	d.Mean, d.Centre, d.Degrees = Exact(d.Mean), Exact(d.Centre), d.Variance*d.Variance/fourth
	return d.atLevel(level)
}

// Plus adds chance that does not come from the tasks, such as a training's: its
// variance, with its degrees of freedom. Degrees are combined as Satterthwaite does.
func (d Difference) Plus(variance, degrees, level float64) Difference {
	if variance == 0 {
		return d
	}
	sum := d.Variance + variance
	d.Degrees = sum * sum / (d.Variance*d.Variance/d.Degrees + variance*variance/degrees)
	d.Variance, d.spreads = sum, nil
	return d.atLevel(level)
}

// around returns the interval of a squared half width, which does not leave what the difference can be.
func (d Difference) around(squared float64) Interval {
	half, limit := math.Sqrt(squared), max(1, d.limit)
	return limits(max(-limit, d.Centre-half), min(limit, d.Centre+half))
}

// twoSided is the probability of a t at least as far from 0.
func twoSided(centre, variance, degrees float64) float64 {
	return 2 * studentTail(math.Abs(centre)/math.Sqrt(variance), degrees)
}

// studentTail is the probability of a larger t, which is at least 0.
func studentTail(t, degrees float64) float64 {
	if degrees > manyDegrees {
		return 0.5 * (1 - math.Erf(t/math.Sqrt2))
	}
	return 0.5 * mathext.RegIncBeta(degrees/2, 0.5, degrees/(t*t+degrees))
}
