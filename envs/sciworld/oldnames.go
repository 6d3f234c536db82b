package sciworld

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

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
