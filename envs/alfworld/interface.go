package alfworld

import (
	"slices"
	"strings"

	"heldout/envs"
	"heldout/envs/pytext"
)

// slots are the instructions' names for the arguments of actions.
var slots = strings.NewReplacer("{o}", "{obj}", "{r}", "{recep}", "{co}", "{obj}", "{ko}", "{tool}")

// goalForms are the forms of goals, and sentences the forms of answers that a
// perturbation can change.
var (
	goalForms = []string{
		"put a {class} in {place}.", "put some {class} on {place}.", "put two {class} in {place}.",
		"find two {class} and put them in {place}.",
		"put a clean {class} in {place}.", "clean some {class} and put it in {place}.",
		"put a hot {class} in {place}.", "heat some {class} and put it in {place}.",
		"put a cool {class} in {place}.", "cool some {class} and put it in {place}.",
		"look at {class} under the {place}.", "examine the {class} with the {place}.",
	}
	sentences = []string{
		"You pick up the {obj} from the {recep}.", "You put the {obj} in/on the {recep}.",
		"You move the {obj} to the {recep}.",
		"You open the {recep}.", "You close the {recep}.", "The {recep} is closed.", "You turn on the {obj}.",
		"You clean the {obj} using the {recep}.", "You heat the {obj} using the {recep}.",
		"You cool the {obj} using the {recep}.", "You sliced the {obj} with the {tool}.",
		"You are not carrying anything.",
	}
)

// Interface implements envs.Describer. All task types have the same interface.
func (e *Env) Interface(string) envs.Interface {
	i := envs.Interface{
		Actions:   []string{checkAction},
		Name:      "{class} {number}",
		Parts:     map[string]string{"class": "[a-z]+", "number": "[0-9]+"},
		Normalize: func(action string) string { return strings.TrimSuffix(normalize(action), ".") },
		Lists:     []envs.ActionList{{Prefix: checkPrefix, Separator: ", ", Sorted: true, Last: []string{checkAction}}},
		Replies:   []string{rejected},
		Texts:     slices.Concat(goalForms, sentences),
		Fill:      map[string]string{"class": "[a-z]+", "place": "[a-z]+", "location": "loc [0-9]+"},
		Series: []envs.Series{
			{Begin: "(?:you see|You are carrying:) ", Item: "a [a-z]+ [0-9]+", Middle: ", ", Last: ", and ", End: "."},
			{Begin: "You are facing the ", Item: "[a-z]+ [0-9]+", Middle: ", ", Last: ", and ", End: "."},
		},
		Unknown: "zzqx",
		// The benchmark's own layer writes these words alike after "put".
		Spellings: func(action string) []string {
			if strings.Contains(action, " in ") {
				return []string{strings.ReplaceAll(action, " in ", " in/on ")}
			}
			return []string{strings.ReplaceAll(action, " on ", " in/on ")}
		},
	}
	if e.info.Settings["variant"] == ALFWorld {
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
	switch e.info.Settings["dialect"] {
	case "":
		return []dialect{classic}
	case "v2":
		return []dialect{modern}
	default:
		return []dialect{classic, modern}
	}
}
