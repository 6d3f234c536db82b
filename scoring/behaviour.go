package scoring

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"heldout/scoring/record"
	"heldout/scoring/refinement"
	"heldout/scoring/stats"
)

// Measured is a measure of what a model does with its errors.
type Measured struct {
	refinement.Measure
	// Value is NaN if there is nothing to measure. Interval is nil if there is no interval.
	Value    float64
	Interval *stats.Interval
	// linear is the basis of comparisons; nil if comparisons are not possible.
	linear *stats.Linear
}

// MeasuredChange is the difference of one measure from another score's.
type MeasuredChange struct {
	refinement.Measure
	stats.Difference
}

// oldForms returns tests of whether an action is in a form that a perturbation of the run replaces.
func oldForms(m *record.Manifest) (map[perturbed]func(string) bool, error) {
	out := map[perturbed]func(string) bool{}
	if m.Sweep == nil {
		return out, nil
	}
	for _, p := range m.Sweep.Perturbations {
		key := perturbed{cmp.Or(p.Env, m.Sweep.Env), p.Name}
		if p.Forms != nil {
			if *p.Forms > 0 {
				out[key] = refinement.Marked
			}
			continue
		}
		old, err := refinement.OldForm(p.Rules)
		if err != nil {
			return nil, fmt.Errorf("perturbation %s: %w", p.Name, err)
		}
		out[key] = old
	}
	return out, nil
}

// perturbed is an environment under a perturbation.
type perturbed struct{ env, perturbation string }

// Refinement measures what the model does with its errors, in the order of refinement.Measures. The quantile and
// the survival follow the measures that they belong to. It is nil if the run was read without trajectories.
func (s *Score) Refinement() []Measured {
	if s.measures != nil {
		return s.measures
	}
	counts := s.counts()
	if counts == nil || slices.ContainsFunc(slices.Concat(counts...),
		func(c *refinement.Counts) bool { return c.ProgressOnly }) {
		return nil
	}
	for _, m := range refinement.Measures() {
		s.measures = append(s.measures, s.measured(m, counts))
		switch m.Key {
		case "error_run_mean":
			s.measures = append(s.measures, s.longRuns(counts))
		case "progressed_5":
			s.measures = append(s.measures, s.unrecovered(counts)...)
		}
	}
	return s.measures
}

// counts returns the counts of the episodes by task, in the order of the keys.
func (s *Score) counts() (byTask [][]*refinement.Counts) {
	for _, t := range s.tasks {
		counts := make([]*refinement.Counts, 0, len(t.results))
		for _, p := range t.results {
			if p.counts == nil {
				return nil
			}
			counts = append(counts, p.counts)
		}
		byTask = append(byTask, counts)
	}
	return byTask
}

// measured estimates a ratio.
func (s *Score) measured(m refinement.Measure, counts [][]*refinement.Counts) Measured {
	l, err := stats.Ratio(counts, m.Sums, m.Unit == refinement.Share)
	return s.bounded(m, l, err)
}

// bounded adds the interval to an estimate.
func (s *Score) bounded(m refinement.Measure, l stats.Linear, err error) Measured {
	if err != nil {
		return Measured{Measure: m, Value: math.NaN()}
	}
	out := Measured{Measure: m, Value: l.Value, linear: &l}
	if iv, err := s.linearInterval(l); err == nil {
		out.Interval = &iv
	}
	return out
}

func (s *Score) linearInterval(l stats.Linear) (stats.Interval, error) {
	if s.About == stats.TheseTasks {
		if err := s.undecoded(); err != nil {
			return stats.Interval{}, err
		}
		if len(s.Seeds) > 1 {
			return stats.DecodingLinear(l, Level)
		}
	}
	sampling, err := s.sampling(s.About)
	if err != nil {
		return stats.Interval{}, err
	}
	return sampling.Linear(l)
}

// unrecovered are the points of the survival curve of errors.
func (s *Score) unrecovered(counts [][]*refinement.Counts) (out []Measured) {
	for _, steps := range refinement.SurvivalSteps {
		l, err := stats.Survival(counts, (*refinement.Counts).Survival, steps)
		out = append(out, s.bounded(refinement.Unrecovered(steps), l, err))
	}
	return out
}

// longRuns is the length that nine of ten runs of errors do not exceed. Its interval has the lengths whose share of
// shorter runs may be nine tenths (Woodruff 1952).
func (s *Score) longRuns(counts [][]*refinement.Counts) Measured {
	const quantile = 0.9
	longest := uint16(0)
	for _, task := range counts {
		for _, c := range task {
			longest = max(longest, c.Longest())
		}
	}
	out := Measured{Measure: refinement.LongRuns(), Value: math.NaN()}
	var low, high float64
	bounded := true
	for length := uint16(1); length <= longest && high == 0; length++ {
		m := s.measured(refinement.RunsWithin(length), counts)
		if math.IsNaN(out.Value) && m.Value >= quantile {
			out.Value = float64(length)
		}
		if m.Interval == nil {
			bounded = false
			continue
		}
		if low == 0 && m.Interval.High >= quantile {
			low = float64(length)
		}
		if m.Interval.Low >= quantile || length == longest {
			high = float64(length)
		}
	}
	if bounded && high > 0 {
		out.Interval = &stats.Interval{Low: low, High: high}
	}
	return out
}

// CompareRefinement pairs the measures of two scores by task. If no task differs
// from the others, interval and P are NaN. Measures that cannot be compared or
// are equal for all tasks are left out. It returns the errors of Compare.
func CompareRefinement(a, b *Score) (out []MeasuredChange, err error) {
	p, err := newPair([]*Score{a}, b)
	if err != nil {
		return nil, err
	}
	theirs := b.Refinement()
	for i, m := range a.Refinement() {
		if i >= len(theirs) || m.linear == nil || theirs[i].linear == nil {
			continue
		}
		d, err := p.linear(*m.linear, *theirs[i].linear)
		if errors.Is(err, stats.ErrAlike) && d.Mean != 0 {
			nan := math.NaN()
			d.Interval, d.P, err = stats.Interval{Low: nan, High: nan}, nan, nil
		}
		if err == nil {
			out = append(out, MeasuredChange{m.Measure, d})
		}
	}
	return out, nil
}

// linear compares two estimates.
func (p pair) linear(a, b stats.Linear) (stats.Difference, error) {
	if p.about == stats.TheseTasks && p.seeds > 1 {
		return stats.DecodingPairedLinear(a, b, Level)
	}
	sampling, err := p.b.sampling(p.about)
	if err != nil {
		return stats.Difference{}, err
	}
	return sampling.PairedLinear(a, b)
}
