package model

import (
	"slices"
	"strings"

	"heldout/scoring/table"
)

// tagStarts are the characters with which such a tag begins.
const tagStarts = "<[◁"

// responseTags are what Cohere's models put around the rest, and GLM's around the answer.
var responseTags = strings.NewReplacer("<|START_RESPONSE|>", "", "<|END_RESPONSE|>", "",
	"<|begin_of_box|>", "", "<|end_of_box|>", "")

// speech is a text taken apart into what is meant for the reader and the reasoning that the server left in it.
type speech struct {
	visible string
	hidden  []thought
}

// thought is a part of a text that is reasoning. It is stray if only the tag behind it says so.
type thought struct {
	text  string
	stray bool
}

// reasoning is the text of what is hidden.
func (s *speech) reasoning() string {
	return strings.TrimSpace(strings.Join(table.Each(s.hidden, func(t thought) string { return t.text }), "\n"))
}

// splitReasoning takes a text apart. One without any reasoning is returned as it is, but for responseTags.
//
// Tags may be incomplete: chat templates put the opening one into the prompt, and a reply that was
// cut off lacks the closing one. So what precedes a closing tag without an opening one is reasoning,
// and so is what follows an opening tag without a closing one. If nothing is left for the reader, the
// closing tag may be a slip: then recover takes the reply back.
func splitReasoning(s string) speech {
	s = responseTags.Replace(s)
	if visible, reasoning, found := splitHarmony(s); found {
		return speech{visible, []thought{{text: reasoning}}}
	}
	if phrases := wording("spoken-reasoning").FindStringSubmatch(s); phrases != nil {
		return speech{strings.TrimSpace(phrases[2]), []thought{{text: phrases[1]}}}
	}
	if !strings.ContainsAny(s, tagStarts) {
		return speech{visible: s}
	}
	tags := wording("reasoning-tag").FindAllStringIndex(s, -1)
	if tags == nil {
		return speech{visible: s}
	}
	var out speech
	var plain strings.Builder
	inside, start := false, 0
	for _, span := range tags {
		part, tag := s[start:span[0]], s[span[0]:span[1]]
		closes := wording("closing-tag").MatchString(tag)
		if strings.HasSuffix(tag, "/>") || !closes && inside { // no reasoning, or a tag within it
			continue
		}
		switch {
		case !closes:
			plain.WriteString(part)
		case inside:
			out.hidden = append(out.hidden, thought{text: part})
			plain.WriteString("\n")
		default:
			out.hidden = append(out.hidden, thought{plain.String() + part, true})
			plain.Reset()
		}
		inside, start = !closes, span[1]
	}
	if inside {
		out.hidden = append(out.hidden, thought{text: s[start:]})
	} else {
		plain.WriteString(s[start:])
	}
	out.visible = readable(plain.String())
	return out
}

// HasReasoning reports whether a text has a tag of reasoning.
func HasReasoning(text string) bool {
	return strings.Contains(text, harmonyChannel) || wording("reasoning-tag").MatchString(text)
}

// readable is a text without the tags around an answer.
func readable(text string) string {
	return strings.TrimSpace(wording("answer-tags").ReplaceAllString(text, ""))
}

// recover makes the reply of a text before a stray closing tag, if nothing else is: the last one that
// reads as a reply or, if other reasoning came first, the last one. reads may be nil. reasoned: there is reasoning
// beside the text.
func (s *speech) recover(reads func(string) bool, reasoned bool) {
	last, reply := -1, -1
	for i, t := range s.hidden {
		switch text := readable(t.text); {
		case text == "":
		case t.stray && reads != nil && reads(text):
			reply, reasoned = i, true
		case t.stray && reasoned:
			last = i
		default:
			reasoned = true
		}
	}
	if reply < 0 {
		reply = last
	}
	if reply >= 0 {
		s.visible = readable(s.hidden[reply].text)
		s.hidden = slices.Delete(s.hidden, reply, reply+1)
	}
}

// The tokens of the Harmony format, in which gpt-oss models speak.
const (
	harmonyChannel = "<|channel|>"
	harmonyMessage = "<|message|>"
	harmonyTurn    = "<|start|>assistant"
	// harmonyFinal is what remains of the tokens between reasoning and reply where
	// a server decodes them to nothing.
	harmonyFinal = "assistantfinal"
)

// splitHarmony is splitReasoning for the Harmony format: the channel "final" is meant for the reader,
// and a comment that calls no tool, if there is nothing else.
func splitHarmony(s string) (visible, reasoning string, found bool) {
	if rest, ok := strings.CutPrefix(s, "analysis"); ok {
		if reasoning, visible, ok := strings.Cut(rest, harmonyFinal); ok {
			return strings.TrimSpace(visible), strings.TrimSpace(reasoning), true
		}
	}
	head, rest, found := strings.Cut(s, harmonyChannel)
	if !found {
		return "", "", false
	}
	plain, comment := strings.TrimSuffix(head, harmonyTurn), ""
	var hidden strings.Builder
	for message := range strings.SplitSeq(rest, harmonyChannel) {
		channel, body, marked := strings.Cut(message, harmonyMessage)
		if marked = marked && !wording("harmony-end").MatchString(channel); !marked {
			channel = wording("harmony-name").FindString(message)
			body = message[len(channel):]
		}
		rest := ""
		if loc := wording("harmony-end").FindStringIndex(body); loc != nil {
			body, rest = body[:loc[0]], body[loc[0]:]
		}
		switch channel = strings.TrimSpace(channel); {
		case strings.HasPrefix(channel, "final"), !marked && channel == "" && !cutChannel(body):
			plain += body
		case !marked && channel == "":
		case channel == "commentary":
			comment += body
		default:
			hidden.WriteString(body + "\n")
		}
		plain += unchanneled(rest)
	}
	if strings.TrimSpace(plain) == "" {
		plain, comment = comment, ""
	}
	return strings.TrimSpace(plain), strings.TrimSpace(hidden.String() + comment), true
}

// cutChannel reports whether a text is the beginning of a channel's name, which was cut off.
func cutChannel(text string) bool {
	return slices.ContainsFunc([]string{"final", "analysis", "commentary"}, func(name string) bool {
		return strings.HasPrefix(name, strings.TrimSpace(text))
	})
}

// unchanneled is the message behind the end of another one, if it has no channel.
func unchanneled(s string) string {
	if loc := wording("harmony-end").FindStringIndex(s); loc != nil && !strings.HasPrefix(s, "<|start|>") {
		s = s[loc[1]:]
	}
	s = s[len(wording("harmony-head").FindString(s)):]
	if loc := wording("harmony-end").FindStringIndex(s); loc != nil {
		s = s[:loc[0]]
	}
	return s
}

// cutAtStop ends a text before the first of the stop strings, and reports whether there was one.
func cutAtStop(text string, stops []string) (string, bool) {
	cut := len(text)
	for _, stop := range stops {
		if i := strings.Index(text[:cut], stop); i >= 0 {
			cut = i
		}
	}
	return text[:cut], cut < len(text)
}

// cutAtEnd ends a text before the tokens that end a turn, and reports whether there are
// any: before the last ones, and before one that another token follows.
func cutAtEnd(s string) (string, bool) {
	if !strings.ContainsAny(s, ">][") {
		return s, false
	}
	cut := len(s)
	if place := wording("last-tokens").FindStringIndex(s); place != nil {
		cut = place[0]
	}
	if place := wording("next-turn").FindStringSubmatchIndex(s[:cut]); place != nil {
		cut = place[2]
	}
	return s[:cut], cut < len(s)
}
