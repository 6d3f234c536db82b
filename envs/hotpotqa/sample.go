package hotpotqa

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mathext/prng"
)

// Sample is a selection of the questions of a file.
type Sample struct {
	// Full takes every question in the file's order, whatever the other fields say.
	Full bool
	// Seed determines the order, Count how many to take from the start, 0 for all.
	Seed  uint32
	Count int
}

// reactSample is ReAct's order of 500 questions; the sample is the first 300 (spec section 2).
var reactSample = Sample{Seed: 233, Count: 300}

// sample is the chosen sample, or the standard one.
func (o Options) sample(standard Sample) (Sample, error) {
	if o.Sample == "" {
		return standard, nil
	}
	return parseSample(o.Sample)
}

// parseSample reads "all", "seed:N" or "seed:N:COUNT".
func parseSample(s string) (Sample, error) {
	if s == "all" {
		return Sample{Full: true}, nil
	}
	bad := fmt.Errorf("sample is %q; want all, seed:N or seed:N:COUNT, such as %s", s, reactSample)
	rest, ok := strings.CutPrefix(s, "seed:")
	if !ok {
		return Sample{}, bad
	}
	number, count, counted := strings.Cut(rest, ":")
	seed, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		return Sample{}, bad
	}
	out := Sample{Seed: uint32(seed)}
	if counted {
		if out.Count, err = strconv.Atoi(count); err != nil || out.Count < 1 {
			return Sample{}, bad
		}
	}
	return out, nil
}

// String formats a sample in the syntax that parseSample reads.
func (s Sample) String() string {
	switch {
	case s.Full:
		return "all"
	case s.Count == 0:
		return fmt.Sprintf("seed:%d", s.Seed)
	default:
		return fmt.Sprintf("seed:%d:%d", s.Seed, s.Count)
	}
}

// indices returns the questions of the sample out of n, in its order.
func (s Sample) indices(n int) ([]int, error) {
	if s.Count > n {
		return nil, fmt.Errorf("the sample %s has more questions than the file, which has %d", s, n)
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if s.Full {
		return order, nil
	}
	shuffle(order, s.Seed)
	if s.Count > 0 {
		order = order[:s.Count]
	}
	return order, nil
}

// shuffle is Python's random.Random(seed).shuffle: a Fisher-Yates shuffle from the end. Each draw takes the high
// bits of MT19937 and repeats while the number is too large.
func shuffle(order []int, seed uint32) {
	random := prng.NewMT19937()
	random.SeedFromKeys([]uint32{seed})
	for i := len(order) - 1; i > 0; i-- {
		width := bits.Len(uint(i + 1))
		j := i + 1
		for j > i {
			j = int(random.Uint32() >> (32 - width))
		}
		order[i], order[j] = order[j], order[i]
	}
}
