package scoring

import (
	"testing"

	"heldout/scoring/refinement"
)

// Of 30 runs of errors, 20 have one step, 8 have two and 2 have four: 28 of 30 do not exceed two steps, and the
// lower end is two as well, because 20 of 30 are surely fewer than nine of ten.
func TestLongRuns(t *testing.T) {
	var episodes []string
	for range 2 {
		episodes = append(episodes, "oooo.")
	}
	for range 8 {
		episodes = append(episodes, "oo.")
	}
	for range 20 {
		episodes = append(episodes, "o.")
	}
	for _, m := range writtenAs(t, episodes...).Refinement() {
		if m.Key != refinement.LongRuns().Key {
			continue
		}
		if m.Value != 2 || m.Interval == nil || m.Interval.Low != 2 || m.Interval.High != 4 {
			t.Errorf("%v, %+v; want 2 from 2 to 4", m.Value, m.Interval)
		}
		return
	}
	t.Error("there is no measure of long runs")
}
