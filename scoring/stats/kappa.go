package stats

import (
	"maps"
	"slices"
)

// Pair are the labels that two raters gave one item, as numbers from 0.
type Pair [2]int

// Kappa is Cohen's kappa (1960, doi:10.1177/001316446002000104) of two raters, with what its interval is made from.
type Kappa struct {
	// Value is in [-1,1].
	Value float64
	// half is (kappa+1)/2, which is in [0,1]: for raters that use both of two labels
	// equally often it is their agreement.
	half Linear
}

// NewKappa computes the kappa of items that come in clusters; a cluster may be empty. The error is ErrNothing
// without items, and ErrAlike if both raters give every item the same label, because kappa is then 0/0.
func NewKappa(clusters [][]Pair) (Kappa, error) {
	n, observed, expected := 0.0, 0.0, 0.0
	labels := [2]map[int]float64{{}, {}} // how often each rater gives a label
	for _, p := range slices.Concat(clusters...) {
		n++
		labels[0][p[0]]++
		labels[1][p[1]]++
		if p[0] == p[1] {
			observed++
		}
	}
	if n == 0 {
		return Kappa{}, ErrNothing
	}
	observed /= n
	share := func(rater, label int) float64 { return labels[rater][label] / n }
	for _, label := range slices.Sorted(maps.Keys(labels[0])) {
		expected += share(0, label) * share(1, label) // of raters that label independently of each other
	}
	if 1-expected < rounding {
		return Kappa{}, ErrAlike
	}
	k := Kappa{Value: (observed - expected) / (1 - expected)}
	k.half = Linear{Value: (k.Value + 1) / 2, Share: true}
	var carried, squares float64
	for _, pairs := range clusters {
		influence, carriers := 0.0, 0.0
		for _, p := range pairs {
			agrees := 0.0
			if p[0] == p[1] {
				agrees = 1
			}
			if (agrees == 1) == (k.half.Value < 0.5) {
				carriers++
			}
			// How far the item moves observed and expected agreement.
			chance := share(1, p[0]) + share(0, p[1]) - 2*expected
			influence += ((agrees-observed)*(1-expected) - (1-observed)*chance) / ((1 - expected) * (1 - expected))
		}
		k.half.Tasks = append(k.half.Tasks, newInfluence([]float64{influence / 2 * float64(len(clusters)) / n}))
		carried, squares = carried+carriers, squares+carriers*carriers
		if len(pairs) > 0 {
			k.half.Based++
		}
	}
	k.half.Carriers = carried * carried / squares
	return k, nil
}

// Kappa is the interval of a kappa whose clusters are the sampling's tasks. It is the score interval of (kappa+1)/2
// with the variance of the linearised kappa, which for clusters of one item is the variance of Fleiss, Cohen and
// Everitt (1969). The error is ErrFewTasks.
func (s Sampling) Kappa(k Kappa) (Interval, error) {
	iv, err := s.Linear(k.half)
	return Interval{2*iv.Low - 1, 2*iv.High - 1}, err
}
