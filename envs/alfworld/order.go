package alfworld

import (
	"math/bits"

	"gonum.org/v1/gonum/mathext/prng"
)

// servedOrder returns the order in which the benchmark plays n games, as
// indices into their sorted list. The order is NumPy's legacy shuffle with seed
// 1234, which uses the Mersenne twister and draws bounded numbers by masked
// rejection.
func servedOrder(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	mt := prng.NewMT19937()
	mt.Seed(1234)
	for i := n - 1; i > 0; i-- {
		mask := uint32(1)<<bits.Len32(uint32(i)) - 1
		j := mt.Uint32() & mask
		for j > uint32(i) {
			j = mt.Uint32() & mask
		}
		order[i], order[j] = order[j], order[i]
	}
	return order
}
