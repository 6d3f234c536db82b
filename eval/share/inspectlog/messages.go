package inspectlog

import (
	"encoding/json"
	"fmt"
	"strings"

	"heldout/configs"
	"heldout/eval/agent"
	"heldout/eval/episode"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// What a message is.
const (
	input, generated = "input", "generate"
)

// conversation collects the messages of an episode, each once.
type conversation struct {
	episode *record.Episode
	model   string
	pool    []message
	// sources are what the messages of the pool were made of.
	sources []model.Message
	// sent are the numbers in the pool of the messages of the last call, and reply is its reply.
	sent  []int
	reply *message
}

// newMessage makes a message with an id of its own.
func (c *conversation) newMessage(id int, role model.Role, text, source string) message {
	m := message{ID: fmt.Sprintf("%s-%d-%d", c.episode.ID, c.episode.Attempt, id), Role: role, Content: text,
		Source: source}
	if source == generated {
		m.Model = c.model
	}
	return m
}

// add adds a message to the pool.
func (c *conversation) add(m message, source model.Message) int {
	c.pool, c.sources = append(c.pool, m), append(c.sources, source)
	return len(c.pool) - 1
}

// call takes a call: what it shares with the one before it is in the pool already. The reply before
// it is the message that repeats it.
func (c *conversation) call(call, before *episode.Call) {
	var sent []int
	for i, m := range messagesOf(call) {
		switch {
		case i < len(c.sent) && c.sources[c.sent[i]] == m:
			sent = append(sent, c.sent[i])
		case before != nil && m.Role == model.Assistant && m.Content == before.Echo && i == len(c.sent):
			repeated := *c.reply
			if before.Echo != before.Reply {
				repeated = c.newMessage(len(c.pool), m.Role, m.Content, generated)
			}
			sent = append(sent, c.add(repeated, m))
		default:
			made := c.newMessage(len(c.pool), m.Role, m.Content, input)
			made.call(m.Call)
			sent = append(sent, c.add(made, m))
		}
	}
	reply := c.replyTo(call)
	c.sent, c.reply = sent, &reply
}

// messagesOf are the messages of a call; those of a completion are one text.
func messagesOf(call *episode.Call) []model.Message {
	if !call.Request.Completion {
		return call.Messages
	}
	var text strings.Builder
	for _, m := range call.Messages {
		text.WriteString(m.Content)
	}
	return []model.Message{{Role: model.User, Content: text.String()}}
}

// replyTo is the reply to a call. Its id is that of the next message in the pool.
func (c *conversation) replyTo(call *episode.Call) message {
	text, made := call.Reply, model.ToolCall{}
	if c.episode.Agent == configs.ToolCall {
		reply := agent.CalledReply(text)
		if text = reply.Text; len(reply.Calls) > 0 {
			made = reply.Calls[0]
		}
	}
	m := c.newMessage(len(c.pool), model.Assistant, text, generated)
	m.call(made)
	m.reason(c.episode.Trajectory[call.Step].Reasoning)
	return m
}

// messages are those of the last call, and the reply to it. In a chat these are all.
func (c *conversation) messages() []message {
	out := []message{}
	for _, i := range c.sent {
		out = append(out, c.pool[i])
	}
	if c.reply != nil {
		out = append(out, *c.reply)
	}
	return out
}

// ranges are the messages of the last call as ranges of the pool.
func (c *conversation) ranges() (out [][2]int) {
	for _, i := range c.sent {
		if n := len(out); n > 0 && out[n-1][1] == i {
			out[n-1][1]++
		} else {
			out = append(out, [2]int{i, i + 1})
		}
	}
	return out
}

// recorded are actions and observations, where no messages are known.
func (c *conversation) recorded() []message {
	out := []message{c.newMessage(0, model.User, task(c.episode), input)}
	for i := range c.episode.Trajectory {
		s := &c.episode.Trajectory[i]
		text := s.Action
		if s.Thought != "" {
			text = s.Thought + "\n" + text
		}
		said := c.newMessage(len(out), model.Assistant, text, generated)
		said.reason(s.Reasoning)
		if out = append(out, said); i < len(c.episode.Trajectory)-1 {
			out = append(out, c.newMessage(len(out), model.User, s.Observation, input))
		}
	}
	return out
}

// task is the task as the agent receives it.
func task(e *record.Episode) string { return strings.TrimSpace(e.Goal + "\n\n" + e.Observation) }

// reason puts reasoning before the text.
func (m *message) reason(reasoning string) {
	if reasoning != "" {
		m.Content = []part{{Type: "reasoning", Reasoning: &reasoning}, {Type: "text", Text: m.text()}}
	}
}

// text is the message without reasoning.
func (m *message) text() string {
	if parts, ok := m.Content.([]part); ok {
		return parts[len(parts)-1].Text
	}
	return m.Content.(string)
}

// call adds a call of a tool, or says which one the message answers.
func (m *message) call(c model.ToolCall) {
	switch {
	case c == (model.ToolCall{}):
	case m.Role == model.ToolResult:
		m.ToolCallID, m.Function = c.ID, c.Name
	default:
		made := toolCall{ID: c.ID, Function: c.Name, Type: "function", Arguments: map[string]any{}}
		if err := json.Unmarshal([]byte(c.Arguments), &made.Arguments); err != nil {
			made.Arguments, made.Error = map[string]any{"arguments": c.Arguments}, err.Error()
		}
		m.ToolCalls = []toolCall{made}
	}
}
