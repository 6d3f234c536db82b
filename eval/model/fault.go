package model

import (
	"slices"
	"strings"

	"heldout/scoring/record"
	"heldout/scoring/table"
)

// overflowed is the reason if the context is full.
const overflowed = "model_context_window_exceeded"

// RefusedBy reports whether a server's reason for the end of a reply is that it was
// filtered or refused. There may be a text all the same.
func RefusedBy(reason string) bool { return wording("refused").MatchString(reason) }

// fault classifies a reply. Agents find NoAction themselves.
func (r *Reply) fault(content content) record.Fault {
	blank := strings.TrimSpace(r.Text) == ""
	switch {
	case RefusedBy(r.FinishReason), content.refusal != "" && blank:
		return record.Refused
	case wording("cut-off").MatchString(r.FinishReason):
		return record.CutOff
	case !blank, len(content.calls) > 0:
		return ""
	case content.toolCalls != "":
		return record.ToolCalls
	case r.Reasoning != "":
		return record.OnlyReasoning
	case content.null:
		return record.NoContent
	}
	return record.Empty
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
	// calls are the same calls, taken apart; garbled: none of them can be read.
	calls   []ToolCall
	garbled bool
}

// overflowed reports whether a reply ended before its first token because the context is full. LMDeploy gives the
// reason of any that is cut off.
func (c *content) overflowed(r *Reply) bool {
	none := r.CompletionTokens == 0 && r.PromptTokens >= leastContext && c.reasoning+c.toolCalls == ""
	return strings.TrimSpace(c.text) == "" &&
		(strings.EqualFold(r.FinishReason, overflowed) || none && wording("cut-off").MatchString(r.FinishReason))
}

// plus appends a part of the same turn. Ollama does not distinguish an empty text from a missing one.
func (c content) plus(part content) content {
	return content{text: c.text + part.text, reasoning: c.reasoning + part.reasoning,
		toolCalls: c.toolCalls + part.toolCalls, calls: append(c.calls, part.calls...),
		garbled: c.garbled || part.garbled}
}

// forRequest leaves out calls of tools if the request has no tool: they are a fault then. Otherwise they are what
// was asked for, and nothing in place of a text: without one, a call must be readable.
func (c content) forRequest(req *Request) (content, error) {
	switch {
	case req.Tool == (Tool{}):
		c.calls = nil
	case c.garbled && strings.TrimSpace(c.text) == "":
		return content{}, errMisread
	case len(c.calls) > 0:
		c.toolCalls = ""
	}
	return c, nil
}

// settle fills in the reply from what the server sent: it separates the reasoning and cuts the text at the first
// stop string and at tokens that end a turn. stopsSent: the stop strings were sent to the server.
func (r *Reply) settle(sent content, req *Request, stops []string, stopsSent bool, key Secret) {
	parts := speech{visible: sent.text}
	if !req.KeepReasoning {
		parts = sent.split(req, stops)
	}
	found := parts.reasoning()
	if found != "" {
		r.Leftovers = append(r.Leftovers, record.ReasoningMarks)
	}
	visible, cut := cutAtStop(parts.visible, stops)
	if cut {
		r.FinishReason, r.Overran = "stop", stopsSent
	}
	if !req.KeepTokens {
		if visible, cut = cutAtEnd(visible); cut {
			r.Leftovers = append(r.Leftovers, record.EndTokens)
		}
	}
	if sent.reasoning != "" && found != "" {
		sent.reasoning += "\n"
	}
	r.Text = key.scrubReply(visible)
	r.Reasoning = key.scrubReply(sent.reasoning + found)
	for _, call := range sent.calls {
		r.Calls = append(r.Calls, ToolCall{key.scrubReply(call.ID), key.scrubReply(call.Name),
			key.scrubReply(call.Arguments)})
	}
	r.Substitute = key.scrubReply(table.Shortened(sent.refusal+sent.toolCalls, mostSubstitute))
	if r.FinishReason != "stop" { // the usual one
		r.FinishReason = clean(r.FinishReason, key)
	}
	r.Model, r.Fingerprint = clean(r.Model, key), clean(r.Fingerprint, key)
	r.Fault = r.fault(sent)
}

// apart separates the reasoning that the server left in the text. If that leaves nothing for the reader,
// a tag may be in the wrong place: a closing one behind the reply, or one before it that the server took
// for reasoning with all that follows.
func (c *content) split(req *Request, stops []string) speech {
	parts := splitReasoning(c.text)
	if !endsAtOnce(parts.visible, stops) {
		return parts
	}
	if stopsAtOnce(parts.visible, stops) && len(parts.hidden) > 0 {
		parts.visible = "" // the server would have stopped at the line break before it
	}
	parts.recover(req.Reads, strings.TrimSpace(c.reasoning) != "")
	if strings.TrimSpace(c.text) != "" || req.Reads == nil {
		return parts
	}
	if nested := splitReasoning(c.reasoning); len(nested.hidden) > 0 && req.Reads(nested.visible) {
		c.reasoning = ""
		return nested
	}
	return parts
}

// endsAtOnce reports whether a text has nothing before a stop string or a token that ends a turn.
func endsAtOnce(text string, stops []string) bool {
	text, _ = cutAtEnd(text)
	return strings.TrimSpace(text) == "" || stopsAtOnce(text, stops)
}

// stopsAtOnce reports whether a text begins with a stop string, blanks apart.
func stopsAtOnce(text string, stops []string) bool {
	return slices.ContainsFunc(stops, func(stop string) bool {
		stop = strings.TrimSpace(stop)
		return stop != "" && strings.HasPrefix(strings.TrimSpace(text), stop)
	})
}

// replaces counts the tokens of an earlier reply to the same call; nil for none.
func (r *Reply) replaces(unused *Reply) {
	if unused != nil {
		r.UnusedPromptTokens, r.UnusedCompletionTokens = unused.PromptTokens, unused.CompletionTokens
		r.TokenDetails = r.TokenDetails.Plus(unused.TokenDetails)
	}
}

// mostSubstitute is how much of a server's secondary text is kept, in bytes.
const mostSubstitute = 2000
