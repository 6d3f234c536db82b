package agent

import (
	"encoding/json"
	"regexp"
	"slices"
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
		return afterLabel(s[:loc[1]], s[loc[1]:])
	}
	return s
}

// withoutStop is a text without a full stop at its end.
func withoutStop(s string) string { return strings.TrimSuffix(strings.TrimSuffix(s, "."), "。") }

// withoutPair removes a pair around a text.
func withoutPair(s string) (inner string, ok bool) {
	for _, b := range brackets {
		if inner, ok := bracketed(s, b[0], b[1]); ok {
			return inner, true
		}
	}
	if n := paired(s); n > 0 {
		return bracketed(s, s[:n], s[len(s)-n:])
	}
	if loc := command.FindStringIndex(s); loc != nil && strings.HasSuffix(s, "}") {
		inner := s[loc[1] : len(s)-1]
		open := 0
		for _, r := range inner {
			if r == '{' {
				open++
			} else if r == '}' {
				open--
			}
			if open < 0 {
				return s, false // it ends before the end
			}
		}
		return escaped.Replace(inner), open == 0
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

// bracketed is what stands between the marks at both ends of a text; false if these do not belong
// together, as in "open" and "close".
func bracketed(s, open, end string) (inner string, ok bool) {
	if len(s) < len(open)+len(end) || !strings.HasPrefix(s, open) || !strings.HasSuffix(s, end) {
		return s, false
	}
	inner = s[len(open) : len(s)-len(end)]
	opener, ender := open[:1], end[:1] // of a run of equal marks
	if open[0] >= utf8.RuneSelf || open[0] == '\\' {
		opener, ender = open, end
	}
	depth, ended := 0, false
	for place := 0; place < len(inner); {
		mark := ""
		switch rest := inner[place:]; {
		case strings.HasPrefix(rest, ender):
			mark = ender
		case strings.HasPrefix(rest, opener):
			mark = opener
		default:
			place++
			continue
		}
		next := place + len(mark)
		for strings.HasPrefix(inner[next:], mark) {
			next += len(mark)
		}
		switch opens, ends := flanked(inner[:place], inner[next:]); {
		case opens && mark == opener && ended:
			return s, false
		case opens && mark == opener:
			depth++
		case ends && mark == ender && depth > 0:
			depth--
		case ends && mark == ender:
			ended = true
		}
		place = next
	}
	return inner, true
}

// flanked says whether a mark between two texts opens or ends something, as in Markdown: an apostrophe
// within a word does neither.
func flanked(head, tail string) (opens, ends bool) {
	prev, _ := utf8.DecodeLastRuneInString(head)
	next, _ := utf8.DecodeRuneInString(tail)
	outside := func(r rune, text string) bool { return text == "" || unicode.IsSpace(r) }
	word := func(r rune, text string) bool { return text != "" && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	opens = !word(prev, head) && !outside(next, tail)
	ends = !outside(prev, head) && !word(next, tail)
	return opens && !ends, ends && !opens
}

// jsonText is the action of an object that has nothing else.
func jsonText(s string) (text string, ok bool) {
	if !strings.HasPrefix(s, "{") || !strings.HasSuffix(s, "}") {
		return "", false
	}
	var object struct{ Action string }
	d := json.NewDecoder(strings.NewReader(s))
	d.DisallowUnknownFields()
	ok = d.Decode(&object) == nil
	return object.Action, ok && object.Action != "" && !strings.ContainsAny(object.Action, "\r\n")
}

// afterLabel is what follows a label. A mark before the label that is not ended there, as in
// "**Action: look**", goes from the end, too; one behind it that did not begin there belongs to the action.
func afterLabel(label, rest string) string {
	for loc := item.FindStringIndex(label); loc != nil; loc = item.FindStringIndex(label) {
		label = label[loc[1]:]
	}
	const emphasis = "*_`"
	label = strings.Trim(label, "# \t")
	head := label[:len(label)-len(strings.TrimLeft(label, emphasis))]
	tail := label[len(strings.TrimRight(label, emphasis)):]
	end := []byte(head) // what begins first ends last
	slices.Reverse(end)
	trimmed := strings.TrimSpace(rest)
	if !strings.HasSuffix(trimmed, string(end)) {
		trimmed = strings.TrimSpace(withoutStop(trimmed))
	}
	switch cut, ended := strings.CutSuffix(trimmed, string(end)); {
	case head == "":
		return tail + rest
	case ended && !strings.Contains(label[len(head):], head):
		return cut
	}
	return rest
}
