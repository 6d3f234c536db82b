package sciworld

import (
	"testing"

	"heldout/envs/sharedtest"
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
		sharedtest.Equal(t, sharedtest.Must(CurrentName(old))(t), want, old)
	}
	for _, bad := range []string{"", "30", "-1", "task-1-", "task-1-boil/3", "fly"} {
		sharedtest.Fails(t, sharedtest.Err(CurrentName(bad)), "", bad)
	}
}

func TestGymTask(t *testing.T) {
	for number, want := range map[int]string{0: "boil/0", 30: "melt/0", 4136: "chemistry-mix/0",
		4240: "lifespan-longest-lived/0", 4638: "identify-life-stages-2/9"} {
		sharedtest.Equal(t, sharedtest.Must(GymTask(number))(t), want, number)
	}
	for _, bad := range []int{-1, 4639} {
		sharedtest.Fails(t, sharedtest.Err(GymTask(bad)), "", bad)
	}
}
