package agent

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/configs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

var actCall = configs.Tool{Name: "act", Argument: "action"}

func TestCallParser(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Name, Arguments, Action string
		Ok                      bool
	}](t, "calls.yaml") {
		reply := callReply{" I see. ", model.ToolCall{ID: "1", Name: c.Name, Arguments: c.Arguments}}.text()
		got, ok := parseCall(reply, 1)
		occasion := ""
		if !c.Ok {
			occasion = badCall
		}
		if got != (parsed{thought: "I see.", action: c.Action, occasion: occasion}) || ok != c.Ok {
			t.Errorf("%s(%s): %+v, %v, want %q, %v", c.Name, c.Arguments, got, ok, c.Action, c.Ok)
		}
	}
}

// A reply without a call is no bad call.
func TestNoCall(t *testing.T) {
	if got, ok := parseCall(callReply{Content: "I see."}.text(), 1); ok || got.occasion != "" {
		t.Errorf("%+v, %v", got, ok)
	}
}

// A call that cannot be read stays without an answer if the preset has a message for it.
func TestBadCallStaysUnanswered(t *testing.T) {
	play := chatPlay()
	play.Agent = configs.AgentForm{Form: configs.ToolCall, Tool: actCall}
	play.Reply = configs.ReplyRules{Parser: configs.ToolCall, OnFailure: configs.Tell, Messages: map[string]string{
		"format": "Call act.", "call": "Call it well."}}
	m := &fakeModel{answer: func(int, model.Request) (model.Reply, error) {
		return model.Reply{Calls: []model.ToolCall{{ID: "x", Name: "act", Arguments: "{}"}}, Attempts: 1}, nil
	}}
	a := newForm(t, chat(m), play, nil)
	a.Observe(move(t, a).Correction)
	move(t, a)
	want := []model.Message{
		{Role: model.Assistant, Call: model.ToolCall{ID: "call_1", Name: "act", Arguments: "{}"}},
		{Role: model.User, Content: "Call it well."},
	}
	sharedtest.Equal(t, cmp.Diff(want, m.requests[1].Messages[1:]), "")
}

// A model that acts by calls gets answers to them. A reply without a call, or with
// one that cannot be read, is unreadable, and a step.
func TestToolCallForm(t *testing.T) {
	play := chatPlay()
	play.Agent = configs.AgentForm{Form: configs.ToolCall, Tool: actCall}
	play.Reply = configs.ReplyRules{Parser: configs.ToolCall, OnFailure: configs.Tell, Messages: map[string]string{
		"format": "Call act."}}
	call := func(id, arguments string) model.Reply {
		return model.Reply{Calls: []model.ToolCall{{ID: id, Name: "act", Arguments: arguments},
			{ID: "second", Name: "act"}}, Attempts: 1}
	}
	replies := []model.Reply{call("x1", `{"action": "open box"}`), {Text: "I do not know.", Attempts: 1},
		call("", `{}`), call("x4", `{"action": "look"}`)}
	m := &fakeModel{answer: func(n int, req model.Request) (model.Reply, error) {
		sharedtest.Equal(t, req.Tool.Name, "act", "call offers the tool", n, req.Tool)
		return replies[n], nil
	}}
	a := newForm(t, chat(m), play, nil)
	var actions []string
	errors := 0
	for range replies {
		got := move(t, a)
		if actions = append(actions, got.Action+got.Correction); got.FormatError {
			errors++
			sharedtest.Equal(t, got.Fault, record.NoAction, "the fault is")
		}
		a.Observe("seen")
	}
	if want := []string{"open box", "Call act.", "Call act.", "look"}; !slices.Equal(actions, want) || errors != 2 {
		t.Errorf("actions %q with %d errors, want %q", actions, errors, want)
	}
	want := []model.Message{
		{Role: model.Assistant, Call: model.ToolCall{ID: "call_1", Name: "act", Arguments: `{"action": "open box"}`}},
		{Role: model.ToolResult, Content: "seen", Call: model.ToolCall{ID: "call_1", Name: "act"}},
		{Role: model.Assistant, Content: "I do not know."},
		{Role: model.User, Content: "seen"},
		{Role: model.Assistant, Call: model.ToolCall{ID: "call_3", Name: "act", Arguments: "{}"}},
		{Role: model.ToolResult, Content: "seen", Call: model.ToolCall{ID: "call_3", Name: "act"}},
	}
	sharedtest.Equal(t, cmp.Diff(want, m.requests[3].Messages[1:]), "")
}
