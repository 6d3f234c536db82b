package bench

import (
	"slices"
	"strings"
)

// plain is a request after what a preset's requests are equal up to was applied.
func plain(names []string, request map[string]any) map[string]any {
	out, _ := eachText(request, func(text string) string {
		for _, name := range names {
			text = equalUpTo[name](text)
		}
		return text
	}).(map[string]any)
	return out
}

// eachText applies a change to every text of a JSON value.
func eachText(v any, change func(string) string) any {
	switch x := v.(type) {
	case string:
		return change(x)
	case []any:
		out := make([]any, len(x))
		for i, element := range x {
			out[i] = eachText(element, change)
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for name, element := range x {
			out[name] = eachText(element, change)
		}
		return out
	}
	return v
}

// equalUpTo are the values of configs.EqualUpTo.
var equalUpTo = map[string]func(string) string{"set-order": setOrder, "room-order": roomOrder}

// setOrder sorts what PDDL's games list: the actions after "Valid actions are: ", and the
// sentences of every other line.
func setOrder(text string) string {
	const before = "Valid actions are: "
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		separator := ". "
		if strings.Contains(line, before) {
			separator = ", "
		}
		at := strings.Index(line, ": ") + 1
		parts := strings.Split(strings.TrimSuffix(line[at:], "."), separator)
		slices.Sort(parts)
		lines[i] = line[:at] + strings.Join(parts, separator)
	}
	return strings.Join(lines, "\n")
}

// roomOrder sorts the lines that say what a room of ScienceWorld holds: those that begin
// with a tab.
func roomOrder(text string) string {
	lines := strings.Split(text, "\n")
	for from := 0; from < len(lines); from++ {
		to := from
		for to < len(lines) && strings.HasPrefix(lines[to], "\t") {
			to++
		}
		slices.Sort(lines[from:to])
		from = to
	}
	return strings.Join(lines, "\n")
}
