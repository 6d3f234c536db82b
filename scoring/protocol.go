package scoring

import (
	"math"

	"heldout/scoring/record"
	"heldout/scoring/stats"
)

// metricOf is the value of a preset's metric.
func metricOf(r *record.Result) float64 {
	if r.Score == nil {
		return math.NaN() // a result of a preset always has one
	}
	return *r.Score
}

func metric(a *attempt) float64 { return a.score }

// loose is 1 if an episode meets the looser definition of success.
func loose(a *attempt) float64 { return indicator(a.loose) }

// Metric returns the mean of the preset's metric. Scores may be negative: the interval is for a value between the
// smallest possible score and 1. There is none if a score is above 1, and none for means over task types.
func (s *Score) Metric(overTypes bool) Rate {
	lowest, highest := 0.0, 1.0
	for _, t := range s.tasks {
		for _, p := range t.results {
			if p.score < 0 {
				lowest = -1
			}
			highest = max(highest, p.score)
		}
	}
	width := highest - lowest
	r := s.newRate(func(a *attempt) float64 { return (a.score - lowest) / width })
	r.Mean = lowest + width*r.Mean
	r.SampleStd *= width
	switch {
	case overTypes:
		r.Mean, r.Interval = stats.Mean(sorted(averages(s.tasks, byType, metric))), nil
	case highest > 1:
		r.Interval = nil
	case r.Interval != nil:
		r.Interval = &stats.Interval{Low: lowest + width*r.Interval.Low, High: lowest + width*r.Interval.High}
	}
	return r
}

// Loose returns the rate of the preset's looser definition of success.
func (s *Score) Loose() Rate { return s.newRate(loose) }

// byType is a key of results.
func byType(t *taskResults, _ seedResult) string { return t.Type }
