package record

import (
	"cmp"
	"slices"
)

// Fault says what keeps a reply from being a whole, readable turn.
type Fault string

// The faults. A reply has the first fault that applies.
const (
	Refused       Fault = "refused"        // the server's content filter or the model's own refusal
	CutOff        Fault = "cut_off"        // the reply was ended by its length limit
	ToolCalls     Fault = "tool_calls"     // calls of tools in place of a text
	OnlyReasoning Fault = "only_reasoning" // reasoning and no text
	NoContent     Fault = "no_content"     // null in place of a text, or nothing at all
	Empty         Fault = "empty"          // a text of nothing but blanks
	NoAction      Fault = "no_action"      // a text in which the agent found no action
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
