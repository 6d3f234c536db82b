package agent

import (
	"context"
	"slices"
	"strings"
	"testing"

	"heldout/configs"
	"heldout/envs"
	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// fakeModel is a server that keeps what it was asked. Its tokens are bytes, and four more a message.
type fakeModel struct {
	answer   func(call int, req model.Request) (model.Reply, error) // call counts from 0
	requests []model.Request
}

func (f *fakeModel) Chat(_ context.Context, req model.Request) (model.Reply, error) {
	f.requests = append(f.requests, req)
	return f.answer(len(f.requests)-1, req)
}

// fakeTokens counts a prompt as the fake model does.
func fakeTokens(messages []model.Message) int {
	n := 0
	for _, m := range messages {
		n += 4 + len(m.Content)
	}
	return n
}

// says answers with these texts, one after the other.
func says(texts ...string) *fakeModel {
	return &fakeModel{answer: func(call int, req model.Request) (model.Reply, error) {
		return model.Reply{
			Text: texts[call%len(texts)], PromptTokens: fakeTokens(req.Messages),
			CompletionTokens: len(texts[call%len(texts)]), Attempts: 1,
		}, nil
	}}
}

func chat(m model.Model) Chat {
	return Chat{Model: m, Request: model.Request{Decoding: record.Decoding{TopP: 1, MaxTokens: 100}},
		StepSeed: func(step int) int64 { return int64(1000 + step) }}
}

var instructions = configs.Instructions{
	System:      "You are careful.",
	Instruction: "Open the box.\nBe quick.\n",
	Examples: []configs.Example{
		{
			Goal: "Open the bag.", Observation: "You see a bag.",
			Steps: []configs.ExampleStep{
				{Thought: "It is shut.", Action: "open bag", Observation: "It is locked."},
				{Action: "unlock bag", Observation: "It is open."},
			},
		},
		{Text: "Observation: You see a jar.\nAction: open jar"},
	},
}

var start = envs.Start{Goal: "The box is open.", Observation: "You see a box."}

// move makes a move and fails the test on an error.
func move(t *testing.T, a Agent) Move {
	t.Helper()
	return sharedtest.Must(a.Act(context.Background()))(t)
}

// continues reports whether messages begin with all of earlier.
func continues(earlier, messages []model.Message) bool {
	return len(earlier) <= len(messages) && slices.Equal(earlier, messages[:len(earlier)])
}

// contents joins what messages say.
func contents(messages []model.Message) string {
	var out []string
	for _, m := range messages {
		out = append(out, string(m.Role)+": "+m.Content)
	}
	return strings.Join(out, "\n---\n")
}
