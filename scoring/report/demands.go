package report

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"heldout/scoring"
	"heldout/scoring/table"
)

// Demands are what a build or a training run asks of rates before it goes on.
type Demands struct {
	// Below are the least rates, as fractions, by environment or preset.
	Below map[string]float64
	// Worse: the new one of two runs must not be shown to be worse than the old one, by more
	// than the margin of the first table. That it is not shown is no proof that it is as good.
	Worse bool
}

// Unmet lists the demands that the runs do not meet, a line each. Rates are those of the
// first table. A rate that is missing, or of a run that is not complete, meets none.
func (r *Report) Unmet(d Demands) (unmet []string, err error) {
	s := r.standing()
	for _, place := range slices.Sorted(maps.Keys(d.Below)) {
		at := slices.Index(s.places, place)
		if at < 0 {
			return nil, fmt.Errorf("the runs have no environment %q to demand a rate of; there are %s", place,
				table.List(s.places))
		}
		for i, l := range s.lines {
			if old := s.oldNew && i == 1; !old {
				unmet = append(unmet, s.below(l, place, s.cells[i][at], d.Below[place])...)
			}
		}
	}
	if !d.Worse {
		return unmet, nil
	}
	if !s.oldNew {
		return nil, errors.New("whether a run is worse wants two runs of one model each, the old one first")
	}
	if len(s.facts) == 0 {
		unmet = append(unmet, "the two runs are nowhere compared")
	}
	for _, f := range s.facts {
		worse := f.Shown && f.Difference < 0
		if margin := r.First.Margin; margin > 0 {
			worse = f.TogetherHigh < -margin
		}
		if worse {
			unmet = append(unmet, fmt.Sprintf("on %s, %s is worse than %s by %.1f points (%.1f to %.1f)", said(f.Where),
				f.A, f.B, -100*f.Difference, -100*f.High, -100*f.Low))
		}
	}
	return unmet, nil
}

// below says that a rate is not as high as demanded.
func (s *standing) below(l line, place string, rate *scoring.Estimate, least float64) []string {
	if rate == nil {
		return []string{fmt.Sprintf("%s has no %s on %s", l.name, s.rate, said(place))}
	}
	if score := l.scores[place]; score != nil && !score.Complete() {
		return []string{fmt.Sprintf("%s on %s has results for %d of %d episodes", l.name, place, score.Finished,
			score.Planned)}
	}
	if rate.Mean < least {
		return []string{fmt.Sprintf("%s of %s on %s is %.1f, below %g", s.rate, l.name, said(place), 100*rate.Mean,
			100*least)}
	}
	return nil
}
