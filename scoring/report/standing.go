package report

import (
	"cmp"
	"errors"
	"slices"

	"heldout/scoring"
	"heldout/scoring/column"
	"heldout/scoring/stats"
)

// First says what the first table has.
type First struct {
	// Rate is the rate of its cells; empty for Success.
	Rate Rate
	// Kinds is the environment whose kinds of tasks are the columns; empty for
	// environments.
	Kinds string
	// Margin is the largest difference, as a fraction, that counts as none; 0 if no
	// margin is given.
	Margin float64
	// OldNew: two runs of a model each are set against each other as old and new.
	OldNew bool
}

// Rate is a rate that the first table can have.
type Rate string

// The rates.
const (
	Success   Rate = "SR"
	Progress  Rate = "PR"
	Grounding Rate = "GA"
)

// Rates are the rates that the first table can have.
func Rates() []Rate { return []Rate{Success, Progress, Grounding} }

// of returns the rate of a score.
func (r Rate) of(s *scoring.Score) scoring.Estimate {
	switch r {
	case Progress:
		return s.Progress.Estimate
	case Grounding:
		return s.Grounding.Estimate
	}
	return s.Success.Estimate
}

// change returns the difference of the rate; ok is false if differences of the rate are
// not estimated.
func (r Rate) change(c scoring.Comparison) (d scoring.Change, ok bool) {
	switch r {
	case Success:
		return c.Success, true
	case Progress:
		return c.Progress, true
	}
	return d, false
}

// standing sets models side by side: their rates in each place, and how they differ.
type standing struct {
	rate   Rate
	lines  []line
	places []string
	// cells are the rates, by line and place; nil if there is none.
	cells [][]*scoring.Estimate
	// letters of a column: models that share one are not told apart. Nil if no two
	// models are compared there.
	letters map[string][]string
	facts   []Fact
	// apart says why models of a place are not compared.
	apart []string
	// oldNew: the second of two lines is the old one.
	oldNew bool
}

// Fact is a comparison of two models in one place.
type Fact struct {
	A, B  string
	Where string
	// Difference of the rates, A less B, with the limits of its 95% interval.
	Difference, Low, High float64
	// P is corrected for all facts (Holm). Shown: it is below 0.05.
	P     float64
	Shown bool
	// Needed is the difference that would have been shown, at least: half the width of
	// intervals that hold for all facts at once (Bonferroni). TogetherLow and
	// TogetherHigh are the limits of that interval.
	Needed, TogetherLow, TogetherHigh float64
}

// stand makes the standing of the models that played unperturbed tasks.
func (r *Report) stand() *standing {
	s := &standing{rate: cmp.Or(r.First.Rate, Success), lines: gather(r.plain, row.place), places: r.Places(),
		letters: map[string][]string{}}
	if slices.ContainsFunc(s.lines, func(l line) bool { return len(l.heldOut(r.weights).Missing) == 0 }) {
		s.places = append(s.places, column.HeldOutScore)
	}
	estimate := func(l line, place string) *scoring.Estimate {
		if place == column.HeldOutScore {
			return l.heldOutRate(r.weights, s.rate)
		}
		if score := l.scores[place]; score != nil && score.Finished > 0 && !score.Misleads() {
			e := s.rate.of(score)
			return &e
		}
		return nil
	}
	if s.order(estimate); r.First.OldNew && len(r.baselines) == 0 {
		s.oldNew = s.oldAndNew(r.Runs)
	}
	for _, l := range s.lines {
		var cells []*scoring.Estimate
		for _, place := range s.places {
			cells = append(cells, estimate(l, place))
		}
		s.cells = append(s.cells, cells)
	}
	s.compare(r)
	return s
}

// order puts the best model first: by the held-out score, else by the mean over the
// places that all models have.
func (s *standing) order(estimate func(line, string) *scoring.Estimate) {
	means := map[string]float64{}
	for _, place := range s.places {
		for _, l := range s.lines {
			e := estimate(l, place)
			switch {
			case e == nil || slices.ContainsFunc(s.lines, func(other line) bool {
				return estimate(other, place) == nil
			}):
			case place == column.HeldOutScore:
				means[l.name] += 1000 * e.Mean // above all others
			default:
				means[l.name] += e.Mean
			}
		}
	}
	slices.SortStableFunc(s.lines, func(a, b line) int { return cmp.Compare(means[b.name], means[a.name]) })
}

// compare compares all pairs of models in every place.
func (s *standing) compare(r *Report) {
	type pair struct{ place, i, j int }
	var pairs []pair
	var ps []float64
	for at, place := range s.places {
		for j := range s.lines {
			for i := range j {
				if s.cells[i][at] != nil && s.cells[j][at] != nil {
					pairs = append(pairs, pair{at, i, j})
				}
			}
		}
		s.letters[place] = nil
	}
	var kept []pair
	for _, p := range pairs {
		f, err := s.fact(r, p.place, p.i, p.j, len(pairs))
		if err != nil {
			s.note(s.places[p.place], err)
			continue
		}
		kept, ps, s.facts = append(kept, p), append(ps, f.P), append(s.facts, f)
	}
	for i, p := range stats.Holm(ps) {
		s.facts[i].P, s.facts[i].Shown = p, p < significant
	}
	for at, place := range s.places {
		order := s.ranked(at)
		differ := map[[2]int]bool{}
		for i, p := range kept {
			if p.place == at {
				one, two := slices.Index(order, p.i), slices.Index(order, p.j)
				differ[[2]int{min(one, two), max(one, two)}] = s.facts[i].Shown
			}
		}
		if len(differ) > 0 {
			s.letters[place] = make([]string, len(s.lines))
			for rank, text := range letters(len(order), differ) {
				s.letters[place][order[rank]] = text
			}
		}
	}
}

// ranked lists the lines by their rate in a place, the best first: it has the letter a.
func (s *standing) ranked(at int) []int {
	order := make([]int, len(s.lines))
	for i := range order {
		order[i] = i
	}
	mean := func(i int) float64 {
		if e := s.cells[i][at]; e != nil {
			return e.Mean
		}
		return -1
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(mean(b), mean(a)) })
	return order
}

// letters returns the letters of n models, of which some pairs were compared. A model
// that was not compared with all others that have letters has none.
func letters(n int, differ map[[2]int]bool) []string {
	var members []int
	for j := range n {
		apart := func(i int) bool {
			_, compared := differ[[2]int{i, j}]
			return !compared
		}
		if touched(differ, j) && !slices.ContainsFunc(members, apart) {
			members = append(members, j)
		}
	}
	out := make([]string, n)
	for k, text := range stats.Letters(len(members), func(i, j int) bool {
		return differ[[2]int{members[min(i, j)], members[max(i, j)]}]
	}) {
		out[members[k]] = text
	}
	return out
}

// touched reports whether a model was compared with any.
func touched(differ map[[2]int]bool, model int) bool {
	for pair := range differ {
		if pair[0] == model || pair[1] == model {
			return true
		}
	}
	return false
}

var errNoDifference = errors.New("differences of this rate are not estimated")

// fact compares two models in a place, as one of so many comparisons.
func (s *standing) fact(r *Report, place, i, j, all int) (Fact, error) {
	a, b, where := s.lines[i], s.lines[j], s.places[place]
	f := Fact{A: a.name, B: b.name, Where: where}
	compare := func(level float64) (scoring.Change, error) {
		var c scoring.Comparison
		var err error
		if where == column.HeldOutScore {
			c, err = scoring.CompareHeldOutAt(r.weights, a.scores, b.scores, level)
		} else {
			c, err = scoring.CompareAt(a.scores[where], b.scores[where], level)
		}
		if err != nil {
			return scoring.Change{}, err
		}
		d, ok := s.rate.change(c)
		if !ok {
			return d, errNoDifference
		}
		return d, nil
	}
	alone, err := compare(scoring.Level)
	if err != nil {
		return f, err
	}
	together, err := compare(1 - (1-scoring.Level)/float64(all))
	if err != nil {
		return f, err
	}
	f.Difference, f.Low, f.High, f.P = alone.Mean, alone.Low, alone.High, alone.P
	f.TogetherLow, f.TogetherHigh = together.Low, together.High
	f.Needed = (together.High - together.Low) / 2
	return f, nil
}

// note notes once why models of a place are not compared.
func (s *standing) note(place string, err error) {
	if errors.Is(err, errNoDifference) {
		return
	}
	s.apart = appendNew(s.apart, place+": models are not compared, because "+err.Error()+".")
}
