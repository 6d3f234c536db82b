// Package model asks a language model for its next reply: one narrow way in,
// OpenAI-compatible servers (vLLM, llama.cpp, OpenAI) and Ollama behind it,
// with retries, limits and accounting.
package model

import (
	"context"
	"strings"
	"time"
)

// Role says who speaks in a message.
type Role string

// The roles of a chat.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one turn of a chat.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
}

// Decoding says how replies are sampled. Every field is sent with every call,
// zero or not: a server's own defaults never decide what is measured.
//
// For the same reason more fields are sent beside these, at the values that
// change nothing:
//
//   - To vLLM and SGLang: top_k -1, min_p 0, repetition_penalty 1,
//     presence_penalty 0 and frequency_penalty 0. Otherwise they would come from
//     the model's generation_config.json.
//   - To llama.cpp: top_k 0, min_p 0, typical_p 1, repeat_penalty 1,
//     presence_penalty 0, frequency_penalty 0, and what turns its rarer samplers
//     off. Its own default is a top_k of 40 and a min_p of 0.05; the command line
//     and the model file can set all of them.
//   - To Ollama: top_k 0, min_p 0, typical_p 1, repeat_penalty 1,
//     presence_penalty 0 and frequency_penalty 0. Its own default is a top_k of 40
//     and a repeat_penalty of 1.1, which changes what even temperature 0 gives.
//   - To others: nothing. OpenAI's protocol has only the two penalties of these, 0
//     unless set, and its reasoning models refuse to be sent them.
//
// The provider vllm stands for vLLM unless Client.Server finds another of these
// servers; the provider openai stands for others until it finds one. In what
// order a server applies top_p and the temperature stays its own affair.
type Decoding struct {
	// Temperature is at least 0; 0 is greedy decoding.
	Temperature float64 `json:"temperature"`
	// TopP is in (0,1]; 1 keeps all tokens.
	TopP float64 `json:"top_p"`
	// MaxTokens is the largest length of a reply, at least 1.
	MaxTokens int `json:"max_tokens"`
	// Stop holds the strings that end a reply; they are not part of it. Servers
	// look for them in the reasoning too and would end the reply there, so once a
	// model has shown reasoning they are no longer sent: the reply, not the
	// reasoning, is cut when it has come. Ollama gets those of the model's own file
	// as well, which these would replace.
	Stop []string `json:"stop,omitempty"`
	// Extra holds further fields of the request body, such as top_k or
	// repetition_penalty. For Ollama they are fields of its "options", where it
	// ignores what it does not know; only think lies beside them. A field here
	// wins over the same field from above, by its name on the wire; null leaves
	// that field out, for a server that refuses it. The fields model, messages and
	// stream are not allowed.
	Extra map[string]any `json:"extra,omitempty"`
}

// Request is one call.
type Request struct {
	Messages []Message
	Decoding Decoding
	// Seed is what the server seeds its sampling with, in [0, 2^31).
	Seed int64
	// Completion asks for the continuation of a text, which is all that the messages
	// say, one after the other: for base models, which have no chat template. It
	// takes a server with OpenAI's protocol.
	Completion bool
}

// prompt is the text that a completion continues.
func (r Request) prompt() string {
	var text strings.Builder
	for _, m := range r.Messages {
		text.WriteString(m.Content)
	}
	return text.String()
}

// Reply is what came back from one call.
type Reply struct {
	// Text is the reply without its reasoning, up to the first stop string.
	Text string
	// Reasoning is what the server sent as reasoning beside the text, and what it
	// left in it between the tags of a reasoning format.
	Reasoning string
	// Instead is what came in place of a text: a refusal, or calls of tools as
	// JSON, cut to some length.
	Instead string
	// FinishReason is the server's word: "stop", "length", …; "stop" also where
	// the server went on behind a stop string.
	FinishReason string
	// Overran: the server went on behind a stop string that it was given.
	Overran bool
	// Fault is what is wrong with the reply, as far as can be told without reading
	// it.
	Fault Fault
	// Dropped are the fields of the decoding, sorted, that were not sent because
	// the server refuses them.
	Dropped []string
	// PromptTokens and CompletionTokens are as the server counted them; 0 when it
	// did not say.
	PromptTokens     int
	CompletionTokens int
	// Attempts counts the requests made for this call, the last included.
	Attempts int
	// Latency is how long the last, successful attempt took, waits before it not
	// included.
	Latency time.Duration
}

// Model answers calls. It is safe for concurrent use.
type Model interface {
	// Chat returns the model's next turn. Its errors are *ContextError,
	// *RequestError, *UnavailableError or ctx.Err().
	Chat(ctx context.Context, req Request) (Reply, error)
}
