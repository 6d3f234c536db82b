package model

import (
	"slices"
	"strings"

	"heldout/scoring/record"
)

// Symptom is what is wrong with replies of a model, or with how its server replies.
type Symptom string

// The symptoms of a reply, as what the model does. A reply has the first one that applies.
const (
	Filtered       Symptom = "is filtered or refuses"
	ToolTalk       Symptom = "calls tools in place of text"
	Silence        Symptom = "gives no text"
	PureReasoning  Symptom = "reasons without a reply"
	Echo           Symptom = "repeats the correction"
	Repetition     Symptom = "repeats itself"
	LongReasoning  Symptom = "is cut off while it reasons"
	Invention      Symptom = "invents observations"
	Rambling       Symptom = "is cut off before an action"
	BareAction     Symptom = "writes valid actions without a label"
	Prose          Symptom = "writes no action that could be read"
	LongTail       Symptom = "is cut off behind its action"
	EndTokens      Symptom = "leaves end-of-turn tokens in the text"
	MixedReasoning Symptom = "leaves reasoning in the text"
)

// The symptoms of all replies together, and of the server.
const (
	InvalidActions Symptom = "writes no valid action"
	SeedsIgnored   Symptom = "gives one reply for all seeds"
	CacheSensitive Symptom = "replies otherwise once a prompt is cached"
)

// Symptoms are the symptoms of replies, in the order in which they are reported.
func Symptoms() []Symptom {
	return []Symptom{Filtered, ToolTalk, Silence, PureReasoning, Echo, Repetition, LongReasoning, Invention,
		Rambling, BareAction, Prose, LongTail, EndTokens, MixedReasoning}
}

// OfServer reports whether the server is to blame, and not the model or the flags.
func (s Symptom) OfServer() bool {
	return slices.Contains([]Symptom{Filtered, ToolTalk, Silence, PureReasoning, Invention, EndTokens,
		MixedReasoning}, s)
}

// Reading is what an agent made of a reply.
type Reading struct {
	Fault           record.Fault
	Leftovers       []record.Leftover
	Text, Reasoning string
	// Readable: there was an action. Valid: the environment understood it. Echo: what the model
	// is told after a reply without an action is in the reply.
	Readable, Valid, Echo bool
	// Bare: no action could be read, and yet the whole text is a valid one.
	Bare bool
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
	case r.Echo:
		return Echo
	case (cutOff || !r.Readable) && (repeats(r.Text) || repeats(r.Reasoning)):
		return Repetition
	case cutOff && !r.Readable && r.Reasoning != "":
		return LongReasoning
	case slices.Contains(r.Leftovers, record.InventedObservation):
		return Invention
	case cutOff && !r.Readable:
		return Rambling
	case r.Bare:
		return BareAction
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
	pieces, repeated := map[string]bool{}, 0
	for i := range len(text) - piece + 1 {
		if pieces[text[i:i+piece]] {
			repeated++
		}
		pieces[text[i:i+piece]] = true
	}
	return repeated > len(text)/2
}
