package scoring

// Ranks is the range of ranks that a score may have among others.
type Ranks struct{ Best, Worst int }

// RankSuccess and RankProgress rank scores on the same tasks, from simultaneous
// intervals of all pairs. The level of each interval is chosen so that all hold
// at once with the level Level (Bonferroni). Ranks are those of Mogstad et al.
// (2023, doi:10.1093/restud/rdad006): 1 plus the number of scores that are
// certainly better, to the number of all less those that are certainly worse. The
// errors are those of Compare.
func RankSuccess(scores []*Score) ([]Ranks, error) {
	return rank(scores, func(c Comparison) Change { return c.Success })
}

// RankProgress is RankSuccess for the progress rate.
func RankProgress(scores []*Score) ([]Ranks, error) {
	return rank(scores, func(c Comparison) Change { return c.Progress })
}

func rank(scores []*Score, of func(Comparison) Change) ([]Ranks, error) {
	n := len(scores)
	ranks := make([]Ranks, n)
	for i := range ranks {
		ranks[i] = Ranks{1, n}
	}
	pairs := float64(n * (n - 1) / 2)
	for i := range n {
		for j := range i {
			c, err := compareAt([]*Score{scores[i]}, scores[j], 1-(1-Level)/pairs)
			if err != nil {
				return nil, err
			}
			better, worse := i, j
			switch d := of(c); {
			case d.Low > 0:
			case d.High < 0:
				better, worse = j, i
			default:
				continue
			}
			ranks[worse].Best++
			ranks[better].Worst--
		}
	}
	return ranks, nil
}
