package scienceworld

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

// intn draws a number from 0 to n-1, as Java does; also if there is only one.
func (r *random) intn(n int) int {
	for {
		u := int(r.next(31))
		if n&-n == n {
			return n * u >> 31
		}
		if v := u % n; u-v+n <= 1<<31 { // else Java's sum overflows
			return v
		}
	}
}

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
