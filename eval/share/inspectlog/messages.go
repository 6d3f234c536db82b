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

// conversation collects the messages of an episode.
type conversation struct {
	episode *record.Episode
	model   string
	list    []message
}

func (c *conversation) id(i int) string { return fmt.Sprintf("%s-%d-%d", c.episode.ID, c.episode.Attempt, i) }

func (c *conversation) add(role model.Role, text, source string) *message {
	c.list = append(c.list, message{ID: c.id(len(c.list)), Role: role, Content: text, Source: source})
	m := &c.list[len(c.list)-1]
	if source == generated {
		m.Model = c.model
	}
	return m
}

// sent adds the messages of the last call, and its reply. In a chat these are all that were sent.
func (c *conversation) sent(calls []episode.Call) {
	last := calls[len(calls)-1]
	if last.Request.Completion {
		var text strings.Builder
		for _, m := range last.Messages {
			text.WriteString(m.Content)
		}
		c.add(model.User, text.String(), input)
	} else {
		for _, m := range last.Messages {
			c.add(m.Role, m.Content, input).call(m.Role, m.Call)
		}
		c.replies(calls)
	}
	c.reply(calls[len(calls)-1])
}

// replies marks the replies of earlier calls among the messages, from the last one back.
func (c *conversation) replies(calls []episode.Call) {
	at := len(c.list)
	for i := len(calls) - 2; i >= 0; i-- {
		for at--; at >= 0 && c.list[at].Role != model.Assistant; at-- {
		}
		if at < 0 || c.list[at].Content != calls[i].Echo {
			return
		}
		m := &c.list[at]
		m.Source, m.Model = generated, c.model
		if calls[i+1].Step != calls[i].Step {
			m.reason(c.episode.Trajectory[calls[i].Step].Reasoning)
		}
	}
}

// reply adds the reply to the last call.
func (c *conversation) reply(call episode.Call) {
	text, made := call.Reply, model.ToolCall{}
	if c.episode.Agent == configs.ToolCall {
		reply := agent.CalledReply(text)
		if text = reply.Text; len(reply.Calls) > 0 {
			made = reply.Calls[0]
		}
	}
	m := c.add(model.Assistant, text, generated)
	m.call(model.Assistant, made)
	m.reason(c.episode.Trajectory[call.Step].Reasoning)
}

// recorded adds actions and observations, where no messages are known.
func (c *conversation) recorded() {
	c.add(model.User, task(c.episode), input)
	for i := range c.episode.Trajectory {
		s := &c.episode.Trajectory[i]
		text := s.Action
		if s.Thought != "" {
			text = s.Thought + "\n" + text
		}
		c.add(model.Assistant, text, generated).reason(s.Reasoning)
		if i < len(c.episode.Trajectory)-1 {
			c.add(model.User, s.Observation, input)
		}
	}
}

// task is the task as the agent receives it.
func task(e *record.Episode) string { return strings.TrimSpace(e.Goal + "\n\n" + e.Observation) }

// reason puts reasoning before the text.
func (m *message) reason(reasoning string) {
	if text, ok := m.Content.(string); ok && reasoning != "" {
		m.Content = []part{{Type: "reasoning", Reasoning: reasoning}, {Type: "text", Text: text}}
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
func (m *message) call(role model.Role, c model.ToolCall) {
	switch {
	case c == (model.ToolCall{}):
	case role == model.ToolResult:
		m.ToolCallID, m.Function = c.ID, c.Name
	default:
		made := toolCall{ID: c.ID, Function: c.Name, Type: "function", Arguments: map[string]any{}}
		if err := json.Unmarshal([]byte(c.Arguments), &made.Arguments); err != nil {
			made.Arguments, made.Error = map[string]any{"arguments": c.Arguments}, err.Error()
		}
		m.ToolCalls = []toolCall{made}
	}
}
