package agent

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// marks are those that models put in pairs around an action, one or several of a kind: quotes,
// code, emphasis and formulas. Brackets open and end with different ones.
const marks = "\"'`*_$"

var brackets = [...][2]string{{"“", "”"}, {"„", "“"}, {"‘", "’"}, {"«", "»"}, {"「", "」"}, {`\(`, `\)`}, {`\[`, `\]`}}

var (
	// command is one of TeX that has a text: models that were trained on mathematics box their
	// actions.
	command = regexp.MustCompile(`^\\(?:boxed|fbox|mbox|emph|text[a-z]*|math[a-z]*)\s*\{`)
	// escaped are characters that TeX wants escaped.
	escaped = strings.NewReplacer(`\_`, "_", `\ `, " ", `\&`, "&", `\%`, "%", `\#`, "#", `\$`, "$", `\{`, "{", `\}`, "}")
)

// deepest is how many decorations an action has at most; a text with more is left as it is.
const deepest = 16

// unwrapped removes what models put around an action: quotes, code and emphasis in pairs, with a
// full stop behind them, commands of TeX, and labels and list marks before it. Half of a pair stays,
// and so does all within: an action that is written bare is what it is. Nothing is left of a fence.
func unwrapped(s string) string {
	s = strings.TrimSpace(s)
	bare := s
	for range deepest {
		if isFence(bare) {
			return ""
		}
		inner := strings.TrimSpace(withoutLayer(bare))
		if inner == bare {
			return bare
		}
		bare = inner
	}
	return s
}

// withoutLayer removes the outermost decoration of a text.
func withoutLayer(s string) string {
	unstopped := strings.TrimSpace(withoutStop(s))
	starred := strings.HasPrefix(s, "* ") && strings.HasSuffix(unstopped, " *")
	if loc := item.FindStringIndex(s); loc != nil && !starred {
		return s[loc[1]:]
	}
	if inner, ok := withoutPair(s); ok {
		return inner
	}
	if inner, ok := withoutPair(unstopped); ok {
		return inner
	}
	if loc := labelIn(s); loc != nil {
		return closed(s[loc[1]:], s[:loc[1]])
	}
	return s
}

// withoutStop is a text without a full stop at its end.
func withoutStop(s string) string {
	for _, stop := range []string{".", "。"} {
		if cut, ok := strings.CutSuffix(s, stop); ok {
			return cut
		}
	}
	return s
}

// withoutPair removes a pair around a text.
func withoutPair(s string) (inner string, ok bool) {
	for _, b := range brackets {
		if inner, ok := between(s, b[0], b[1]); ok {
			return inner, true
		}
	}
	if n := paired(s); n > 0 {
		return between(s, s[:n], s[len(s)-n:])
	}
	if loc := command.FindStringIndex(s); loc != nil && strings.HasSuffix(s, "}") {
		inner := s[loc[1] : len(s)-1]
		return escaped.Replace(inner), balanced(inner)
	}
	return jsonText(s)
}

// paired is how many equal marks a text begins and ends with.
func paired(s string) int {
	if s == "" || !strings.Contains(marks, s[:1]) {
		return 0
	}
	mark := s[:1]
	head, tail := len(s)-len(strings.TrimLeft(s, mark)), len(s)-len(strings.TrimRight(s, mark))
	if head == len(s) {
		return head / 2
	}
	return min(head, tail)
}

// between is what stands between the marks at both ends of a text; false if these do not belong
// together, as in "open" and "close".
func between(s, open, end string) (inner string, ok bool) {
	if len(s) < len(open)+len(end) || !strings.HasPrefix(s, open) || !strings.HasSuffix(s, end) {
		return s, false
	}
	inner = s[len(open) : len(s)-len(end)]
	opener, ender := open[:1], end[:1] // of a run of equal marks
	if open[0] >= utf8.RuneSelf || open[0] == '\\' {
		opener, ender = open, end
	}
	depth, ended := 0, false
	for at := 0; at < len(inner); {
		mark := ""
		switch rest := inner[at:]; {
		case strings.HasPrefix(rest, ender):
			mark = ender
		case strings.HasPrefix(rest, opener):
			mark = opener
		default:
			at++
			continue
		}
		next := at + len(mark)
		for strings.HasPrefix(inner[next:], mark) {
			next += len(mark)
		}
		switch opens, ends := flanked(inner[:at], inner[next:]); {
		case opens && mark == opener && ended:
			return s, false
		case opens && mark == opener:
			depth++
		case ends && mark == ender && depth > 0:
			depth--
		case ends && mark == ender:
			ended = true
		}
		at = next
	}
	return inner, true
}

// flanked says whether a mark between two texts opens or ends something, as in Markdown: an apostrophe
// within a word does neither.
func flanked(before, after string) (opens, ends bool) {
	prev, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	outside := func(r rune, text string) bool { return text == "" || unicode.IsSpace(r) }
	word := func(r rune, text string) bool { return text != "" && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	opens = !word(prev, before) && !outside(next, after)
	ends = !outside(prev, before) && !word(next, after)
	return opens && !ends, ends && !opens
}

// balanced reports whether the braces of a text do not close before they open.
func balanced(s string) bool {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

// jsonText is the only text of a list, or of an object with nothing but an action.
func jsonText(s string) (text string, ok bool) {
	if s == "" || !strings.Contains("[{", s[:1]) {
		return s, false
	}
	var list []string
	var object map[string]string
	switch {
	case json.Unmarshal([]byte(s), &list) == nil && len(list) == 1:
		text = list[0]
	case json.Unmarshal([]byte(s), &object) == nil && len(object) == 1:
		for name, value := range object {
			if strings.EqualFold(name, "action") {
				text = value
			}
		}
	}
	if text == "" || strings.ContainsAny(text, "\r\n") {
		return s, false
	}
	return text, true
}

// closed removes from the end of an action the marks that stand before its label and are not
// ended there: those of "**Action: look**".
func closed(action, label string) string {
	rest := action
	for _, mark := range openIn(label) { // what was opened first is ended last
		rest = strings.TrimSpace(rest)
		cut, ended := strings.CutSuffix(rest, mark)
		if !ended {
			cut, ended = strings.CutSuffix(strings.TrimSpace(withoutStop(rest)), mark)
		}
		if !ended {
			return action
		}
		rest = cut
	}
	return rest
}

// openIn are the marks of emphasis and code that a text opens and does not end. A star before a blank
// is that of a list.
func openIn(text string) (open []string) {
	for at := 0; at < len(text); {
		next := at + 1
		if !strings.Contains("`*_", text[at:next]) {
			at = next
			continue
		}
		for next < len(text) && text[next] == text[at] {
			next++
		}
		run, last := text[at:next], len(open)-1
		switch {
		case run == "*" && strings.HasPrefix(text[next:], " "):
		case last < 0 || open[last][0] != run[0]:
			open = append(open, run)
		case len(open[last]) > len(run):
			open[last] = open[last][len(run):]
		default:
			open = open[:last]
		}
		at = next
	}
	return open
}
