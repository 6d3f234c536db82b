package scoring

import (
	"maps"
	"math"
	"slices"

	"heldout/eval/record"
	"heldout/scoring/stats"
)

// metric is the value of a preset's metric.
func metric(r record.Result) float64 {
	if r.Score == nil {
		return math.NaN() // a result of a preset always has one
	}
	return *r.Score
}

// loose is 1 if an episode meets the looser definition of success.
func loose(r record.Result) float64 {
	if r.Loose != nil && *r.Loose {
		return 1
	}
	return 0
}

// Metric returns the mean of the preset's metric. Scores may be negative: the
// interval is that of a value between the smallest possible score and 1. There is
// none if a score is above 1, and none for means over task types.
func (s *Score) Metric(overTypes bool) Rate { return s.metricOf(s.played, overTypes) }

// Loose returns the rate of the preset's looser definition of success.
func (s *Score) Loose() Rate { return s.newRate(s.played, loose) }

func (s *Score) metricOf(ps []played, overTypes bool) Rate {
	lowest, highest := 0.0, 1.0
	for _, p := range ps {
		if metric(*p.result) < 0 {
			lowest = -1
		}
		highest = max(highest, metric(*p.result))
	}
	width := highest - lowest
	r := s.newRate(ps, func(r record.Result) float64 { return (metric(r) - lowest) / width })
	r.Mean = lowest + width*r.Mean
	r.PopulationStd, r.SampleStd = width*r.PopulationStd, width*r.SampleStd
	switch {
	case overTypes:
		r.Mean, r.Interval = stats.Mean(sorted(averages(ps, typeOf, metric))), nil
	case highest > 1:
		r.Interval = nil
	case r.Interval != nil:
		r.Interval = &stats.Interval{Low: lowest + width*r.Interval.Low, High: lowest + width*r.Interval.High}
	}
	return r
}

// TypeScore is what a score is on the tasks of one type.
type TypeScore struct {
	Type string
	// Tasks counts those with a result.
	Tasks           int
	Metric, Success Rate
}

// ByType returns the rates of a preset by task type, sorted.
func (s *Score) ByType() (out []TypeScore) {
	parts := map[string][]played{}
	for _, p := range s.played {
		parts[typeOf(p)] = append(parts[typeOf(p)], p)
	}
	for _, typ := range slices.Sorted(maps.Keys(parts)) {
		part := parts[typ]
		out = append(out, TypeScore{
			Type: typ, Tasks: len(averages(part, taskKey, success)), Metric: s.metricOf(part, false), Success: s.newRate(part, success),
		})
	}
	return out
}

func typeOf(p played) string { return p.task.Type }
