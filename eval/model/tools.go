package model

import (
	"bytes"
	"encoding/json"

	"github.com/ollama/ollama/api"
	"github.com/sashabaranov/go-openai"

	"heldout/configs"
)

// ToolCall is a call of a tool. As part of a message of the role ToolResult it says which call the message answers.
type ToolCall struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	// Arguments are JSON, as far as the model wrote JSON.
	Arguments string `json:"arguments,omitempty"`
}

// Tool is a function that a model may call.
type Tool = configs.Tool

// schemaOf is the JSON Schema of a tool's argument.
func schemaOf(t Tool) map[string]any {
	argument := map[string]any{"type": "string"}
	if t.About != "" {
		argument["description"] = t.About
	}
	schema := map[string]any{"type": "object", "properties": map[string]any{t.Argument: argument}, "required": []string{
		t.Argument}}
	if t.Closed {
		schema["additionalProperties"] = false
	}
	return schema
}

// toolMessage is a message of a chat with a tool. The library's own types leave out a
// content and arguments that are empty, which servers refuse.
type toolMessage struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"` // null in a call without a text
	ToolCalls  []sentCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

// sentCall is a call of a message.
type sentCall struct {
	ID       string          `json:"id,omitempty"`
	Type     openai.ToolType `json:"type"`
	Function sentFunction    `json:"function"`
}

type sentFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// toolFields are tool and messages of a request.
func toolFields(req *Request) (tools []openai.Tool, messages []toolMessage) {
	tools = []openai.Tool{{Type: openai.ToolTypeFunction, Function: &openai.FunctionDefinition{
		Name: req.Tool.Name, Description: req.Tool.Description, Parameters: schemaOf(req.Tool),
	}}}
	for _, m := range req.Messages {
		sent := toolMessage{Role: string(m.Role), Content: &m.Content}
		switch {
		case m.Role == ToolResult:
			sent.ToolCallID = m.Call.ID
		case m.Call != ToolCall{}:
			sent.ToolCalls = []sentCall{{m.Call.ID, openai.ToolTypeFunction,
				sentFunction{m.Call.Name, m.Call.Arguments}}}
			if m.Content == "" {
				sent.Content = nil
			}
		}
		messages = append(messages, sent)
	}
	return tools, messages
}

// calledTools are the calls of a reply that can be read. Servers send arguments as a text or as an object.
func calledTools(sent json.RawMessage) (calls []ToolCall) {
	var listed []struct {
		ID       any `json:"id"`
		Function struct {
			Name      any             `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	}
	_ = readJSON(sent, &listed) // none if it is not a list
	for _, c := range listed {
		if name, ok := c.Function.Name.(string); ok {
			calls = append(calls, ToolCall{ID: textOf(c.ID), Name: name, Arguments: argumentsOf(c.Function.Arguments)})
		}
	}
	return calls
}

func argumentsOf(sent json.RawMessage) string {
	var text string
	var compact bytes.Buffer
	if json.Unmarshal(sent, &text) == nil || json.Compact(&compact, sent) != nil {
		return text
	}
	return compact.String()
}

// ollamaTools is a tool as Ollama has it.
func ollamaTools(t Tool) (tools api.Tools) {
	definition := map[string]any{"type": "function", "function": map[string]any{
		"name": t.Name, "description": t.Description, "parameters": schemaOf(t),
	}}
	b, _ := json.Marshal([]any{definition}) // texts and maps of texts are JSON
	_ = json.Unmarshal(b, &tools)           // it has Ollama's form
	return tools
}

// ollamaMessage is a message as Ollama has it. It has arguments as an object, and
// none if the model wrote something else.
func ollamaMessage(m Message) api.Message {
	sent := api.Message{Role: string(m.Role), Content: m.Content}
	switch {
	case m.Role == ToolResult:
		sent.ToolName, sent.ToolCallID = m.Call.Name, m.Call.ID
	case m.Call != ToolCall{}:
		call := api.ToolCall{ID: m.Call.ID, Function: api.ToolCallFunction{Name: m.Call.Name}}
		_ = json.Unmarshal([]byte(m.Call.Arguments), &call.Function.Arguments)
		sent.ToolCalls = []api.ToolCall{call}
	}
	return sent
}
