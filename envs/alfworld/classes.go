package alfworld

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed classes.txt
var classesText string

// classes are the classes of things, by what can be done with them.
var classes = sync.OnceValue(func() map[string][]string { return lists(classesText) })

// appliance is the class of receptacles that a task type needs.
func appliance(taskType string) string {
	return map[string]string{pickClean: "SinkBasin", pickHeat: "Microwave", pickCool: "Fridge"}[taskType]
}

//go:embed receptacles.txt
var receptaclesText string

// accepts says which classes of objects a class of receptacles may hold.
func accepts() map[string][]string { return lists(receptaclesText) }

//go:embed targets.txt
var targetsText string

// targets says for each task type which objects the agent must bring to a class of
// receptacles, or look at under a lamp.
func targets() map[string]map[string][]string {
	out := map[string]map[string][]string{}
	for key, objects := range lists(targetsText) {
		taskType, target, _ := strings.Cut(key, "/")
		if out[taskType] == nil {
			out[taskType] = map[string][]string{}
		}
		out[taskType][target] = objects
	}
	return out
}

// lists reads a table of lists of words. Each begins with its name, a word with a colon.
func lists(table string) map[string][]string {
	out, name := map[string][]string{}, ""
	for _, words := range lines(table) {
		if first, ok := strings.CutSuffix(words[0], ":"); ok {
			name, words = first, words[1:]
		}
		out[name] = append(out[name], words...)
	}
	return out
}
