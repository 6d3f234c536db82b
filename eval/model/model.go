// Package model asks a language model for its next reply: one small interface to OpenAI-compatible servers (vLLM,
// llama.cpp, OpenAI) and Ollama, with retries, limits and accounting.
package model

import (
	"context"
	"strings"
	"time"

	"heldout/scoring/record"
	"heldout/scoring/table"
)

// Role says who speaks in a message.
type Role string

// The roles of a chat.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	// ToolResult answers a call of a tool.
	ToolResult Role = "tool"
)

// Message is one turn of a chat.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
	// Call is a call of a tool by the assistant, or which one a message answers.
	Call ToolCall `json:"call,omitzero"`
}

// Common is how many elements two prompts or texts begin with alike.
func Common[T comparable](a, b []T) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// Request is one call.
type Request struct {
	Messages []Message
	Decoding record.Decoding
	// Seed is the server's sampling seed, in [0, 2^31).
	Seed int64
	// Completion asks for the continuation of a text, which is the concatenation of all messages. It is for base
	// models, which have no chat template. It needs a server with OpenAI's protocol.
	Completion bool
	// KeepReasoning leaves reasoning that the server left in the text there, and sends stop strings even so.
	KeepReasoning bool
	// KeepTokens leaves tokens that end a turn in the text.
	KeepTokens bool
	// Reads reports whether a text reads as the reply that is asked for. With it, a reply that a tag in
	// the wrong place would make reasoning is the reply; nil: nothing reads as one.
	Reads func(text string) bool
	// Tool is what the model may call; the zero Tool is none.
	Tool Tool
	// Once makes one attempt.
	Once bool
	// Fresh asks on a connection of its own: a balancer may have led the others to a server that fails.
	Fresh bool
	// Late is how often a reply to the call came too late. Each time doubles the time limit, up to four
	// times as long.
	Late int
	// Sent is a digest of the messages, by which an earlier reply to the request is found.
	Sent string
}

// prompt is the text that a completion continues.
func (r Request) prompt() string {
	return strings.Join(table.Each(r.Messages, func(m Message) string { return m.Content }), "")
}

// Reply is what came back from one call.
type Reply struct {
	// Text is the reply without its reasoning, up to the first stop string.
	Text string `json:"text,omitempty"`
	// Reasoning is what the server sent as reasoning beside the text, and what it
	// left in the text between the tags of a reasoning format.
	Reasoning string `json:"reasoning,omitempty"`
	// Substitute is what came in place of a text: a refusal, or calls of tools as JSON, cut to some length.
	Substitute string `json:"substitute,omitempty"`
	// Calls are calls of the request's tool.
	Calls []ToolCall `json:"calls,omitempty"`
	// FinishReason is the server's reason: "stop", "length", …; also "stop" if the
	// server continued after a stop string.
	FinishReason string `json:"finish_reason,omitempty"`
	// Overran: the server continued after a stop string that it was given.
	Overran bool `json:"overran,omitempty"`
	// Leftovers are what was taken off the text.
	Leftovers []record.Leftover `json:"leftovers,omitempty"`
	// Fault is what is wrong with the reply, as far as is known without parsing it.
	Fault record.Fault `json:"fault,omitempty"`
	// Dropped are the fields of the decoding, sorted, that were not sent because the server refuses them.
	Dropped []string `json:"dropped,omitempty"`
	// PromptTokens and CompletionTokens are as the server counted them; 0 if it did not report them.
	PromptTokens     int `json:"prompt_tokens,omitempty"`
	CompletionTokens int `json:"completion_tokens,omitempty"`
	// TokenDetails include the details of the reply that UnusedPromptTokens count.
	record.TokenDetails
	// UnusedPromptTokens and UnusedCompletionTokens are the tokens of an earlier
	// reply to the same call, which was asked for again without stop strings.
	UnusedPromptTokens     int `json:"unused_prompt_tokens,omitempty"`
	UnusedCompletionTokens int `json:"unused_completion_tokens,omitempty"`
	// Model is the model that wrote the reply, as the server says; empty if it does not. OtherModel: the
	// server lists that beside the one that was asked. Fingerprint is what it says of its set-up.
	Model       string `json:"model,omitempty"`
	OtherModel  bool   `json:"other_model,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	// Attempts counts the requests made for this call, the last included.
	Attempts int `json:"attempts,omitempty"`
	// Late counts the requests that had no reply in time.
	Late int `json:"late,omitempty"`
	// Server is the address of the server that answered, if there are several.
	Server string `json:"server,omitempty"`
	// Latency is how long the last, successful attempt took, without the waits before it.
	Latency time.Duration `json:"latency,omitempty"`
	// Repeated: an earlier session was given the reply. Counted: an earlier attempt was, whose record has it.
	Repeated bool `json:"-"`
	Counted  bool `json:"-"`
}

// Model answers calls. It is safe for concurrent use.
type Model interface {
	// Chat returns the model's next turn. Its errors are *ContextError,
	// *RequestError, *UnavailableError or ctx.Err().
	Chat(ctx context.Context, req Request) (Reply, error)
}
