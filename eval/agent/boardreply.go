package agent

import (
	"slices"
	"strings"

	"heldout/envs/pytext"
)

// parseBoard reads a reply as AgentBoard's act-only agent does, slips included: what one of
// its lines says of an action, otherwise the whole reply. Of that, the first line counts,
// without quotes and slashes around it. Every reply can be read; the action may be empty.
func parseBoard(reply string, _ int) (parsed, bool) {
	action := reply
	if mentions(reply) {
		action = namedAction(reply)
	}
	if pytext.Strip(action) == "" {
		action, _, _ = strings.Cut(reply, "\n")
	}
	action, _, _ = strings.Cut(strings.Trim(pytext.Strip(action), "'/"), "\n")
	return parsed{action: action}, action != ""
}

func mentions(text string) bool { return strings.Contains(pytext.Lower(text), "action") }

// namedAction is what the lines of a reply call an action. A line may announce that one
// below it is the next action, and a later one may still overrule that.
func namedAction(reply string) string {
	action := reply
	lines := strings.Split(reply, "\n")
	for _, line := range lines {
		label, rest, colon := strings.Cut(line, ":")
		if colon && strings.Contains(line, "next action") {
			next := lines[slices.Index(lines, line)+1:] // of the first such line, if there are equal ones
			if i := slices.IndexFunc(next, func(l string) bool { return l != "" }); i >= 0 {
				action = next[i]
			}
		}
		if strings.HasSuffix(pytext.Lower(label), "with action input") {
			return line
		}
		if !mentions(line) {
			continue
		}
		if rest != "" {
			return rest
		}
		if parts := strings.Split(line, "is to"); len(parts) > 1 && parts[1] != "" {
			return parts[1]
		}
	}
	return action
}
