package model

import (
	"bytes"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"heldout/eval/record"
)

// Bodies are those of json.Marshal, whatever becomes of the conversation, and a
// body that is lent does not change.
func TestEncoder(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a", "<b>&\u2028", "\xff", "\xe2\x82", "\xac", "\"\\\n", "é", "�"}))
	message := rapid.Custom(func(t *rapid.T) Message {
		return Message{
			Role: rapid.SampledFrom([]Role{User, Assistant}).Draw(t, "role"), Content: text.Draw(t, "content"),
			Call: rapid.SampledFrom([]ToolCall{{}, {}, {}, {ID: "1", Name: "<"}}).Draw(t, "call"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		var e Encoder
		o := &openAI{spec: Spec{Provider: VLLM, Name: "<m>"}}
		messages := []Message{message.Draw(t, "first")}
		d := record.Decoding{MaxTokens: 9, TopP: 1, Stop: []string{"<"}}
		var lent, copies [][]byte
		for range rapid.IntRange(1, 12).Draw(t, "calls") {
			switch rapid.IntRange(0, 4).Draw(t, "change") {
			case 0, 1:
				messages = append(messages, message.Draw(t, "next"))
			case 2:
				last := &messages[len(messages)-1]
				last.Content += text.Draw(t, "more")
			case 3:
				messages = append([]Message{messages[0]}, messages[min(len(messages), 2):]...)
			case 4:
				d.Extra = map[string]any{rapid.SampledFrom([]string{"a", "seed", "z", "<"}).Draw(t, "field"): rapid.SampledFrom([]any{1, "<", nil, 0.1, map[string]any{"b": []any{"c"}}}).Draw(t, "value")}
			}
			req := Request{Messages: messages, Decoding: d, Seed: rapid.Int64Range(0, 99).Draw(t, "seed")}
			h := habit{keepsStops: rapid.Bool().Draw(t, "keeps stops")}
			if rapid.Bool().Draw(t, "drops all") {
				h.dropped = []string{"max_tokens", "model", "seed", "temperature", "top_p"}
			}
			want, err := o.body(req, h)
			if err != nil {
				t.Fatal(err)
			}
			req.Encoder = &e
			got, err := o.body(req, h)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%v\n%s\nwant\n%s", err, got, want)
			}
			if rapid.Bool().Draw(t, "given back") {
				e.giveBack(got)
			} else {
				lent, copies = append(lent, got), append(copies, bytes.Clone(got))
			}
		}
		for i := range lent {
			if !bytes.Equal(lent[i], copies[i]) {
				t.Fatalf("a body that was lent has become %s", lent[i])
			}
		}
	})
}

// A conversation that grows is not encoded anew, nor copied.
func TestEncoderContinues(t *testing.T) {
	var e Encoder
	f := &frame{head: []byte("["), middle: []byte("]")}
	messages := []Message{{Role: User, Content: "a long text"}}
	var last []byte
	for i, change := range []func(){
		func() {},
		func() { messages = append(messages, Message{Role: Assistant, Content: "b"}) },
		func() { messages[1].Content += "c" },
	} {
		change()
		body := e.encode(f, messages, 0)
		if !json.Valid(body) {
			t.Fatalf("%s", body)
		}
		if i > 0 && &body[0] != &last[0] {
			t.Errorf("call %d has a new body", i)
		}
		last = body
		e.giveBack(body)
	}
}
