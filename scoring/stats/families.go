package stats

import (
	"math"
	"slices"
)

// Family is a family of tests that shares an error with others.
type Family struct {
	// Share is its part of the error while other families are open; positive.
	Share float64
	Ps    []float64
}

// Corrected is a probability that is corrected for all tests of all families, with the
// level of the interval that agrees with it.
type Corrected struct {
	P, Level float64
}

// Correct corrects probabilities, so that of true hypotheses, whichever they are, one is
// rejected with a probability of at most 1-level. A family divides its share by its tests
// that are not rejected yet, as Holm does (1979), and leaves it to the other families once
// all are rejected, in the ratio of their shares. That is a graph of weighted tests (Bretz et
// al. 2011, doi:10.1002/bimj.201000239); one family alone is corrected by Holm's procedure.
//
// The interval of a test has the level of the step that decides it: it holds 0 if and only if
// the corrected probability is at least 1-level. Tests that stay open have the last step.
func Correct(families []Family, level float64) (out [][]Corrected) {
	rest := make([][]int, len(families)) // open tests
	for f, family := range families {
		out = append(out, make([]Corrected, len(family.Ps)))
		for i := range family.Ps {
			rest[f] = append(rest[f], i)
		}
	}
	floor, open := 0.0, false
	for {
		weights, ok := weightsOf(families, rest)
		if !ok {
			return out
		}
		family, place, lowest := 0, 0, math.Inf(1)
		for f, tests := range rest {
			for rank, i := range tests {
				if p := families[f].Ps[i] / weights[f]; p < lowest {
					family, place, lowest = f, rank, p
				}
				if !open {
					out[f][i].Level = 1 - (1-level)*weights[f]
				}
			}
		}
		floor = max(floor, min(1, lowest))
		out[family][rest[family][place]].P = floor
		open = open || floor >= 1-level
		rest[family] = slices.Delete(rest[family], place, place+1)
	}
}

// weightsOf are the parts of the error that each test of a family has; not ok if none is open.
func weightsOf(families []Family, rest [][]int) (weights []float64, ok bool) {
	total := 0.0
	for f, tests := range rest {
		if len(tests) > 0 {
			total += families[f].Share
		}
	}
	for f, tests := range rest {
		weights = append(weights, families[f].Share/total/float64(len(tests)))
	}
	return weights, total > 0
}
