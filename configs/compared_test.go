package configs

import (
	"slices"
	"testing"

	"heldout/envs/sharedtest"
)

// A preset is exact if the comparisons with its original show it, and only then.
func TestStatusIsEarned(t *testing.T) {
	for _, p := range sharedtest.Must(PresetParts())(t) {
		c := sharedtest.Must(p.Compared())(t)
		proven := c.Requests > 0 && c.Equal+c.UpTo == c.Requests && c.Same == c.Outcomes && c.Extra == 0
		if p.Status == Exact && !proven {
			t.Errorf("%s is called exact, and the comparisons are %v", p.ID(false), c)
		}
		if c.UpTo > 0 && len(p.UpTo) == 0 {
			t.Errorf("%s does not say up to what %d requests are equal", p.ID(false), c.UpTo)
		}
	}
}

// Comparisons are sorted, each is there once, and their presets exist.
func TestComparisons(t *testing.T) {
	all, err := Comparisons()
	if err != nil || len(all) == 0 {
		t.Fatal(len(all), err)
	}
	var lines []string
	for _, c := range all {
		lines = append(lines, c.File+" "+c.Preset)
		if c.Preset == "" {
			continue
		}
		found, err := FindPresets(c.Preset, nil)
		if err != nil {
			t.Errorf("%v: %v", c, err)
			continue
		}
		if sum, err := found[0].Compared(); err != nil || sum.Requests < c.Requests {
			t.Errorf("%v is no part of the sum %v: %v", c, sum, err)
		}
	}
	if !slices.IsSorted(lines) || len(slices.Compact(slices.Clone(lines))) < len(lines) {
		t.Error("the comparisons are not sorted, or one stands there twice")
	}
}
