package agent

import (
	"regexp"
	"strings"
)

// parsed is what a reply says.
type parsed struct {
	thought, action string
}

// canonical writes thought and action in the form that was asked for.
func (p parsed) canonical() string {
	if p.thought == "" {
		return "Action: " + p.action
	}
	return "Thought: " + p.thought + "\nAction: " + p.action
}

var (
	// actionLine is a line that gives an action: "Action: …", in any case and
	// with the decorations that models add, such as "**Action 2:** …" or
	// "- Action …" without a colon.
	actionLine = regexp.MustCompile(`(?i)^[\s>*_#\-]*action(?:\s*\d+)?(?:[\s*_]*[::\-–—][\s*_]*|[*_]*(?:\s+|$)[*_]*)(.*)$`)
	// actionInside is an action that follows its thought on the same line.
	actionInside = regexp.MustCompile(`(?i)\baction(?:\s*\d+)?[*_]*\s*[::]`)
	// thoughtLabel is what may stand before a thought.
	thoughtLabel = regexp.MustCompile(`(?i)^[\s>*_#\-]*thoughts?(?:\s*\d+)?[\s*_]*[::][\s*_]*`)
	// nextLabel starts what a model adds behind an action on the same line.
	nextLabel = regexp.MustCompile(`(?i)[\s*_]*\b(?:observation|thought)(?:\s*\d+)?[*_]*\s*[::]`)
	// fence is a line of a code fence.
	fence = regexp.MustCompile("^\\s*(```|~~~)[A-Za-z]*\\s*$")
)

// parseReact reads a reply of the react form. The rules:
//
//   - Reasoning in <think> tags is not part of the reply.
//   - Lines of code fences are not, either.
//   - The first action counts. What comes after it, further actions and
//     observations made up by the model, is dropped.
//   - The action is the rest of its line or, when that is empty, the next line
//     that is not.
//   - Quotes, backticks and asterisks around the action are taken off.
//   - What stands before the action is the thought.
//
// ok is false when there is no action.
func parseReact(reply string) (p parsed, ok bool) {
	var lines []string
	for _, line := range strings.Split(withoutReasoning(reply), "\n") {
		if !fence.MatchString(line) {
			lines = append(lines, line)
		}
	}
	for i, line := range lines {
		if m := actionLine.FindStringSubmatch(line); m != nil {
			return finish(lines[:i], m[1], lines[i+1:])
		}
		if at := actionInside.FindStringIndex(line); at != nil {
			before := append(append([]string(nil), lines[:i]...), line[:at[0]])
			return finish(before, line[at[1]:], lines[i+1:])
		}
	}
	return parsed{}, false
}

// finish puts together a thought, an action and, where the action's own line is
// empty, the lines after it.
func finish(before []string, action string, after []string) (p parsed, ok bool) {
	action = undecorated(action)
	for _, line := range after {
		if action != "" {
			break
		}
		action = undecorated(line)
	}
	thought := strings.TrimSpace(strings.Join(before, "\n"))
	thought = strings.TrimSpace(thoughtLabel.ReplaceAllString(thought, ""))
	return parsed{thought, action}, action != ""
}

// quotes are the pairs that models put around an action.
var quotes = [...][2]string{{`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"‘", "’"}}

// undecorated takes off what models put around an action and behind it.
func undecorated(s string) string {
	if at := nextLabel.FindStringIndex(s); at != nil {
		s = s[:at[0]]
	}
	s = strings.TrimSpace(s)
	s = strings.TrimSpace(strings.Trim(s, "*"))
	for _, q := range quotes {
		if len(s) >= len(q[0])+len(q[1]) && strings.HasPrefix(s, q[0]) && strings.HasSuffix(s, q[1]) {
			s = strings.TrimSpace(s[len(q[0]) : len(s)-len(q[1])])
		}
	}
	return s
}

// withoutReasoning takes out reasoning that the server left in the reply, in
// <think> tags. The opening tag may be missing, as some chat templates put it
// into the prompt; a closing one is missing when the reply was cut off.
func withoutReasoning(s string) string {
	if i := strings.LastIndex(s, "</think>"); i >= 0 {
		s = s[i+len("</think>"):]
	}
	if i := strings.Index(s, "<think>"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSpace(s)
}

// cleanAct reads a reply of the act agent as AgentBoard's parser does: if the
// reply mentions an action, what follows the first colon of a line that does, or
// "is to", or the line after "next action …:"; otherwise the reply itself. Of
// that the first line counts, without quotes and slashes around it.
func cleanAct(reply string) string {
	reply = withoutReasoning(reply)
	text := reply
	if strings.Contains(strings.ToLower(reply), "action") {
		if named := namedAction(strings.Split(reply, "\n")); named != "" {
			text = named
		}
	}
	text = strings.Trim(strings.TrimSpace(text), "'/")
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// namedAction finds what a reply calls an action.
func namedAction(lines []string) string {
	for i, line := range lines {
		lower := strings.ToLower(line)
		if !strings.Contains(lower, "action") {
			continue
		}
		_, after, colon := strings.Cut(line, ":")
		if at := strings.Index(lower, "is to"); !colon && at >= 0 {
			after = line[at+len("is to"):]
		}
		if colon && strings.Contains(lower, "next action") {
			for _, next := range lines[i+1:] {
				if strings.TrimSpace(after) == "" {
					after = next
				}
			}
		}
		if after = strings.TrimSpace(after); after != "" {
			return after
		}
	}
	return ""
}
