package sciworld_test

import (
	"testing"

	"heldout/envs/sciworld"
)

func TestCurrentName(t *testing.T) {
	for old, want := range map[string]string{
		"task-1-boil": "boil", "boil": "boil", "task-2a-test-conductivity": "test-conductivity",
		"task-10-measure-melting-point-(known-substance)":     "measure-melting-point-known-substance",
		"task-5-chemistry-mix-paint-(secondary-color)":        "chemistry-mix-paint-secondary-color",
		"task-10-mendellian-genetics-(known-plant)":           "mendelian-genetics-known-plant",
		"task-6-lifespan-(longest-lived-then-shortest-lived)": "lifespan-longest-lived-then-shortest-lived",
		"0": "boil", "4": "chemistry-mix-paint-tertiary-color", "29": "use-thermometer",
	} {
		if got, err := sciworld.CurrentName(old); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", old, got, err, want)
		}
	}
	for _, bad := range []string{"", "30", "-1", "task-1-", "task-1-boil/3", "fly"} {
		if got, err := sciworld.CurrentName(bad); err == nil {
			t.Errorf("%q is %q", bad, got)
		}
	}
}

func TestGymTask(t *testing.T) {
	for number, want := range map[int]string{0: "boil/0", 30: "melt/0", 4136: "chemistry-mix/0",
		4240: "lifespan-longest-lived/0", 4638: "identify-life-stages-2/9"} {
		if got, err := sciworld.GymTask(number); err != nil || got != want {
			t.Errorf("%d: %q, %v, want %q", number, got, err, want)
		}
	}
	for _, bad := range []int{-1, 4639} {
		if got, err := sciworld.GymTask(bad); err == nil {
			t.Errorf("%d is %q", bad, got)
		}
	}
}
