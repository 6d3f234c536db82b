package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"heldout/configs"
	"heldout/eval/model"
)

// callReply is a reply of the form tool-call, which is kept as JSON. Only the first
// call counts: an agent makes one step at a time.
type callReply struct {
	Content string         `json:"content"`
	Call    model.ToolCall `json:"call,omitzero"`
}

// called takes what counts from a reply. The server's id of the call does not: it is
// random, and equal replies are equal.
func called(r model.Reply) callReply {
	c := callReply{Content: r.Text}
	if len(r.Calls) > 0 {
		c.Call = r.Calls[0]
		c.Call.ID = ""
	}
	return c
}

// text is the JSON of a reply.
func (c callReply) text() string {
	b, err := json.Marshal(c)
	if err != nil {
		panic(err) // texts are JSON
	}
	return string(b)
}

// readCall reads the JSON of a reply. What is no such JSON is a text without a call.
func readCall(text string) callReply {
	var c callReply
	if json.Unmarshal([]byte(text), &c) != nil {
		return callReply{Content: text}
	}
	return c
}

// CalledReply returns the reply that a record of the form tool-call holds as JSON.
func CalledReply(text string) model.Reply {
	c := readCall(text)
	r := model.Reply{Text: c.Content}
	if c.Call != (model.ToolCall{}) {
		r.Calls = []model.ToolCall{c.Call}
	}
	return r
}

// callParser reads the argument of a call as the action. A call of another function,
// or without a text as that argument, is no action.
func callParser(t configs.Tool) parser {
	return func(reply string, _ int) (parsed, bool) {
		c := readCall(reply)
		p := parsed{thought: strings.TrimSpace(c.Content)}
		var arguments map[string]any
		if c.Call.Name != t.Name || json.Unmarshal([]byte(c.Call.Arguments), &arguments) != nil {
			return p, false
		}
		action, ok := arguments[t.Argument].(string)
		p.action = strings.TrimSpace(action)
		return p, ok && p.action != ""
	}
}

// callMessages are a reply and its answer as messages: the answer to a call is of
// the role tool. Both have the same id, which servers need.
func callMessages(reply string, turn int, answer model.Message) (said, _ model.Message) {
	c := readCall(reply)
	said = model.Message{Role: model.Assistant, Content: c.Content, Call: c.Call}
	if c.Call == (model.ToolCall{}) {
		return said, answer
	}
	said.Call.ID = fmt.Sprintf("call_%d", turn)
	answer.Role, answer.Call = model.ToolResult, model.ToolCall{ID: said.Call.ID, Name: said.Call.Name}
	return said, answer
}
