package sciworld

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"heldout/envs/datafile"
)

// taskVariation is a variation of a task.
type taskVariation struct {
	task      string
	variation int
}

// id names the task, such as "boil/5".
func (p taskVariation) id() string { return p.task + "/" + strconv.Itoa(p.variation) }

//go:embed tasks.json
var tasksText []byte

// taskTable lists the simulator's tasks with their numbers of variations (§2.1), and AgentBoard's 90 variations (§4.1).
var taskTable = datafile.Table[struct {
	Tasks []struct {
		Name       string
		Variations int
		NotInGym   bool // AgentGym leaves it out
	}
	Board []struct {
		Task       string
		Variations []int
	}
}](tasksText)

var tasks = taskTable.Tasks

// parsePlace reads the name of a task, a slash and a variation.
func parsePlace(id string) (taskVariation, error) {
	name, number, _ := strings.Cut(id, "/")
	variation, err := strconv.Atoi(number)
	for _, t := range tasks {
		if t.Name != name {
			continue
		}
		if err != nil || variation < 0 || variation >= t.Variations || strconv.Itoa(variation) != number {
			return taskVariation{}, fmt.Errorf("sciworld: want a variation of %s from 0 to %d, such as %s/0, not %q",
				name,
				t.Variations-1, name, id)
		}
		return taskVariation{name, variation}, nil
	}
	return taskVariation{},
		fmt.Errorf("sciworld: want a task and a variation, such as %s/0, not %q; heldout tasks %s lists them",
			tasks[0].Name, id, Name)
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

// splits are cut by quarters, rounded down: train has the first two, dev the third, test the rest (§2.1; other
// rules apply to fewer than four variations, but every task has at least ten).
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
		start, end := s.bounds(t.Variations)
		for v := start; v < end; v++ {
			out = append(out, taskVariation{t.Name, v})
		}
	}
	return out
}

// boardPlaces lists AgentBoard's tasks.
func boardPlaces() (out []taskVariation) {
	for _, t := range taskTable.Board {
		for _, v := range t.Variations {
			out = append(out, taskVariation{t.Task, v})
		}
	}
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
		if t.Name != p.task {
			continue
		}
		for _, s := range splits() {
			if start, end := s.bounds(t.Variations); s.name != "all" && start <= p.variation && p.variation < end {
				return s.name
			}
		}
	}
	return "test"
}

// oldPrefix precedes the names of tasks in older task lists.
var oldPrefix = regexp.MustCompile(`task-[0-9ab]+-`)

// CurrentName returns the name of a task that is given by an older name, such as
// task-10-measure-melting-point-(known-substance), or by its position in the
// sorted names. The official Python package reads older names so (§3).
func CurrentName(old string) (string, error) {
	name := strings.ReplaceAll(oldPrefix.ReplaceAllString(old, ""), "mendellian", "mendelian")
	name = strings.NewReplacer("(", "", ")", "").Replace(name)
	var names []string
	for _, t := range tasks {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	if n, err := strconv.Atoi(name); err == nil && n >= 0 && n < len(names) {
		return names[n], nil
	}
	if !slices.Contains(names, name) {
		return "", fmt.Errorf("sciworld: unknown task %.100q", old)
	}
	return name, nil
}

// gymPlaces lists AgentGym's tasks: variations of its kinds in the simulator's order.
var gymPlaces = sync.OnceValue(func() (out []taskVariation) {
	for _, t := range tasks {
		for v := range t.Variations {
			if !t.NotInGym {
				out = append(out, taskVariation{t.Name, v})
			}
		}
	}
	return out
})

// GymTask returns the name of AgentGym's task with that number.
func GymTask(number int) (string, error) {
	places := gymPlaces()
	if number < 0 || number >= len(places) {
		return "", fmt.Errorf("sciworld: AgentGym has no task number %d", number)
	}
	return places[number].id(), nil
}
