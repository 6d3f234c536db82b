package model

import (
	"strings"
)

// reasoningName is the name of a tag around reasoning, with what models put before and
// behind the word.
const reasoningName = `(?:[\w.]+[:_.-])?(?:think(?:ing)?|thoughts?|reason(?:ing)?|reflections?|analysis|scratchpad)` +
	`(?:[:_.-][\w.:-]*)?`

var (
	// reasoningTag matches the tags that models put around their reasoning, by their names:
	// <think lang="en">, [THINK], <|begin_of_thought|>, ◁think▷ and Gemma's channel.
	reasoningTag = lazyPattern(`(?i)</?` + reasoningName + `(?:[ \t][^<>\n]{0,200})?>|` +
		`\[/?(?:THINK|THINKING|REASONING)\]|<[|｜]/?` + reasoningName + `[|｜]>|◁/?think▷|` +
		`<\|channel>(?:thought|analysis)\b|<channel\|>`)
	// closingTag matches those of them that close.
	closingTag = lazyPattern(`(?i)^[<\[◁][|｜]?/|^<[|｜]?end_|_end[|｜]?>$|^<channel\|>`)
	// spokenReasoning matches what Granite's models write in place of tags.
	spokenReasoning = lazyPattern(
		`(?is)^\s*here(?:'s|’s| is) my thought process:(.*?)\n\s*here(?:'s|’s| is) my response:(.*)$`)
	// answerTags are what models put around the rest.
	answerTags = lazyPattern(`(?i)^\s*<(?:answer|response|final_answer|output|[|]begin_of_solution[|])>|` +
		`<(?:/(?:answer|response|final_answer|output)|[|]end_of_solution[|])>\s*$`)
)

// tagStarts are the characters with which such a tag begins.
const tagStarts = "<[◁"

// responseTags are what Cohere's models put around the rest.
var responseTags = strings.NewReplacer("<|START_RESPONSE|>", "", "<|END_RESPONSE|>", "")

// splitReasoning takes a text apart into what is meant for the reader and the
// reasoning that the server left in it. A text without any is returned as it is.
//
// Tags may be incomplete: chat templates put the opening one into the prompt,
// and a reply that was cut off lacks the closing one. What precedes a closing
// tag without an opening one is reasoning, unless other reasoning came first and nothing
// follows, and so is what follows an opening tag without a closing one.
func splitReasoning(s string) (visible, reasoning string) {
	if visible, reasoning, found := splitHarmony(s); found {
		return visible, reasoning
	}
	if said := spokenReasoning().FindStringSubmatch(s); said != nil {
		return strings.TrimSpace(said[2]), strings.TrimSpace(said[1])
	}
	if !strings.ContainsAny(s, tagStarts) {
		return s, ""
	}
	tags := reasoningTag().FindAllStringIndex(s, -1)
	if tags == nil {
		return s, ""
	}
	var plain, hidden strings.Builder
	inside, start := false, 0
	for _, tag := range tags {
		part, closes := s[start:tag[0]], closingTag().MatchString(s[tag[0]:tag[1]])
		switch {
		case !closes && inside:
			continue // an opening tag within reasoning
		case !closes:
			plain.WriteString(part)
		case inside:
			hidden.WriteString(part + "\n")
			plain.WriteString("\n")
		case hidden.Len() > 0 && strings.TrimSpace(reasoningTag().ReplaceAllString(s[tag[1]:], "")) == "":
			plain.WriteString(part)
		default:
			hidden.WriteString(plain.String() + part + "\n")
			plain.Reset()
		}
		inside, start = !closes, tag[1]
	}
	if inside {
		hidden.WriteString(s[start:])
	} else {
		plain.WriteString(s[start:])
	}
	visible = answerTags().ReplaceAllString(responseTags.Replace(plain.String()), "")
	return strings.TrimSpace(visible), strings.TrimSpace(hidden.String())
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

// harmonyEnd matches what ends a message.
var harmonyEnd = lazyPattern(`<\|(?:end|return|call|start)\|>`)

// splitHarmony is splitReasoning for the Harmony format: only the channel
// "final" is meant for the reader.
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
	plain := strings.TrimSuffix(head, harmonyTurn)
	var hidden strings.Builder
	for message := range strings.SplitSeq(rest, harmonyChannel) {
		header, body, _ := strings.Cut(message, harmonyMessage)
		if loc := harmonyEnd().FindStringIndex(body); loc != nil {
			body = body[:loc[0]]
		}
		if strings.HasPrefix(strings.TrimSpace(header), "final") {
			plain += body
		} else {
			hidden.WriteString(body + "\n")
		}
	}
	return strings.TrimSpace(plain), strings.TrimSpace(hidden.String()), true
}

// cutAtStop ends a text before the first of the stop strings, and reports
// whether there was one.
func cutAtStop(text string, stops []string) (string, bool) {
	cut := len(text)
	for _, stop := range stops {
		if i := strings.Index(text[:cut], stop); i >= 0 {
			cut = i
		}
	}
	return text[:cut], cut < len(text)
}
