package model

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
)

// chatReply is a chat completion, or one of a text. Only the text must be readable, and a call of a
// tool if one was asked for.
type chatReply struct {
	Error       any         `json:"error"`
	Object      any         `json:"object"`
	Choices     []choice    `json:"choices"`
	Model       any         `json:"model"`
	Fingerprint any         `json:"system_fingerprint"`
	Usage       tokenCounts `json:"usage"`
}

// choice is a turn of a chat. Some servers call the message a delta though it is whole, or send a text alone.
type choice struct {
	Message      message `json:"message"`
	Delta        message `json:"delta"`
	Text         any     `json:"text"`
	FinishReason any     `json:"finish_reason"`
	Error        any     `json:"error"`
}

// message is the turn; nil if there is none.
func (c *choice) message() message {
	text, err := json.Marshal(c.Text)
	switch {
	case c.Message != nil:
		return c.Message
	case c.Delta != nil:
		return c.Delta
	case err == nil && !hollow(c.Text):
		return message{"content": text}
	}
	return nil
}

type tokenCounts struct {
	Prompt        count `json:"prompt_tokens"`
	Completion    count `json:"completion_tokens"`
	Total         count `json:"total_tokens"`
	Cached        count `json:"cached_tokens"`           // Moonshot
	CacheHit      count `json:"prompt_cache_hit_tokens"` // DeepSeek
	PromptDetails struct {
		Cached count `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// begin starts a reply with what stands beside its text.
func (r *Reply) begin(finish any, sent *chatReply) error {
	reason, _ := finish.(string)
	u := &sent.Usage
	separate := u.Total - u.Prompt - u.Completion // xAI counts reasoning apart, Google in the total alone
	if separate > 0 && (separate == u.CompletionDetails.Reasoning || u.Completion == 0 && u.Prompt > 0) {
		u.Completion += separate
	}
	*r = Reply{FinishReason: reason, PromptTokens: int(u.Prompt), CompletionTokens: int(u.Completion)}
	r.Model, _ = sent.Model.(string)
	r.Fingerprint, _ = sent.Fingerprint.(string)
	// parts are at most the whole
	r.CachedTokens = min(int(cmp.Or(u.PromptDetails.Cached, u.Cached, u.CacheHit)), r.PromptTokens)
	r.ReasoningTokens = min(int(u.CompletionDetails.Reasoning), r.CompletionTokens)
	if wording("broken").MatchString(reason) {
		return errGaveUp
	}
	return nil
}

// converse reads the next turn of a chat, or the completion of a text.
func converse(x *exchange, reply *Reply, completion bool) (content, error) {
	var r chatReply
	if err := readJSON(x.reply, &r); err != nil {
		return content{}, err
	}
	if !hollow(r.Error) || r.Object == "error" {
		if _, isError := readWords(x.reply); isError {
			return content{}, errMisread
		}
	}
	switch {
	case r.Choices == nil:
		return content{}, errMisread
	case len(r.Choices) == 0:
		return content{null: true}, withoutMessage(reply, nil, &r)
	}
	first := &r.Choices[0]
	turn := first.message()
	if turn == nil && !completion {
		return content{null: true}, withoutMessage(reply, first.FinishReason, &r)
	}
	if err := reply.begin(first.FinishReason, &r); err != nil || !hollow(first.Error) {
		return content{}, cmp.Or(err, errGaveUp)
	}
	if !completion {
		return turn.content()
	}
	text, ok := first.Text.(string)
	if !ok && first.Text != nil {
		return content{}, errMisread
	}
	return content{text: text}, nil
}

// withoutMessage begins a reply that has no message. A filter may have taken it away.
func withoutMessage(reply *Reply, finish any, sent *chatReply) error {
	if err := reply.begin(finish, sent); err != nil || RefusedBy(reply.FinishReason) {
		return err
	}
	return errNoMessage
}

// message is the model's turn. Types are left open, because servers differ.
type message map[string]json.RawMessage

// absentJSON reports whether a JSON value is absent or empty.
func absentJSON(value json.RawMessage) bool {
	switch string(value) {
	case "", "null", "[]", "{}":
		return true
	}
	return false
}

func (m message) content() (c content, err error) {
	switch value := m.value("content").(type) {
	case nil:
		c.null = true
	case []any:
		c.null = len(value) == 0
		for _, part := range value {
			if err := c.add(part); err != nil {
				return content{}, err
			}
		}
	default:
		if err := c.add(value); err != nil {
			return content{}, err
		}
	}
	c.refusal += textOf(m.value("refusal"))
	// the first two are the names of vLLM after and before it renamed the field, the last is Ollama's
	for _, name := range []string{"reasoning_content", "reasoning", "thinking"} {
		if c.reasoning == "" {
			c.reasoning = textOf(m.value(name))
		}
	}
	if calls := m["tool_calls"]; called(calls) {
		c.toolCalls, c.calls = string(calls), calledTools(calls)
		c.garbled = len(c.calls) == 0
	}
	if call := m["function_call"]; called(call) { // of servers that know no tools yet
		c.toolCalls += string(call)
	}
	return c, nil
}

// add adds a part: a text, or an object that has one and may say that it is of another kind.
func (c *content) add(part any) error {
	switch part := part.(type) {
	case nil:
	case string:
		c.text += part
	case map[string]any:
		kind, text := stringField(part, "type"), textOf(part["text"])
		if strings.Contains(kind, "think") || strings.Contains(kind, "reason") {
			c.reasoning += text
		} else {
			c.text += text
		}
		c.reasoning += textOf(part["thinking"])
		c.refusal += textOf(part["refusal"])
	default:
		return errMisread
	}
	return nil
}

func (m message) value(name string) (value any) {
	_ = json.Unmarshal(m[name], &value) // nil if there is none
	return value
}

// called reports whether a JSON value can be a call of a tool, or several.
func called(value json.RawMessage) bool {
	return !absentJSON(value) && bytes.ContainsRune([]byte("[{"), rune(value[0]))
}

// textOf reads a text, a list of parts with one text each, as Mistral's models send it, or an object with a value.
func textOf(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case map[string]any:
		return stringField(value, "value")
	case []any:
		var texts []string
		for _, part := range value {
			if object, ok := part.(map[string]any); ok {
				texts = append(texts, stringField(object, "text"))
			}
		}
		return strings.Join(texts, "")
	}
	return ""
}
