package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"

	"pgregory.net/rapid"

	"heldout/scoring/record"
)

// Bodies are those of json.Marshal, whatever becomes of the conversation, and a
// body that is lent does not change.
func TestEncoder(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a", "<b>&\u2028", "\xff", "\xe2\x82", "\xac",
		"\"\\\n", "é", "�", strings.Repeat("plain é ", 20), strings.Repeat("a line\n", 20)}))
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
		var earlier []*body
		var texts [][]byte
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
				d.Extra = map[string]any{rapid.SampledFrom([]string{"a", "seed", "z", "<"}).Draw(t,
					"field"): rapid.SampledFrom([]any{1, "<", nil, 0.1, map[string]any{"b": []any{"c"}}}).Draw(t,
					"value")}
			}
			req := &Request{Messages: messages, Decoding: d, Seed: rapid.Int64Range(0, 99).Draw(t, "seed")}
			h := habit{keepsStops: rapid.Bool().Draw(t, "keeps stops")}
			if rapid.Bool().Draw(t, "drops all") {
				h.dropped = []string{"max_tokens", "model", "seed", "temperature", "top_p"}
			}
			want := bodyOf(t, o, req, h)
			req.Encoder = &e
			got := bodyOf(t, o, req, h)
			if text, size := read(t, got), want.size(); !bytes.Equal(text, read(t, want)) || got.size() != size {
				t.Fatalf("%d bytes\n%s\nwant %d\n%s", got.size(), text, size, read(t, want))
			}
			earlier, texts = append(earlier, got), append(texts, read(t, got))
		}
		for i := range earlier {
			if text := read(t, earlier[i]); !bytes.Equal(text, texts[i]) {
				t.Fatalf("an earlier body has become %s", text)
			}
		}
	})
}

func bodyOf(t *rapid.T, o *openAI, req *Request, h habit) *body {
	b, err := o.body(req, h)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// read reads a body in small pieces.
func read(t *rapid.T, b *body) []byte {
	text, err := io.ReadAll(iotest.OneByteReader(b.reader()))
	whole, err2 := io.ReadAll(b.reader())
	if err := errors.Join(err, err2); err != nil || !bytes.Equal(text, whole) {
		t.Fatal(err)
	}
	return text
}

// A conversation that grows is not encoded anew.
func TestEncoderContinues(t *testing.T) {
	var e Encoder
	messages := []Message{{Role: User, Content: "a long text"}}
	var last []string
	for i, change := range []func(){
		func() {},
		func() { messages = append(messages, Message{Role: Assistant, Content: "b"}) },
		func() { messages[1].Content += "c" },
		func() { messages = append(messages, Message{Role: User, Content: strings.Repeat("a plain text ", 9)}) },
		func() { messages[2].Content += "d" },
	} {
		change()
		pieces := e.encode(messages)
		if text := "[" + strings.Join(pieces, "") + "]"; !json.Valid([]byte(text)) {
			t.Fatalf("%s", text)
		}
		for j, piece := range last {
			if unsafe.StringData(piece) != unsafe.StringData(pieces[j]) {
				t.Errorf("call %d has a new piece %d", i, j)
			}
		}
		last = pieces
	}
}

// A text that is the same in JSON is in memory once.
func TestEncoderSharesPlainTexts(t *testing.T) {
	for text, want := range map[string]bool{
		strings.Repeat("a plain text ", 9): true, strings.Repeat("a line\n", 19): false, "a short text": false,
	} {
		var e Encoder
		pieces := e.encode([]Message{{Role: User, Content: text}})
		got := slices.ContainsFunc(pieces, func(piece string) bool {
			return unsafe.StringData(piece) == unsafe.StringData(text)
		})
		if got != want {
			t.Errorf("%q is shared: %v, want %v", text, got, want)
		}
	}
}
