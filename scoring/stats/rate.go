package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// Estimate is a mean with what its interval was made from.
type Estimate struct {
	Mean float64
	Interval
	// Variance is the variance of the mean, with its degrees of freedom.
	Variance, Degrees float64
	// Trials says that every value is 0 or 1; N counts the tasks.
	Trials bool
	N      int
}

// intraclass is the assumed correlation within clusters if the data cannot give
// it because no value differs from the others.
const intraclass = 0.1

// The spread among tasks is trusted if the estimate is carried by an effective number of manyCarriers or more of
// them, not at all if it is carried by fewCarriers or fewer, and in part between. A step there would make intervals
// jump from one point of a curve to the next.
const (
	fewCarriers  = 2
	manyCarriers = 6
)

// Rate estimates the mean of values in [0,1], one for each task, with a score interval: the squared distance of a
// limit from the mean is t² times the variance, scaled by how rates spread at the limit rather than at the mean.
// For single trials that is Wilson's interval with the effective sample size (Korn and Graubard 1998; Franco et al.
// 2019, doi:10.1093/jssam/smy019); averages spread less near 0 and 1, so for them the scale has the exponent 1.5 of
// θ(1-θ). Where no or few values differ from 0, or from 1, it is widened towards Wilson's interval of as many
// independent trials as the tasks are worth.
func (s Sampling) Rate(values []float64) Estimate {
	e := Estimate{Mean: Mean(values), Trials: trialsOnly(values), N: len(values)}
	e.Variance, e.Degrees = s.Variance(values)
	worth := float64(s.n) / (1 + intraclass*(s.clusterSize-1))
	outer := wilson(e.Mean, worth, s.z)
	if e.Mean <= rounding || e.Mean >= 1-rounding {
		e.Interval = outer
		return e
	}
	independent := s.z * s.z * e.Mean * (1 - e.Mean) / float64(s.n)
	squared := 0.0
	for _, d := range s.designs {
		w := d.t * d.t * d.variance(values)
		if d.single { // no rate spreads wider than single trials
			w = min(w, independent)
		}
		squared = max(squared, w)
	}
	if squared < rounding {
		squared = independent
	}
	e.Interval = scoreInterval(e.Mean, squared, e.Trials)
	e.Interval = widened(e.Interval, outer, carriers(values, e.Mean))
	return e
}

// widened moves the limits of an interval towards the limits of one that does not depend on the spread among tasks, the
// more the fewer tasks carry the estimate; NaN carriers leave it.
func widened(i, outer Interval, carriers float64) Interval {
	share := (manyCarriers - max(carriers, fewCarriers)) / (manyCarriers - fewCarriers)
	if !(share > 0) {
		return i
	}
	return limits(i.Low-share*max(0, i.Low-outer.Low), i.High+share*max(0, outer.High-i.High))
}

// carriers is the effective number of tasks that keep the mean from 0, or from 1 if that is nearer.
func carriers(values []float64, mean float64) float64 {
	var sum, squares float64
	for _, y := range values {
		if mean >= 0.5 {
			y = 1 - y
		}
		sum += y
		squares += y * y
	}
	return sum * sum / squares
}

func trialsOnly(values []float64) bool {
	return !slices.ContainsFunc(values, func(y float64) bool { return y != 0 && y != 1 })
}

// scoreInterval solves (p-θ)² = squared·(θ(1-θ)/(p(1-p)))^γ for both limits, with
// γ = 1 for single trials and 1.5 otherwise; 0 < p < 1.
func scoreInterval(p, squared float64, trials bool) Interval {
	exponent := 1.5
	if trials {
		exponent = 1
	}
	inside := func(limit float64) bool {
		return (p-limit)*(p-limit) < squared*math.Pow(limit*(1-limit)/(p*(1-p)), exponent)
	}
	return limits(bisect(p, 0, inside), bisect(p, 1, inside))
}

// bisect returns the point between a value inside and a value outside at which inside changes.
func bisect(in, out float64, inside func(float64) bool) float64 {
	for range 60 {
		if middle := (in + out) / 2; inside(middle) {
			in = middle
		} else {
			out = middle
		}
	}
	return (in + out) / 2
}

// Wilson is Wilson's score interval (1927, doi:10.1080/01621459.1927.10502953) of a
// rate p of n trials; n may be an effective number.
func Wilson(p, n, level float64) Interval { return wilson(p, n, normalQuantile(level)) }

func wilson(p, n, z float64) Interval {
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return limits(max(0, centre-half), min(1, centre+half))
}

// DecodingRate estimates the mean over tasks of the mean over episodes for TheseTasks: episodes[i] has the values
// of task i, in [0,1]. Only the spread within tasks counts. If no task has two episodes, luck cannot be separated
// from difficulty. The returned interval is then the one of independent trials, which is an upper bound of the
// width, and Degrees is 0.
func DecodingRate(episodes [][]float64, level float64) Estimate {
	e := Estimate{Trials: true, N: len(episodes)}
	var pooled, total float64
	for _, values := range episodes {
		e.Mean += Mean(values) / float64(len(episodes))
		e.Trials = e.Trials && trialsOnly(values)
		total += float64(len(values))
		if len(values) > 1 {
			free := float64(len(values) - 1)
			pooled += Variance(values) * free
			e.Degrees += free
		}
	}
	if e.Degrees == 0 {
		e.Variance = e.Mean * (1 - e.Mean) / total
		e.Interval = Wilson(e.Mean, total, level)
		return e
	}
	pooled /= e.Degrees
	n := float64(len(episodes))
	for _, values := range episodes {
		variance := pooled // of a task with one episode
		if len(values) > 1 {
			variance = Variance(values)
		}
		e.Variance += variance / float64(len(values)) / (n * n)
	}
	return e.decoded(total, total, level)
}

// decoded gives an estimate from so many episodes, which are worth so many independent trials, its interval for other
// decodings: one more of them is odd in one task.
func (e Estimate) decoded(episodes, worth, level float64) Estimate {
	e.Variance += 1 / (episodes * episodes)
	if e.Mean <= rounding || e.Mean >= 1-rounding {
		e.Interval = Wilson(e.Mean, worth, level)
		return e
	}
	z := normalQuantile(level)
	squared := min(width(e.Variance, e.Degrees, level), z*z*e.Mean*(1-e.Mean)/worth)
	e.Interval = scoreInterval(e.Mean, squared, true)
	return e
}

// Combine estimates the weighted mean of independent estimates: variances add up, with Satterthwaite's degrees of
// freedom, and one score interval is made of the sum. A mean of 0 or 1 has the limits of its parts combined instead
// (weightedInterval). The slices have the same length, the weights are positive.
func Combine(parts []Estimate, weights []float64, level float64) Estimate {
	var total float64
	var means []float64
	var ivs []Interval
	for i, p := range parts {
		total += weights[i]
		means, ivs = append(means, p.Mean), append(ivs, p.Interval)
	}
	e := Estimate{Mean: WeightedMean(means, weights), Trials: true}
	fourth := 0.0
	for i, p := range parts {
		share := weights[i] / total
		v := p.Variance
		if v == 0 {
			v = 1 / (4 * float64(p.N) * float64(p.N))
		}
		v *= share * share
		e.Variance += v
		if p.Degrees > 0 {
			fourth += v * v / p.Degrees
		}
		e.Trials = e.Trials && p.Trials
		e.N += p.N
	}
	e.Degrees = math.Inf(1)
	if fourth > 0 {
		e.Degrees = e.Variance * e.Variance / fourth
	}
	if e.Mean <= rounding || e.Mean >= 1-rounding {
		e.Interval = weightedInterval(means, ivs, weights)
		return e
	}
	e.Interval = scoreInterval(e.Mean, width(e.Variance, e.Degrees, level), e.Trials)
	return e
}

// normalQuantile bounds the middle part of the normal distribution.
func normalQuantile(level float64) float64 { return mathext.NormalQuantile((1 + level) / 2) }

// manyDegrees is the number of degrees of freedom from which Student's t distribution counts as normal.
const manyDegrees = 1e6

// studentQuantile bounds the middle part of Student's t distribution.
func studentQuantile(level, degrees float64) float64 {
	if degrees > manyDegrees {
		return normalQuantile(level)
	}
	// The tail beyond q is half of the regularised incomplete beta function I(degrees/2, 1/2) at degrees/(q²+degrees).
	t := mathext.InvRegIncBeta(degrees/2, 0.5, 2*(1-(1+level)/2))
	return math.Sqrt(degrees * (1 - t) / t)
}
