package report

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"heldout/scoring"
	"heldout/scoring/claim"
	"heldout/scoring/table"
)

// Demands are what a build or a training run asks of rates before it continues.
type Demands struct {
	// Floors are the least rates, as fractions, by environment or preset.
	Floors map[string]float64
	// Worse: the new one of two runs must be compared with the old one everywhere, and nowhere be significantly
	// worse, by more than the margin of the first table. That it is not significantly worse does not prove that it
	// is as good. Of sweeps the rates without a perturbation count and the averages, not what either loses.
	Worse bool
}

// Unmet lists the demands that the runs do not meet, a line each. Rates are the first
// table's. A rate that is missing, or of a run that is not complete, meets none.
func (r *Report) Unmet(d Demands) (unmet []string, err error) {
	s := r.standing()
	for _, name := range slices.Sorted(maps.Keys(d.Floors)) {
		index := slices.IndexFunc(s.Columns(), func(p claim.Scope) bool { return p.Name == name })
		if index < 0 {
			return nil, fmt.Errorf("the runs have no environment %q to demand a rate of; there are %s", name,
				table.List(r.Places()))
		}
		for i := range s.lines {
			if old := s.oldNew && i == 1; !old {
				unmet = append(unmet, shortfall(s, i, s.Columns()[index], d.Floors[name])...)
			}
		}
	}
	if !d.Worse {
		return unmet, nil
	}
	if s.Reference == "" {
		return nil, errors.New("whether a run is worse wants two runs of one model each, the old one first, or --reference")
	}
	demanded := table.Filter(s.Comparisons, func(c claim.Claim) bool {
		return c.Family.Name != claim.Losses && c.Family.Name != claim.LossDifferences
	})
	if len(demanded) == 0 {
		unmet = append(unmet, "the runs are not compared anywhere")
	}
	for _, c := range demanded {
		if c.Subjects[0].Name == s.Reference {
			c = c.Reversed()
		}
		if c.Worse() {
			unmet = append(unmet, c.Sentence())
		}
	}
	return unmet, nil
}

// shortfall says that a rate is not as high as demanded.
func shortfall(s *standing, i int, place claim.Scope, floor float64) []string {
	l := s.lines[i]
	var rate *scoring.Estimate
	if rate = l.rated(place.Name, s.Rate); place == claim.HeldOut {
		rate = s.Models[i].HeldOut
	}
	if rate == nil {
		return []string{fmt.Sprintf("%s has no %s on %s", l.Name, s.Measure(place), place.Title)}
	}
	if score := l.Scores[place.Name]; score != nil && !score.Complete() {
		return []string{fmt.Sprintf("%s on %s has results for %d of %d episodes", l.Name, place.Title, score.Finished,
			score.Planned)}
	}
	if rate.Mean < floor {
		return []string{fmt.Sprintf("%s of %s on %s is %.1f, below %g", s.Measure(place), l.Name, place.Title,
			100*rate.Mean, 100*floor)}
	}
	return nil
}
