package model_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

var actTool = model.Tool{Name: "act", Description: "Acts.", Argument: "action", About: "an action"}

// acted are messages with a call and its answer.
var acted = []model.Message{
	{Role: model.User, Content: "go"},
	{Role: model.Assistant, Content: "I look.", Call: model.ToolCall{
		ID: "a1", Name: "act", Arguments: `{"action": "look"}`}},
	{Role: model.ToolResult, Content: "A room.", Call: model.ToolCall{ID: "a1", Name: "act"}},
}

const calledReply = `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[` +
	`{"id":"b2","type":"function","function":{"name":"act","arguments":"{\"action\": \"take key\"}"}},` +
	`{"id":"b3","type":"function","function":{"name":"act","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":2}}`

var calls = []model.ToolCall{{ID: "b2", Name: "act", Arguments: `{"action": "take key"}`}, {ID: "b3", Name: "act", Arguments: "{}"}}

func TestToolsOpenAI(t *testing.T) {
	server := recording(t, say(200, calledReply))
	c := open(t, model.Options{Spec: model.Spec{Provider: model.VLLM, Name: "m"}, BaseURL: server.URL})
	reply, err := c.Chat(t.Context(), model.Request{Messages: acted, Tool: actTool,
		Decoding: record.Decoding{TopP: 1, MaxTokens: 9}})
	if err != nil || reply.Text != "" || reply.Fault != "" || reply.Substitute != "" ||
		reply.FinishReason != "tool_calls" {
		t.Errorf("%+v, %v", reply, err)
	}
	sharedtest.Equal(t, cmp.Diff(calls, reply.Calls), "")
	want := `{"messages":[{"role":"user","content":"go"},` +
		`{"role":"assistant","content":"I look.","tool_calls":[{"id":"a1","type":"function","function":{"name":"act","arguments":"{\"action\": \"look\"}"}}]},` +
		`{"role":"tool","content":"A room.","tool_call_id":"a1"}],` +
		`"tools":[{"type":"function","function":{"name":"act","description":"Acts.","parameters":` +
		`{"properties":{"action":{"description":"an action","type":"string"}},"required":["action"],"type":"object"}}}]}`
	sameFields(t, server.all()[0].body, want)

	// Servers want the arguments of a call, also if the model gave none.
	empty := slices.Clone(acted)
	empty[1].Call.Arguments = ""
	if _, err := c.Chat(t.Context(), model.Request{Messages: empty, Tool: actTool,
		Decoding: record.Decoding{TopP: 1, MaxTokens: 9}}); err != nil {
		t.Error(err)
	}
	if body := server.all()[1].body; !strings.Contains(body, `"function":{"name":"act","arguments":""}`) {
		t.Error(body)
	}

	// Without a tool in the request, calls take the place of a text.
	reply, err = c.Chat(t.Context(), model.Request{Messages: acted[:1],
		Decoding: record.Decoding{TopP: 1, MaxTokens: 9}})
	if err != nil || reply.Calls != nil || reply.Fault != record.ToolCalls ||
		!strings.Contains(reply.Substitute, "take key") {
		t.Errorf("%+v, %v", reply, err)
	}
	if body := server.all()[2].body; strings.Contains(body, "tools") {
		t.Error(body)
	}
}

func TestToolsOllama(t *testing.T) {
	const chat = `{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"act","arguments":{"action":"take key"}}}]},` +
		`"done":true,"done_reason":"stop","prompt_eval_count":26,"eval_count":8}`
	server := recording(t, fakeOllama(func(w http.ResponseWriter, r *http.Request) { say(200, chat)(w, r) }))
	c := open(t, model.Options{Spec: model.Spec{Provider: model.Ollama, Name: "m"}, BaseURL: server.URL})
	reply, err := c.Chat(t.Context(), model.Request{Messages: acted, Tool: actTool,
		Decoding: record.Decoding{TopP: 1, MaxTokens: 9}})
	if err != nil || reply.Fault != "" || len(reply.Calls) != 1 || reply.Calls[0].Name != "act" || reply.Calls[0].Arguments != `{"action":"take key"}` {
		t.Errorf("%+v, %v", reply, err)
	}
	all := server.all()
	var body struct {
		Messages, Tools json.RawMessage
	}
	sharedtest.OK(t, json.Unmarshal([]byte(all[len(all)-1].body), &body))
	for _, want := range []string{`"tool_calls":[{"id":"a1","function":{"index":0,"name":"act","arguments":{"action":"look"}}}]`, `"role":"tool"`, `"tool_name":"act"`} {
		if !strings.Contains(string(body.Messages), want) {
			t.Errorf("messages lack %s: %s", want, body.Messages)
		}
	}
	for _, want := range []string{`"name":"act"`, `"required":["action"]`, `"description":"an action"`} {
		if !strings.Contains(string(body.Tools), want) {
			t.Errorf("tools lack %s: %s", want, body.Tools)
		}
	}
}

// sameFields compares the fields of a body that want has.
func sameFields(t *testing.T, body, want string) {
	t.Helper()
	var got, wanted map[string]any
	sharedtest.OK(t, json.Unmarshal([]byte(body), &got))
	sharedtest.OK(t, json.Unmarshal([]byte(want), &wanted))
	for name, value := range wanted {
		sharedtest.Same(t, got[name], value, name)
	}
}
