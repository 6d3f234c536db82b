package agent

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

type parsed struct {
	thought, action string
	// occasion selects the preset's message that answers a reply without an action, if it has one for it.
	occasion string
}

// canonical writes thought and action in the form that was asked for.
func (p parsed) canonical() string {
	if p.thought == "" {
		return "Action: " + p.action
	}
	return "Thought: " + p.thought + "\nAction: " + p.action
}

// Canonical writes thought and action in the form that react asks for.
func Canonical(thought, action string) string {
	return parsed{thought: thought, action: action}.canonical()
}

// What models put around the words of a label such as "Action:". The words may be in any case.
const (
	lead   = "^[\\s>*_#+~`•-]*(?:\\d+[.)]\\s*)?[*_`]*" // headings, bullets, numbers, emphasis
	number = "(?:\\s*#?\\d+)?"
	colon  = "[\\s*_`]*[:：][*_]*\\s*" // ASCII's or the full-width one; emphasis ends before or after it
)

var (
	// actionLabel opens a line that gives an action: "Action:", "**Action 2:**",
	// "- action - ".
	actionLabel = regexp.MustCompile("(?i)" + lead + "actions?" + number + "(?:" + colon + "|\\s+[-–—]\\s+)")
	// actionWithin is a label in the middle of a line, or a label of several words.
	actionWithin = regexp.MustCompile("(?i)[*_`]*\\b(?:(?:the|my|next|final)\\s+)*actions?" + number +
		"(?:\\s+(?:to\\s+take|is|will\\s+be|should\\s+be))*" + colon)
	// actionBare opens a line that lacks the colon, unless what follows is sentence.
	actionBare = regexp.MustCompile("(?i)" + lead + "action" + number + "[*_`]*(?:\\s+|$)")
	// sentence is what follows "Action" where that is not a label: "is needed",
	// "plan: …", "(step 1)".
	sentence = regexp.MustCompile(
		"(?i)^(?:(?:is|are|was|were|will|would|should|must|can|could|may|might|has|have|had|" +
			"needs?|needed|required|taken|to|of|that|which|and|or)\\b|\\pL+(?:\\s+\\pL+)?\\s*[:：]|[^\\pL\\pM\\pN\"'`*“‘])")

	thoughtLabel = regexp.MustCompile("(?i)" + lead + "thoughts?" + number + "(?:" + colon + "|[\\s*_`]*$)")
	// otherLabel opens a line that is not part of an action.
	otherLabel = regexp.MustCompile("(?i)" + lead + "(?:thought|observation)s?" + number + colon)
	// inventedLabel opens a line that only the environment may write.
	inventedLabel = regexp.MustCompile("(?i)" + lead + "observations?" + number + colon)
	// nextLabel starts what a model adds after an action on the same line.
	nextLabel = regexp.MustCompile("(?i)[\\s*_`]+(?:thought|observation|action)s?" + number + "[*_`]*\\s*[:：]")

	// fence is a line of a code fence, with the language that it may name.
	fence = regexp.MustCompile("^(?:`{3,}|~{3,})[\\w+#.-]*$")
	// item is a mark before a list's item.
	item = regexp.MustCompile(`^(?:[-+•>*]|\d+[.)])\s+`)
)

// parseReact reads a reply of the react form. Models do not always keep to this
// form, so the parser is lenient if a reply is not ambiguous:
//
//   - The lines of code fences are not part of the reply.
//   - The action follows a label at the start of a line: "Action:" in any case,
//     with or without Markdown, with or without a number, with a dash or nothing
//     in place of the colon. A sentence that starts with the word, such as
//     "Action is needed.", has no label.
//   - Without such a line, the label may be in the middle of a line, as in "I go
//     on. Action: …" or "The next action is: …".
//   - The first action counts. What comes after it is dropped, on its line and
//     below: further actions and thoughts, observations that the model made up.
//   - The action is the rest of the label's line or, if the rest is empty, the
//     next non-empty line. What unwrapped says is removed from around it, and pairs from
//     around the whole reply.
//   - The thought is the text before the action: from the first "Thought:" on, or
//     all of that text if there is no such label. It ends before an observation that
//     the model invents.
//   - A label within quotes or brackets, or before punctuation, is only mentioned, and so is
//     one in small letters within a sentence: "there is only one action: …".
//
// ok is false when there is no action. Parsing the output of canonical gives the same thought and action again.
func parseReact(reply string) (p parsed, ok bool) {
	lines := replyLines(reply)
	var loose parsed // found within a line; a later line that starts with the label takes precedence
	for i, line := range lines {
		if loc := labelIn(line); loc != nil {
			if action := actionFrom(line[:loc[1]], line[loc[1]:], lines[i+1:]); action != "" {
				return parsed{thought: thoughtFrom(lines[:i]), action: action}, true
			}
			continue
		}
		if loose.action != "" {
			if otherLabel.MatchString(line) {
				break // what follows is another turn
			}
			continue
		}
		if start, end, found := looseLabel(line); found {
			if action := actionFrom(line[start:end], line[end:], lines[i+1:]); action != "" {
				loose = parsed{thought: thoughtFrom(append(lines[:i:i], line[:start])), action: action}
			}
		}
	}
	return loose, loose.action != ""
}

// invents reports whether a reply holds an observation before its action.
func invents(reply string) bool {
	for _, line := range replyLines(reply) {
		if labelIn(line) != nil {
			return false
		}
		if inventedLabel.MatchString(line) {
			return true
		}
	}
	return false
}

// replyLines splits a reply and leaves out fences.
func replyLines(reply string) (lines []string) {
	text := plainLines(reply)
	if inner, ok := withoutPair(text); ok && !strings.HasPrefix(text, "```") {
		text = plainLines(inner)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if !isFence(line) || actionBare.MatchString(line) { // a fence may be the label: ```action
			lines = append(lines, line)
		}
	}
	return lines
}

func isFence(line string) bool {
	return fence.MatchString(strings.TrimSpace(line))
}

// mentionsAction reports whether a line has the word that all labels of actions have. It takes less time than the
// patterns, and most lines do not.
func mentionsAction(line string) bool { return strings.Contains(strings.ToLower(line), "action") }

func labelIn(line string) []int {
	if !mentionsAction(line) {
		return nil
	}
	return actionLabel.FindStringIndex(line)
}

// looseLabel finds a label that differs from the requested form.
func looseLabel(line string) (start, end int, found bool) {
	if !mentionsAction(line) {
		return 0, 0, false
	}
	for _, span := range actionWithin.FindAllStringIndex(line, -1) {
		head, label := line[:span[0]], line[span[0]:span[1]]
		if !quoted(head, line[span[1]:]) && !counted(head, label) {
			return span[0], span[1], true
		}
	}
	if loc := actionBare.FindStringIndex(line); loc != nil && !sentence.MatchString(line[loc[1]:]) {
		return loc[0], loc[1], true
	}
	return 0, 0, false
}

// counted reports whether a label in small letters is a noun of the words before it, as in
// "there is only one action: …".
func counted(head, label string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(head, " "))
	return strings.HasPrefix(label, "action") && (unicode.IsLetter(last) || unicode.IsDigit(last))
}

// quoted reports whether a label is only mentioned: quotes or a bracket around it are open, or punctuation follows.
func quoted(head, tail string) bool {
	open := strings.Count(head, `"`)%2 == 1 || strings.Count(head, "“") > strings.Count(head, "”") ||
		strings.Count(head, "`")%2 == 1 || strings.Count(head, "(") > strings.Count(head, ")")
	return open || tail != "" && strings.ContainsAny(tail[:1], `).,;!?]}`)
}

// actionFrom returns the action after a label: from the rest of the label's line
// or, if the rest is empty, from the lines after it. It is empty if another label
// comes first.
func actionFrom(label, rest string, lines []string) string {
	action := unwrapped(afterLabel(label, rest))
	for action == "" && len(lines) > 0 && labelIn(lines[0]) == nil {
		action, lines = unwrapped(afterLabel(label, lines[0])), lines[1:]
	}
	for !otherLabel.MatchString(action) {
		loc := nextLabel.FindStringIndex(action)
		if loc == nil {
			return action
		}
		action = unwrapped(afterLabel(label, action[:loc[0]]))
	}
	return ""
}

// thoughtFrom returns the thought that the lines before an action give.
func thoughtFrom(lines []string) string {
	for i, line := range lines {
		if loc := thoughtLabel.FindStringIndex(line); loc != nil {
			lines = append([]string{line[loc[1]:]}, lines[i+1:]...)
			break
		}
	}
	if i := slices.IndexFunc(lines, inventedLabel.MatchString); i >= 0 {
		lines = lines[:i]
	}
	lines = slices.DeleteFunc(slices.Clone(lines), isFence) // a fence may have shared its line with a label
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// plainLines writes line ends as "\n" and trims blanks at the ends of a text.
func plainLines(s string) string {
	if strings.Contains(s, "\r") {
		s = lineEnds.Replace(s)
	}
	return strings.TrimSpace(s)
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")
