package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"heldout/configs"
	"heldout/envs/pytext"
	"heldout/eval/model"
)

// parser reads a reply of a turn, counted from 1. ok is false if the reply is not
// in the parser's form. The action may be empty even so.
type parser func(reply string, turn int) (p parsed, ok bool)

// parsers are the named parsers of protocols. Unlike parseReact, which they
// include, they are strict: each reads what its protocol reads, slips included.
var parsers = map[string]parser{
	"react-line":         parseLine,
	"after-first-action": parseAfterFirst,
	// ETO's form for ScienceWorld demands the blank.
	"after-first-action-blank": afterFirst("Action: "),
	"after-last-action":        parseAfterLast,
	"one-action-line":          parseOneLine,
	"between-action-labels":    parseBetween,
	"upper-action-line":        parseUpperLine,
	"action-tags":              func(reply string, _ int) (parsed, bool) { return parseTags(pytext.Lower(reply)) },
	"action-tags-cased":        func(reply string, _ int) (parsed, bool) { return parseTags(reply) },
	wholeReply:                 parseWhole,
	numberedParser:             parseNumbered,
	"agentboard":               parseBoard,
	configs.ToolCall:           parseCall,
	"agentrefine":              func(reply string, _ int) (parsed, bool) { return parseReact(reply) },
}

// parseLine reads ReAct's reply: its first line is the action, also if it is a thought.
func parseLine(reply string, _ int) (parsed, bool) {
	line, _, _ := strings.Cut(reply, "\n")
	line = pytext.Strip(line)
	return parsed{action: line}, line != ""
}

// parseAfterFirst reads ETO's reply for ALFWorld: everything after the first label and
// one character of white space, which may be missing.
func parseAfterFirst(reply string, turn int) (parsed, bool) {
	p, ok := afterFirst("Action:")(reply, turn)
	if first, size := utf8.DecodeRuneInString(p.action); size > 0 && pytext.IsSpace(first) {
		p.action = p.action[size:]
	}
	return p, ok
}

// afterFirst reads everything after the first label, line ends included.
func afterFirst(label string) parser {
	return func(reply string, _ int) (parsed, bool) {
		thought, action, ok := strings.Cut(pytext.Strip(reply), label)
		if !ok {
			return parsed{}, false
		}
		return parsed{thought: thoughtIn(thought), action: action}, true
	}
}

// thoughtIn is the thought in the text before an action.
func thoughtIn(text string) string {
	text = pytext.Strip(text)
	return pytext.Strip(strings.TrimPrefix(text, "Thought:"))
}

// parseAfterLast reads AgentGym's reply: everything after the last label. Without a label,
// actions of WebShop count.
func parseAfterLast(reply string, _ int) (parsed, bool) {
	const label = "Action:"
	reply = withoutEnd(reply)
	if i := strings.LastIndex(reply, label); i >= 0 {
		return parsed{thought: thoughtIn(reply[:i]), action: pytext.Strip(reply[i+len(label):])}, true
	}
	if strings.Contains(reply, "search[") || strings.Contains(reply, "click[") {
		return parsed{action: pytext.Strip(reply)}, true
	}
	return parsed{}, false
}

// withoutEnd drops AgentGym's token for the end of a text, and one character more.
func withoutEnd(reply string) string {
	trimmed, ended := strings.CutSuffix(reply, "</s>")
	if !ended {
		return reply
	}
	_, size := utf8.DecodeLastRuneInString(trimmed)
	return trimmed[:len(trimmed)-size]
}

// parseBetween reads AgentGym's reply for LMRL-Gym: what stands between the first label and
// the next one. Without a label, all of it is the action.
func parseBetween(reply string, _ int) (parsed, bool) {
	thought, action, ok := strings.Cut(withoutEnd(reply), oneLabel)
	if !ok {
		return parsed{action: pytext.Strip(thought)}, true
	}
	action, _, _ = strings.Cut(action, oneLabel)
	return parsed{thought: thoughtIn(thought), action: pytext.Strip(action)}, true
}

// parseOneLine reads AgentGym's reply for BabyAI and TextCraft: the line of the only label or, if that
// has nothing more, the next line with something. Only letters, digits, commas and blanks
// of it count. A label on the line of another one is part of its action.
func parseOneLine(reply string, _ int) (p parsed, ok bool) {
	thought, rest, ok := strings.Cut(reply, oneLabel)
	if !ok {
		return parsed{}, false
	}
	line, rest, _ := strings.Cut(strings.TrimLeftFunc(rest, pytext.IsSpace), "\n")
	if strings.Contains(rest, oneLabel) {
		return parsed{occasion: "several"}, false
	}
	action := strings.Join(strings.Fields(strings.Map(plainRune, line)), " ")
	return parsed{thought: thoughtIn(thought), action: action}, true
}

// oneLabel stands before the action in a reply that may have it once.
const oneLabel = "Action:"

// plainRune drops everything but ASCII letters, digits, commas and blanks.
func plainRune(r rune) rune {
	if r == ',' || r == ' ' || r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
		return r
	}
	return -1
}

// parseUpperLine reads AgentBench's reply: the rest of the line of the first label, in
// lower case. It may not be empty.
func parseUpperLine(reply string, _ int) (parsed, bool) {
	head, rest, ok := strings.Cut(reply, "ACTION:")
	if !ok {
		return parsed{}, false
	}
	line, _, _ := strings.Cut(rest, "\n")
	thought := pytext.Strip(strings.TrimPrefix(pytext.Strip(head), "THOUGHT:"))
	action := pytext.Lower(pytext.Strip(line))
	return parsed{thought: thought, action: action}, action != ""
}

// parseTags reads what stands between the first opening and the first closing tag; nothing if they are in the other
// order. Without one of the tags, the action is the whole text, of which a protocol may send a part.
func parseTags(text string) (parsed, bool) {
	const opening, closing = "<action>", "</action>"
	start, end := strings.Index(text, opening), strings.Index(text, closing)
	if start < 0 || end < 0 {
		return parsed{action: text}, false
	}
	p := parsed{thought: pytext.Strip(enclosed(text[:start], "<think>", "</think>"))}
	if start += len(opening); start <= end {
		p.action = pytext.Strip(text[start:end])
	}
	return p, true
}

// enclosed is the part of a text between two marks; a mark that is missing stands
// at the end of the text on its side.
func enclosed(text, opening, closing string) string {
	if _, rest, ok := strings.Cut(text, opening); ok {
		text = rest
	}
	inner, _, _ := strings.Cut(text, closing)
	return inner
}

// wholeReply reads replies that are nothing but the action.
const wholeReply = "whole-reply"

// parseWhole reads TALES' reply: one line, which is the action.
func parseWhole(reply string, _ int) (parsed, bool) {
	reply = pytext.Strip(reply)
	if strings.Contains(reply, "\n") {
		return parsed{}, false
	}
	return parsed{action: reply}, reply != ""
}

// parseNumbered reads ReAct's reply for HotpotQA: a thought and, on a line with the number of the turn, an action.
// Of the action, the first letter becomes lower case. Without the label, or with more than one, the first line is
// the thought, and the action is asked for again.
func parseNumbered(reply string, turn int) (parsed, bool) {
	parts := strings.Split(pytext.Strip(reply), fmt.Sprintf("\nAction %d: ", turn))
	if len(parts) != 2 {
		line, _, _ := strings.Cut(pytext.Strip(reply), "\n")
		return parsed{thought: line}, false
	}
	return parsed{thought: parts[0], action: lowerFirst(parts[1])}, true
}

func lowerFirst(s string) string {
	for i := range s {
		if i > 0 {
			return pytext.Lower(s[:i]) + s[i:]
		}
	}
	return pytext.Lower(s)
}

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

// ReadAs returns what a preset makes of an action that a model says in its form, before the
// repair that needs the list of possible actions. It is another text if the form cannot hold
// the action, such as capitals where replies are read in lower case.
func ReadAs(play configs.Play, action string) (string, error) {
	parse := parsers[play.Reply.Parser]
	if parse == nil {
		return "", fmt.Errorf("unknown parser %q", play.Reply.Parser)
	}
	reply := "Thought: I see.\nAction: " + action
	switch play.Reply.Parser {
	case "react-line", wholeReply, "agentboard":
		reply = action
	case "upper-action-line":
		reply = "THOUGHT: I see.\nACTION: " + action
	case "action-tags", "action-tags-cased":
		reply = "<think>I see.</think>\n<action>" + action + "</action>"
	case numberedParser:
		reply = "I see.\nAction 1: " + action
	case configs.ToolCall:
		arguments, _ := json.Marshal(map[string]string{play.Agent.Tool.Argument: action}) // texts are always JSON
		reply = callReply{Call: model.ToolCall{Name: play.Agent.Tool.Name, Arguments: string(arguments)}}.text()
	}
	p, ok := parse(reply, 1)
	if !ok {
		return "", nil
	}
	for _, name := range play.Reply.Normalise {
		n, err := newNormaliser(name)
		if err != nil {
			return "", err
		}
		if !n.lists {
			if p.action, err = n.apply(p.action, nil); err != nil {
				return "", err
			}
		}
	}
	return p.action, nil
}
