package alfworld

import (
	_ "embed"
	"slices"
	"strings"

	"heldout/envs"
	"heldout/envs/agentboard"
	"heldout/envs/datafile"
	"heldout/envs/pytext"
)

// slots are the instructions' names for the arguments of actions.
var slots = strings.NewReplacer("{o}", "{obj}", "{r}", "{recep}", "{co}", "{obj}", "{ko}", "{tool}")

//go:embed interface.json
var interfaceFile []byte

// Interface implements envs.Describer. All task types have the same interface.
func (e *Env) Interface(string) envs.Interface {
	i := datafile.Table[envs.Interface](interfaceFile)
	i.Actions, i.Replies = []string{checkAction}, []string{rejected}
	i.Normalize = func(action string) string {
		return strings.TrimSuffix(agentboard.ALFWorldAction(action, "put"), ".")
	}
	i.Lists = []envs.ActionList{{Prefix: checkPrefix, Separator: ", ", Sorted: true, Last: []string{checkAction}}}
	// The benchmark's own layer writes these words alike after "put".
	i.Spellings = func(action string) []string { return []string{agentboard.ALFWorldAction(action, "")} }
	if e.About.Settings["variant"] == ALFWorld {
		i.Actions, i.Lists, i.Normalize = nil, nil, pytext.Strip
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
	switch e.About.Settings["dialect"] {
	case "":
		return []dialect{classic}
	case "v2":
		return []dialect{modern}
	default:
		return []dialect{classic, modern}
	}
}
