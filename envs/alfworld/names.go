package alfworld

import (
	"strconv"
	"strings"
)

// separator occurs in the ids of things that have a place in the scene.
const separator = "_bar_"

// demangle reverses the encoding of scene names as PDDL names.
var demangle = strings.NewReplacer("_bar_", "|", "_minus_", "-", "_plus_", "+", "_dot_", ".", "_comma_", ",")

// displayNames returns the names that players see, in the order of the ids,
// which must be sorted. Things of one kind are numbered downwards.
func displayNames(ids []string) []string {
	counts := map[string]int{}
	for _, id := range ids {
		counts[kind(id)]++
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		k := kind(id)
		if k == "" {
			names[i] = demangle.Replace(id) + " " // has no number, but its place
			continue
		}
		names[i] = k + " " + strconv.Itoa(counts[k])
		counts[k]--
	}
	return names
}

// kind is the name of a thing without its number; "" if the id has no separator.
func kind(id string) string {
	base, _, found := strings.Cut(id, separator)
	if !found {
		return ""
	}
	if strings.Contains(id, "basin") {
		base += "basin"
	}
	return base
}

// list joins names as the game does: a comma and "and" come before the last
// name, even in a list of two, and each name follows its article.
func list(article string, names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	var b strings.Builder
	for i, n := range names {
		switch {
		case i == 0:
		case i == len(names)-1:
			b.WriteString(", and ")
		default:
			b.WriteString(", ")
		}
		b.WriteString(article)
		b.WriteString(n)
	}
	return b.String()
}
