package sciworld

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// taskVariation is a variation of a task.
type taskVariation struct {
	task      string
	variation int
}

// id names the task, such as "boil/5".
func (p taskVariation) id() string { return p.task + "/" + strconv.Itoa(p.variation) }

// tasks are the simulator's tasks with their numbers of variations (§2.1).
var tasks = []struct {
	name       string
	variations int
}{
	{"boil", 30}, {"melt", 30}, {"freeze", 30}, {"change-the-state-of-matter-of", 30},
	{"use-thermometer", 540}, {"measure-melting-point-known-substance", 436},
	{"measure-melting-point-unknown-substance", 300},
	{"power-component", 20}, {"power-component-renewable-vs-nonrenewable-energy", 20},
	{"test-conductivity", 900}, {"test-conductivity-of-unknown-substances", 600},
	{"find-living-thing", 300}, {"find-non-living-thing", 300}, {"find-plant", 300}, {"find-animal", 300},
	{"grow-plant", 126}, {"grow-fruit", 126},
	{"chemistry-mix", 32}, {"chemistry-mix-paint-secondary-color", 36}, {"chemistry-mix-paint-tertiary-color", 36},
	{"lifespan-longest-lived", 125}, {"lifespan-shortest-lived", 125},
	{"lifespan-longest-lived-then-shortest-lived", 125},
	{"identify-life-stages-1", 14}, {"identify-life-stages-2", 10},
	{"inclined-plane-determine-angle", 168}, {"inclined-plane-friction-named-surfaces", 1386},
	{"inclined-plane-friction-unnamed-surfaces", 162},
	{"mendelian-genetics-known-plant", 120}, {"mendelian-genetics-unknown-plant", 480},
}

// parsePlace reads the name of a task, a slash and a variation.
func parsePlace(id string) (taskVariation, error) {
	name, number, _ := strings.Cut(id, "/")
	variation, err := strconv.Atoi(number)
	for _, t := range tasks {
		if t.name != name {
			continue
		}
		if err != nil || variation < 0 || variation >= t.variations || strconv.Itoa(variation) != number {
			return taskVariation{}, fmt.Errorf("sciworld: want a variation of %s from 0 to %d, such as %s/0, not %q",
				name,
				t.variations-1, name, id)
		}
		return taskVariation{name, variation}, nil
	}
	return taskVariation{},
		fmt.Errorf("sciworld: want a task and a variation, such as %s/0, not %q; heldout tasks %s lists them",
			tasks[0].name, id, Name)
}

// electrical reports whether a task needs electrical actions (§3).
func electrical(task string) bool {
	return strings.Contains(task, "power-component") || strings.Contains(task, "conductivity")
}

// split is a part of every task's variations.
type split struct {
	name string
	// start and end bound the part of n variations: start ≤ v < end.
	bounds func(n int) (start, end int)
}

// splits are cut by quarters, rounded down: train has the first two, dev the
// third, test the rest (§2.1; other rules apply to fewer than four variations,
// but every task has at least ten).
func splits() []split {
	return []split{
		{"test", func(n int) (int, int) { return n / 4 * 3, n }},
		{"dev", func(n int) (int, int) { return n / 4 * 2, n / 4 * 3 }},
		{"train", func(n int) (int, int) { return 0, n / 4 * 2 }},
		{"all", func(n int) (int, int) { return 0, n }},
	}
}

// Splits names the parts of ScienceWorld's tasks; the first is the default.
func Splits() (names []string) {
	for _, s := range splits() {
		names = append(names, s.name)
	}
	return names
}

func findSplit(name string) (split, error) {
	list := splits()
	if name == "" {
		return list[0], nil
	}
	i := slices.IndexFunc(list, func(s split) bool { return s.name == name })
	if i < 0 {
		return split{}, fmt.Errorf("sciworld: unknown split %q; there are %s", name, strings.Join(Splits(), ", "))
	}
	return list[i], nil
}

// places lists the variations of a split, task by task.
func (s split) places() (out []taskVariation) {
	for _, t := range tasks {
		start, end := s.bounds(t.variations)
		for v := start; v < end; v++ {
			out = append(out, taskVariation{t.name, v})
		}
	}
	return out
}

// boardPlaces lists AgentBoard's 90 tasks (§4.1).
func boardPlaces() (out []taskVariation) {
	add := func(name string, variations ...int) {
		for _, v := range variations {
			out = append(out, taskVariation{name, v})
		}
	}
	lifespans := []string{"lifespan-longest-lived", "lifespan-longest-lived-then-shortest-lived",
		"lifespan-shortest-lived"}
	finds := []string{"find-animal", "find-living-thing", "find-non-living-thing"}
	addAll := func(names []string, variations ...int) {
		for _, n := range names {
			add(n, variations...)
		}
	}
	addAll(lifespans, 5, 6, 7)
	addAll([]string{"measure-melting-point-known-substance", "measure-melting-point-unknown-substance",
		"use-thermometer"}, 5, 6, 7)
	add("freeze", 6)
	add("identify-life-stages-1", 6, 7)
	add("chemistry-mix-paint-tertiary-color", 5, 6, 7)
	addAll(finds, 5, 6, 7)
	addAll([]string{"boil", "change-the-state-of-matter-of"}, 5, 6, 7, 8)
	addAll([]string{"chemistry-mix", "chemistry-mix-paint-secondary-color"}, 5, 6, 7)
	add("use-thermometer", 0, 1, 2)
	addAll(lifespans, 0, 1, 2)
	addAll([]string{"measure-melting-point-known-substance", "measure-melting-point-unknown-substance"}, 0, 1, 2)
	add("identify-life-stages-1", 0, 1, 2)
	addAll(finds, 20, 21, 22)
	addAll(lifespans, 20, 21, 22)
	add("measure-melting-point-known-substance", 20, 21)
	add("use-thermometer", 21, 22)
	return out
}

// SplitOf returns the split of the task of that name. AgentBoard's tasks are in the
// split test, wherever the simulator has them; so are names of no task.
func SplitOf(id string) string {
	p, err := parsePlace(id)
	if err != nil || slices.Contains(boardPlaces(), p) {
		return "test"
	}
	for _, t := range tasks {
		if t.name != p.task {
			continue
		}
		for _, s := range splits() {
			if start, end := s.bounds(t.variations); s.name != "all" && start <= p.variation && p.variation < end {
				return s.name
			}
		}
	}
	return "test"
}
