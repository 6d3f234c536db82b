package record

import (
	"cmp"
	"slices"
)

// Fault says what keeps a reply from being a whole, readable turn.
type Fault string

// The faults. A reply has the first fault that applies.
const (
	// Refused: the server's content filter or the model's own refusal.
	Refused Fault = "refused"
	// CutOff: the reply was ended by its length limit.
	CutOff Fault = "cut_off"
	// ToolCalls: calls of tools in place of a text.
	ToolCalls Fault = "tool_calls"
	// OnlyReasoning: reasoning and no text.
	OnlyReasoning Fault = "only_reasoning"
	// NoContent: null in place of a text, or nothing at all.
	NoContent Fault = "no_content"
	// Empty: a text of nothing but blanks.
	Empty Fault = "empty"
	// NoAction: a text in which the agent found no action.
	NoAction Fault = "no_action"
)

// Faults lists all faults in the order in which they are reported.
func Faults() []Fault {
	return []Fault{CutOff, OnlyReasoning, Empty, NoContent, ToolCalls, Refused, NoAction}
}

// Valid reports whether f is one of the faults.
func (f Fault) Valid() bool { return slices.Contains(Faults(), f) }

// String says what happened to replies with this fault.
func (f Fault) String() string { return cmp.Or(faultTexts[f], string(f)) }

var faultTexts = map[Fault]string{
	CutOff:        "cut off by the length limit",
	OnlyReasoning: "reasoning without a reply",
	Empty:         "empty",
	NoContent:     "without content",
	ToolCalls:     "tool calls in place of text",
	Refused:       "refused by a content filter or the model",
	NoAction:      "without an action that could be read",
}

// Leftover says what a reply holds that does not belong to its text. It was taken off, so the reply could be used.
type Leftover string

// The leftovers.
const (
	// EndTokens: tokens that end a turn, which the server should have ended the reply at.
	EndTokens Leftover = "end_tokens"
	// ReasoningMarks: reasoning in the text, which the server should have sent beside it.
	ReasoningMarks Leftover = "reasoning"
	// InventedObservation: an observation that the model made up before its action.
	InventedObservation Leftover = "invented_observation"
)
