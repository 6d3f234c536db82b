package stats

import (
	"errors"
	"math"
)

// ErrNoBase says that a share of a mean has no interval: the mean is not certainly
// above 0, so the share may be anything.
var ErrNoBase = errors.New("the rate without a perturbation is not certainly above 0")

// Lost is the share of a mean that is lost: 1 - after/before. It is 0 if nothing is
// lost, 1 if everything is, negative if after is larger, and above 1 if after is below 0.
type Lost struct {
	Value float64
	Interval
	// P is two-sided, for the hypothesis that nothing is lost. The interval holds 0 if
	// and only if P is at least 1 minus the level.
	P float64
	// Variance is the variance of Value by the delta method, with its degrees of freedom.
	Variance, Degrees float64
}

// LostShare estimates the share of the mean base that perturbed has lost, with Fieller's interval (1954,
// doi:10.1111/j.2517-6161.1954.tb00159.x): it has the shares r for which the mean of perturbed - (1-r)·base does
// not differ from 0. So it needs no variance of a ratio, which has none, and is not wider on one side by convention
// only. Contrast estimates the mean of u·perturbed - v·base; the larger of u and v is 1, so that contrast(1, 1) is
// the ordinary paired difference, which agrees with the interval about 0.
//
// The interval goes beyond 1 only if perturbed is below 0 somewhere, which negative says.
//
// The error is ErrNothing if base is 0: there is no share then. It is ErrNoBase if
// base is not certainly above 0: the value then stands without an interval.
func LostShare(perturbed, base float64, negative bool, contrast func(u, v float64) (Difference, error)) (Lost, error) {
	l := NoLost()
	if base <= rounding {
		return l, ErrNothing
	}
	retained := perturbed / base
	l.Value = Exact(1 - retained)
	difference, err := contrast(1, 1)
	if err != nil {
		return l, err
	}
	l.P = difference.P
	var failed error
	inside := func(direction float64) bool {
		d, err := contrast(weights(direction))
		if err != nil {
			failed = err
		}
		return d.Low <= 0 && 0 <= d.High
	}
	if inside(nothingAfter) {
		return l, errors.Join(failed, ErrNoBase)
	}
	center := direction(retained)
	low, high := 0.0, bisect(center, nothingAfter, inside)
	if negative {
		low = -nothingAfter
	}
	if !inside(low) {
		low = bisect(center, low, inside)
	}
	l.Interval = limits(1-keptAt(high), 1-keptAt(low))
	d, err := contrast(weights(center))
	u, _ := weights(center)
	shrunk := float64(d.N) / float64(d.N+2) // as Centre is
	l.Variance, l.Degrees = d.Variance/math.Pow(u*shrunk*base, 2), d.Degrees
	return l, errors.Join(failed, err)
}

// NoLost is the share of nothing.
func NoLost() Lost {
	nan := math.NaN()
	return Lost{nan, Interval{nan, nan}, nan, nan, nan}
}

// MeanLost is the mean of shares on independent sets of tasks: variances add up, with
// Satterthwaite's degrees of freedom and Student's t.
func MeanLost(parts []Lost, level float64) Lost {
	if len(parts) == 0 {
		return NoLost()
	}
	n := float64(len(parts))
	var l Lost
	fourth := 0.0
	for _, p := range parts {
		v := p.Variance / (n * n)
		l.Value += p.Value / n
		l.Variance += v
		fourth += v * v / p.Degrees
	}
	l.Value, l.Degrees = Exact(l.Value), l.Variance*l.Variance/fourth
	half := math.Sqrt(width(l.Variance, l.Degrees, level))
	l.Interval, l.P = limits(l.Value-half, l.Value+half), twoSided(l.Value, l.Variance, l.Degrees)
	return l
}

// A direction in [-2,2] stands for a share that is kept: up to 1 for itself, beyond that for 1/(2-direction), and
// below 0 for the opposite of its opposite's share. nothingAfter asks about before alone.
const nothingAfter = 2.0

func direction(retained float64) float64 {
	switch {
	case retained < 0:
		return -direction(-retained)
	case retained > 1:
		return 2 - 1/retained
	}
	return retained
}

// weights are the weights of after and before at which a contrast is 0 if that share is kept.
func weights(direction float64) (u, v float64) {
	if direction < 0 {
		u, v = weights(-direction)
		return u, -v
	}
	if direction <= 1 {
		return 1, direction
	}
	return 2 - direction, 1
}

func keptAt(direction float64) float64 {
	u, v := weights(direction)
	return v / u
}
