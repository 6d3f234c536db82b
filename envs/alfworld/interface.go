package alfworld

import (
	"slices"
	"strings"

	"heldout/envs"
)

// slots are the instructions' names for the arguments of actions.
var slots = strings.NewReplacer("{o}", "{obj}", "{r}", "{recep}", "{co}", "{obj}", "{ko}", "{tool}")

// Interface implements envs.Spoken. All task types have the same interface.
func (e *Env) Interface(string) envs.Interface {
	i := envs.Interface{
		Actions:   []string{checkAction},
		Name:      "{class} {number}",
		Parts:     map[string]string{"class": "[a-z]+", "number": "[0-9]+"},
		Normalize: func(action string) string { return strings.TrimSuffix(normalize(action), ".") },
		Lists:     []envs.ActionList{{Prefix: checkPrefix, Separator: ", ", Sorted: true, Last: []string{checkAction}}},
		Replies:   []string{rejected},
	}
	if e.info.Settings["variant"] == ALFWorld {
		i.Actions, i.Lists, i.Normalize = nil, nil, strip
	}
	for _, d := range e.dialects() {
		for _, f := range d.forms() {
			command := slots.Replace(f.command)
			if strings.HasPrefix(command, "examine ") {
				command = "examine {thing}" // one form for receptacles and objects
			}
			if !slices.Contains(i.Actions, command) {
				i.Actions = append(i.Actions, command)
			}
		}
	}
	return i
}

// dialects are the possible dialects of the games.
func (e *Env) dialects() []dialect {
	switch e.info.Settings["dialect"] {
	case "":
		return []dialect{classic}
	case "v2":
		return []dialect{modern}
	default:
		return []dialect{classic, modern}
	}
}
