package model

import (
	"regexp"
	"strings"
)

// reasoningTag matches the tags that models put around their reasoning: those of
// DeepSeek and Qwen, Mistral, Cohere, Kimi and Seed.
var reasoningTag = regexp.MustCompile(
	`(?i)<(/?)(?:think|thinking|seed:think)>|\[(/?)THINK\]|<\|(END_|START_)THINKING\|>|◁(/?)think▷`)

// tagStarts are the characters with which such a tag begins.
const tagStarts = "<[◁"

// responseTags are what Cohere's models put around the rest.
var responseTags = strings.NewReplacer("<|START_RESPONSE|>", "", "<|END_RESPONSE|>", "")

// splitReasoning takes a text apart into what is meant for the reader and the
// reasoning that the server left in it. A text without any is returned as it is.
//
// Tags may be incomplete: chat templates put the opening one into the prompt,
// and a reply that was cut off lacks the closing one. What precedes a closing
// tag without an opening one is reasoning, and so is what follows an opening tag
// without a closing one.
func splitReasoning(s string) (visible, reasoning string) {
	if visible, reasoning, found := splitHarmony(s); found {
		return visible, reasoning
	}
	if !strings.ContainsAny(s, tagStarts) {
		return s, ""
	}
	tags := reasoningTag.FindAllStringSubmatchIndex(s, -1)
	if tags == nil {
		return s, ""
	}
	var plain, hidden strings.Builder
	inside, start := false, 0
	for _, tag := range tags {
		part := s[start:tag[0]]
		switch closes := closesReasoning(s, tag); {
		case !closes && inside:
			continue // an opening tag within reasoning
		case !closes:
			plain.WriteString(part)
		case inside:
			hidden.WriteString(part + "\n")
			plain.WriteString("\n")
		default:
			hidden.WriteString(plain.String() + part + "\n")
			plain.Reset()
		}
		inside, start = !closesReasoning(s, tag), tag[1]
	}
	if inside {
		hidden.WriteString(s[start:])
	} else {
		plain.WriteString(s[start:])
	}
	return strings.TrimSpace(responseTags.Replace(plain.String())), strings.TrimSpace(hidden.String())
}

func closesReasoning(s string, tag []int) bool {
	for group := 2; group < len(tag); group += 2 {
		if tag[group] >= 0 {
			mark := s[tag[group]:tag[group+1]]
			return mark == "/" || strings.EqualFold(mark, "END_")
		}
	}
	return false
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
var harmonyEnd = regexp.MustCompile(`<\|(?:end|return|call|start)\|>`)

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
		if loc := harmonyEnd.FindStringIndex(body); loc != nil {
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
