package record

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Answered counts replies by the model that, as they say, wrote them.
type Answered map[string]int

// mostAnswered is how many names are told apart; others are counted as otherNames.
const (
	mostAnswered = 16
	otherNames   = "(others)"
)

// Add counts replies with a name; an empty one says nothing.
func (a *Answered) Add(name string, count int) {
	if name == "" {
		return
	}
	if *a == nil {
		*a = Answered{}
	}
	if _, listed := (*a)[name]; !listed && len(*a) >= mostAnswered {
		name = otherNames
	}
	(*a)[name] += count
}

// Several reports whether the names belong to more than one model.
func (a Answered) Several() bool {
	names := slices.Sorted(maps.Keys(a))
	for i, name := range names {
		if slices.ContainsFunc(names[:i], func(earlierName string) bool { return !SameModel(name, earlierName) }) {
			return true
		}
	}
	return false
}

// Has reports whether a model of the name answered.
func (a Answered) Has(name string) bool {
	for answering := range a {
		if SameModel(name, answering) {
			return true
		}
	}
	return false
}

// Names are the names, the most frequent first.
func (a Answered) Names() []string {
	return slices.SortedFunc(maps.Keys(a), func(x, y string) int { return cmp.Or(a[y]-a[x], strings.Compare(x, y)) })
}

// String lists the most frequent names with their counts.
func (a Answered) String() string {
	const limit = 4
	names := a.Names()
	var out []string
	for _, name := range names[:min(limit, len(names))] {
		out = append(out, fmt.Sprintf("%s (%d)", name, a[name]))
	}
	if rest := len(names) - limit; rest > 0 {
		out = append(out, fmt.Sprintf("%d more", rest))
	}
	return strings.Join(out, ", ")
}

// plainName is what remains of a model's name without what servers add or leave out.
func plainName(name string) string {
	name = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(name), `\`, "/"))
	if path.IsAbs(name) || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "~") || drive.MatchString(name) {
		name = path.Base(name) // folders belong to a machine
	}
	for _, end := range []string{".gguf", ":latest", ":free", ":nitro", ":floor"} {
		name = strings.TrimSuffix(name, end)
	}
	return name
}

var drive = regexp.MustCompile(`^[a-z]:/`)

// SameModel reports whether two names can belong to one model: they differ in case, in the folders of a path,
// in the ending of a file, in Ollama's tag "latest", in OpenRouter's choice of a provider, or one of them lacks
// a prefix such as "openai/".
func SameModel(a, b string) bool {
	a, b = plainName(a), plainName(b)
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}

// dated matches what servers put behind an alias: "-2024-08-06", "-0125", "-20241022-v2:0", "-preview-05-20", "-002",
// "@q4_k_m".
var dated = regexp.MustCompile(`^@|^(?:-preview)?-(?:20\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|1[0-2])-?` +
	`(?:0[1-9]|[12]\d|3[01])(?:-20\d\d)?|2\d(?:0[1-9]|1[0-2])|00\d)(?:-v\d+(?::\d+)?)?$`)

// Alias reports whether a name is an alias followed by the date, the number or the variant of its version.
func Alias(alias, name string) bool {
	alias, name = strings.TrimSuffix(plainName(alias), "-latest"), plainName(name)
	for {
		if rest, ok := strings.CutPrefix(name, alias); ok && dated.MatchString(rest) {
			return true
		}
		var cut bool
		if _, alias, cut = strings.Cut(alias, "/"); !cut { // a prefix that the other name lacks
			return false
		}
	}
}
