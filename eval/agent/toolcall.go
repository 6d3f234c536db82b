package agent

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"heldout/envs/pytext"
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

func (c callReply) text() string {
	b, _ := json.Marshal(c) // texts are always JSON
	return string(b)
}

// readCall reads the JSON of a reply. Any other text is one without a call.
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

// parseCall reads AgentBench's reply: the first argument of a call is the action, whatever
// the names of argument and function. A call whose first argument is not a text cannot be read.
func parseCall(reply string, _ int) (parsed, bool) {
	c := readCall(reply)
	p := parsed{thought: pytext.Strip(c.Content)}
	if c.Call == (model.ToolCall{}) {
		return p, false
	}
	argument := firstArgument(c.Call.Arguments)
	if json.Unmarshal(argument, &p.action) != nil || string(argument) == "null" {
		p.action, p.occasion = "", badCall
	}
	return p, p.occasion == ""
}

// badCall is the occasion of a call that cannot be read.
const badCall = "call"

// firstArgument is the value of the first of the arguments in JSON; of several with that name, the last. It is nil
// if there is none.
func firstArgument(text string) json.RawMessage {
	text = pythonNumber.ReplaceAllStringFunc(text, func(s string) string {
		if strings.HasPrefix(s, `"`) {
			return s
		}
		return "0"
	})
	var arguments map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &arguments) != nil {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	_, _ = d.Token() // the brace
	first, _ := d.Token()
	name, ok := first.(string)
	if !ok {
		return nil
	}
	return arguments[name]
}

// pythonNumber is a number that only Python reads in JSON, or a text, which may hold the word.
var pythonNumber = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|NaN|-?Infinity`)

// callMessages are a reply and its answer as messages: the answer to a call has the role tool. Both have the same
// id, which servers need. corrected says that the answer is not to the call.
func callMessages(reply string, turn int, answer model.Message, corrected bool) (message, _ model.Message) {
	c := readCall(reply)
	message = model.Message{Role: model.Assistant, Content: c.Content, Call: c.Call}
	if c.Call == (model.ToolCall{}) {
		return message, answer
	}
	message.Call.ID = fmt.Sprintf("call_%d", turn)
	if !corrected {
		answer.Role, answer.Call = model.ToolResult, model.ToolCall{ID: message.Call.ID, Name: message.Call.Name}
	}
	return message, answer
}
