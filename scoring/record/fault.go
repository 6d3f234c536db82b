package record

import "slices"

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
func (f Fault) String() string {
	switch f {
	case CutOff:
		return "cut off by the length limit"
	case OnlyReasoning:
		return "reasoning without a reply"
	case Empty:
		return "empty"
	case NoContent:
		return "without content"
	case ToolCalls:
		return "tool calls in place of text"
	case Refused:
		return "refused by a content filter or the model"
	case NoAction:
		return "without an action that could be read"
	}
	return string(f)
}

// Remedy says what helps against the fault.
func (f Fault) Remedy() string {
	switch f {
	case CutOff:
		return "give a larger --max-tokens, or switch the model's reasoning off with --extra-body"
	case OnlyReasoning:
		return "check the server's reasoning parser, or switch the model's reasoning off with --extra-body"
	case Empty, NoContent:
		return "check the server's chat template and reasoning parser"
	case ToolCalls:
		return "start the server without automatic tool calls, or check its tool parser"
	case Refused:
		return "check the server's content filter"
	case NoAction:
		return "check the server's chat template, or try another --agent or --prompt"
	}
	return ""
}
