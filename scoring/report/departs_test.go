package report

import (
	"testing"

	"heldout/envs/sharedtest"
	"heldout/scoring"
	"heldout/scoring/record"
)

// What of a preset is not the original's is said once for a preset, and what was left out.
func TestDepartures(t *testing.T) {
	sweep := &record.Sweep{Env: "alfworld", Perturbations: []record.Perturbation{
		{Name: "verbs:1", Departs: []string{"the instruction", "the examples"}},
		{Name: "goal:1", Departs: []string{"the examples"}}, {Name: "order:1"},
	}, LeftOut: []record.LeftOut{{Env: "alfworld", Perturbation: "arguments"}, {Env: "pddl", Perturbation: "help"}}}
	of := func(env string, preset *record.Preset) row {
		return newRow(&scoring.Score{Condition: record.Condition{Env: env, Preset: preset}}, sweep)
	}
	eto := &record.Preset{Name: "eto", SHA256: "abcdef"}
	got := departures([]row{of("alfworld", eto), of("alfworld", eto), of("alfworld", nil)})
	want := []string{
		"Not the original's any more on eto (abcd…): the instruction (under 1 of 3); the examples (under 2 of 3). " +
			"Published results do not compare.",
		"Left out, as they do not fit eto (abcd…): arguments (run.json says why).",
	}
	sharedtest.Same(t, got, want)
}
