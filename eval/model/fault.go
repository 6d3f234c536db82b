package model

import (
	"slices"
	"strings"
)

// Fault says what keeps a reply from being a whole, readable turn.
type Fault string

// The faults, of which a reply has the first that applies.
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

// Faults are all faults, in the order in which they are told.
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

// The servers' words for the end of a reply, in lower case.
var (
	cutOffWords  = []string{"length", "max_tokens", "model_length"}
	refusedWords = []string{"content_filter", "refusal", "safety", "recitation", "prohibited_content", "blocklist", "spii"}
	// brokenWords say that the server gave up.
	brokenWords = []string{"abort", "error", "insufficient_system_resource"}
)

// finished reports whether the server's word for the end of a reply is one of
// words.
func finished(reason string, words []string) bool {
	return slices.Contains(words, strings.ToLower(reason))
}

// fault judges a reply. NoAction is for agents to find.
func (r *Reply) fault(content content) Fault {
	blank := strings.TrimSpace(r.Text) == ""
	switch {
	case finished(r.FinishReason, refusedWords), content.refusal != "" && blank:
		return Refused
	case finished(r.FinishReason, cutOffWords):
		return CutOff
	case !blank:
		return ""
	case content.toolCalls != "":
		return ToolCalls
	case r.Reasoning != "":
		return OnlyReasoning
	case content.null:
		return NoContent
	}
	return Empty
}

// content is what a server sent as a model's turn.
type content struct {
	text string
	// null: there was no text, not even an empty one.
	null      bool
	reasoning string
	refusal   string
	// toolCalls are calls of tools, as JSON.
	toolCalls string
}

// settle fills in what the reply says, from what the server sent: reasoning
// apart, and nothing from a stop string on. stopsSent: the server was given the
// stop strings.
func (r *Reply) settle(sent content, stops []string, stopsSent bool, key Secret) {
	visible, found := splitReasoning(sent.text)
	cut := false
	if visible, cut = cutAtStop(visible, stops); cut {
		r.FinishReason, r.Overran = "stop", stopsSent
	}
	if sent.reasoning != "" && found != "" {
		sent.reasoning += "\n"
	}
	r.Text = key.scrubReply(visible)
	r.Reasoning = key.scrubReply(sent.reasoning + found)
	r.Instead = key.scrubReply(excerptOf(sent.refusal + sent.toolCalls))
	if r.FinishReason != "stop" { // the usual one
		r.FinishReason = clean(r.FinishReason, key)
	}
	r.Fault = r.fault(sent)
}

// excerptOf cuts what is kept of a server's lesser words.
func excerptOf(text string) string {
	const most = 2000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
