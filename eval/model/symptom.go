package model

import (
	"slices"
	"strings"

	"heldout/scoring/record"
)

// Symptom is what is wrong with replies of a model, or with how its server replies.
type Symptom string

// The symptoms of a reply. A reply has the first one that applies.
const (
	Filtered       Symptom = "filtered"
	ToolTalk       Symptom = "tool_talk"
	Silence        Symptom = "silence"
	PureReasoning  Symptom = "pure_reasoning"
	Repetition     Symptom = "repetition"
	LongReasoning  Symptom = "long_reasoning"
	Invention      Symptom = "invention"
	Rambling       Symptom = "rambling"
	Prose          Symptom = "prose"
	LongTail       Symptom = "long_tail"
	EndTokens      Symptom = "end_tokens"
	MixedReasoning Symptom = "mixed_reasoning"
	InvalidActions Symptom = "invalid_actions" // of all replies
	SeedsIgnored   Symptom = "seeds_ignored"   // of the server
	CacheSensitive Symptom = "cache_sensitive" // of the server
)

// Symptoms are those of replies, in the order in which they are reported.
func Symptoms() []Symptom {
	return []Symptom{Filtered, ToolTalk, Silence, PureReasoning, Repetition, LongReasoning, Invention, Rambling,
		Prose, LongTail, EndTokens, MixedReasoning}
}

// symptomTexts say what a model with a symptom does.
var symptomTexts = map[Symptom]string{
	Filtered:       "is filtered or refuses",
	ToolTalk:       "calls tools in place of text",
	Silence:        "gives no text",
	PureReasoning:  "reasons without a reply",
	Repetition:     "repeats itself",
	LongReasoning:  "is cut off while it reasons",
	Invention:      "invents observations",
	Rambling:       "is cut off before an action",
	Prose:          "writes no action that could be read",
	LongTail:       "is cut off behind its action",
	EndTokens:      "leaves end-of-turn tokens in the text",
	MixedReasoning: "leaves reasoning in the text",
	SeedsIgnored:   "gives one reply for all seeds",
	CacheSensitive: "replies otherwise once a prompt is cached",
}

// String says what a model with the symptom does.
func (s Symptom) String() string { return symptomTexts[s] }

// Reading is what an agent made of a reply.
type Reading struct {
	Fault           record.Fault
	Leftovers       []record.Leftover
	Text, Reasoning string
	// Readable: there was an action. Valid: the environment understood it.
	Readable, Valid bool
}

// Symptom is what is wrong with the reply; empty for nothing.
func (r Reading) Symptom() Symptom {
	cutOff := r.Fault == record.CutOff
	switch r.Fault {
	case record.Refused:
		return Filtered
	case record.ToolCalls:
		return ToolTalk
	case record.Empty, record.NoContent:
		return Silence
	case record.OnlyReasoning:
		return PureReasoning
	}
	switch {
	case (cutOff || !r.Readable) && (repeats(r.Text) || repeats(r.Reasoning)):
		return Repetition
	case cutOff && !r.Readable && r.Reasoning != "":
		return LongReasoning
	case slices.Contains(r.Leftovers, record.InventedObservation):
		return Invention
	case cutOff && !r.Readable:
		return Rambling
	case !r.Readable:
		return Prose
	case cutOff:
		return LongTail
	case slices.Contains(r.Leftovers, record.EndTokens):
		return EndTokens
	case slices.Contains(r.Leftovers, record.ReasoningMarks):
		return MixedReasoning
	}
	return ""
}

// repeats reports whether a text is long, and most of it stood in it before.
func repeats(text string) bool {
	const piece, short = 16, 120
	text = strings.TrimSpace(text)
	if len(text) < short {
		return false
	}
	pieces, again := map[string]bool{}, 0
	for i := range len(text) - piece + 1 {
		if pieces[text[i:i+piece]] {
			again++
		}
		pieces[text[i:i+piece]] = true
	}
	return again > len(text)/2
}
