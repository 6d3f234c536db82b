package scoring

import "heldout/configs"

// Ranks is the range of ranks that a score may have among others.
type Ranks struct{ Best, Worst int }

// Ranking compares several scores on the same tasks in all pairs. Ranks are those
// of Mogstad et al. (2023, doi:10.1093/restud/rdad006): 1 plus the number of
// scores that are certainly better, to the number of all less those that are
// certainly worse.
type Ranking struct {
	Success, Progress []Ranks
	Pairs             []RankedPair
}

// RankedPair compares score A with score B, by their numbers in the ranking.
type RankedPair struct {
	A, B int
	// Alone has intervals of the level Level. Together has wider ones, whose level
	// is chosen so that all pairs hold at once with that level (Bonferroni).
	Alone, Together Comparison
}

// Rank ranks scores. The errors are those of Compare.
func Rank(scores []*Score) (Ranking, error) {
	return rank(len(scores), func(i, j int, level float64) (Comparison, error) {
		return compareAt([]*Score{scores[i]}, scores[j], level)
	})
}

// RankHeldOut ranks the held-out scores of models. Each has a complete score on
// every held-out environment. The errors are those of CompareHeldOut.
func RankHeldOut(w configs.Weights, models []map[string]*Score) (Ranking, error) {
	return rank(len(models), func(i, j int, level float64) (Comparison, error) {
		return CompareHeldOutAt(w, models[i], models[j], level)
	})
}

func rank(n int, compare func(i, j int, level float64) (Comparison, error)) (Ranking, error) {
	r := Ranking{Success: make([]Ranks, n), Progress: make([]Ranks, n)}
	for i := range n {
		r.Success[i], r.Progress[i] = Ranks{1, n}, Ranks{1, n}
	}
	all := float64(n * (n - 1) / 2)
	for i := range n {
		for j := range i {
			alone, err := compare(i, j, Level)
			if err != nil {
				return r, err
			}
			together, err := compare(i, j, 1-(1-Level)/all)
			if err != nil {
				return r, err
			}
			r.Pairs = append(r.Pairs, RankedPair{i, j, alone, together})
			narrow(r.Success, i, j, together.Success)
			narrow(r.Progress, i, j, together.Progress)
		}
	}
	return r, nil
}

// narrow moves the ranks of i and j apart if i is certainly better or worse.
func narrow(ranks []Ranks, i, j int, d Change) {
	if d.Low > 0 {
		ranks[j].Best++
		ranks[i].Worst--
	} else if d.High < 0 {
		ranks[i].Best++
		ranks[j].Worst--
	}
}
