package envs

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

// titles are the proper names of environments, as papers write them.
var titles = map[string]string{"alfworld": "ALFWorld", "babyai": "BabyAI", "hotpotqa": "HotpotQA",
	"jericho": "Jericho", "pddl": "PDDL", "sciworld": "SciWorld"}

// Names are the names of heldout's own environments, sorted.
func Names() []string { return slices.Sorted(maps.Keys(titles)) }

// IsExternal reports whether a name belongs to an environment that others run: the way to
// it, a colon and what it calls itself, or its address.
func IsExternal(name string) bool { return strings.Contains(name, ":") }

// Title is the proper name of an environment, which is its name if it has no other.
func Title(name string) string {
	if title, ok := titles[name]; ok {
		return title
	}
	return name
}

// PlaceTitle is a text that begins with the name of an environment, with its proper name.
func PlaceTitle(place string) string {
	name := place
	if i := strings.IndexFunc(place, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		name = place[:i]
	}
	return Title(name) + place[len(name):]
}
