package stats

import (
	"errors"
	"math"
)

// ErrNoBase says that a share of a mean has no interval: the mean is not certainly
// above 0, so the share may be anything.
var ErrNoBase = errors.New("the rate without a perturbation is not certainly above 0")

// Lost is the share of a mean that is lost: 1 - after/before. It is 0 if nothing is
// lost, 1 if everything is, and negative if after is larger.
type Lost struct {
	Value float64
	Interval
	// P is two-sided, for the hypothesis that nothing is lost. The interval holds 0 if
	// and only if P is at least 1 minus the level.
	P float64
}

// LostShare estimates the share of the mean before that is lost after, with
// Fieller's interval (1954, doi:10.1111/j.2517-6161.1954.tb00159.x): it has the
// shares r for which the mean of after - (1-r)·before does not differ from 0. So it
// needs no variance of a ratio, which has none, and is not wider on one side by
// convention only. Contrast estimates the mean of u·after - v·before; the larger of u
// and v is 1, so that contrast(1, 1) is the ordinary paired difference, which agrees
// with the interval about 0.
//
// The error is ErrNothing if before is 0: there is no share then. It is ErrNoBase if
// before is not certainly above 0: the value then stands without an interval.
func LostShare(after, before float64, contrast func(u, v float64) (Difference, error)) (Lost, error) {
	l := Lost{Value: math.NaN(), Interval: Interval{math.NaN(), math.NaN()}, P: math.NaN()}
	if before <= rounding {
		return l, ErrNothing
	}
	kept := after / before
	l.Value = 1 - kept
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
	at := kept
	if kept > 1 {
		at = 2 - 1/kept
	}
	least, most := 0.0, bisect(at, nothingAfter, inside)
	if !inside(least) {
		least = bisect(at, least, inside)
	}
	l.Interval = Interval{1 - keptAt(most), 1 - keptAt(least)}
	return l, failed
}

// A direction in [0,2] stands for a share that is kept: up to 1 for itself, beyond
// that for 1/(2-direction). nothingAfter asks about before alone.
const nothingAfter = 2.0

// weights are those of after and before at which a contrast is 0 if that share is
// kept.
func weights(direction float64) (u, v float64) {
	if direction <= 1 {
		return 1, direction
	}
	return 2 - direction, 1
}

func keptAt(direction float64) float64 {
	u, v := weights(direction)
	return v / u
}
