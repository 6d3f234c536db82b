package scienceworld

import (
	"math"
	"math/bits"
)

// random is the generator of java.util.Random, 48 bits of state, with which the
// reference draws everything (core §2.8).
type random struct{ state uint64 }

const (
	randomFactor = 0x5DEECE66D
	randomMask   = 1<<48 - 1
)

// seed starts the generator anew.
func (r *random) seed(s int64) { r.state = (uint64(s) ^ randomFactor) & randomMask }

// next draws the top bits of the next state.
func (r *random) next(bits uint) int32 {
	r.state = (r.state*randomFactor + 11) & randomMask
	return int32(r.state >> (48 - bits))
}

// bound is a number of values to draw from, prepared to draw without dividing.
type bound struct {
	n      uint64
	factor uint64
}

// boundOf prepares a number. The fraction of factor times a value, times n, is the value
// modulo n or, as Java has it for powers of two, n times the value as a fraction of 1<<31.
func boundOf(n int) bound {
	if n&-n == n {
		return bound{uint64(n), 1 << 33}
	}
	return bound{uint64(n), math.MaxUint64/uint64(n) + 1}
}

// bounded draws a number below a bound. A bound of 1 draws too.
func (r *random) bounded(b bound) int {
	for {
		u := uint64(r.next(31))
		v, _ := bits.Mul64(b.factor*u, b.n)
		if u-v+b.n <= 1<<31 { // else Java's sum overflows
			return int(v)
		}
	}
}

// intn draws a number from 0 to n-1.
func (r *random) intn(n int) int { return r.bounded(boundOf(n)) }

// boolean draws true or false.
func (r *random) boolean() bool { return r.next(1) != 0 }

// float draws a number of 24 bits from [0,1).
func (r *random) float() float32 { return float32(r.next(24)) / (1 << 24) }

// shuffle shuffles in place, as Scala's library does.
func shuffle[T any](r *random, xs []T) {
	for n := len(xs); n >= 2; n-- {
		k := r.intn(n)
		xs[n-1], xs[k] = xs[k], xs[n-1]
	}
}
