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
		names = append(names, t.name)
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

// notInGym are the tasks that AgentGym leaves out.
var notInGym = []string{
	"grow-plant", "grow-fruit", "inclined-plane-determine-angle", "inclined-plane-friction-named-surfaces",
	"inclined-plane-friction-unnamed-surfaces", "mendelian-genetics-known-plant", "mendelian-genetics-unknown-plant",
}

// gymPlaces lists AgentGym's tasks: variations of its kinds in the simulator's order.
var gymPlaces = sync.OnceValue(func() (out []taskVariation) {
	for _, t := range tasks {
		for v := range t.variations {
			if !slices.Contains(notInGym, t.name) {
				out = append(out, taskVariation{t.name, v})
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
