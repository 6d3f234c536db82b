package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heldout/eval/model"
	"heldout/scoring/record"
)

// said is what a model said, as a server sends it: a text, and reasoning in a field beside it.
type said struct {
	text, beside, field string
}

// asJSON writes an object with its fields in an order that is drawn.
func asJSON(t *rapid.T, fields map[string]any) string {
	var out []string
	for _, name := range rapid.Permutation(slices.Sorted(maps.Keys(fields))).Draw(t, "order") {
		value, err := json.Marshal(fields[name])
		if err != nil {
			panic(err) // texts, numbers and what is made of them
		}
		out = append(out, fmt.Sprintf("%q:%s", name, value))
	}
	return "{" + strings.Join(out, ",") + "}"
}

// cut cuts a text into so many pieces at most.
func cut(t *rapid.T, text string) (pieces []string) {
	runes := []rune(text)
	for len(runes) > 0 {
		n := rapid.IntRange(1, max(1, min(len(runes), 1+len(runes)/2))).Draw(t, "piece")
		pieces, runes = append(pieces, string(runes[:n])), runes[n:]
	}
	return pieces
}

// oneOf draws a value.
func oneOf[T any](t *rapid.T, label string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, label)
}

// content is a text in one of the forms that servers give it.
func (s said) content(t *rapid.T) any {
	var parts []any
	switch oneOf(t, "content", "text", "text", "parts", "texts", "part", "value") {
	case "parts":
		for _, p := range cut(t, s.text) {
			parts = append(parts, map[string]any{"type": "text", "text": p, "annotations": nil})
		}
		return append(parts, nil)
	case "texts":
		for _, p := range cut(t, s.text) {
			parts = append(parts, p)
		}
		return parts
	case "part":
		return map[string]any{"type": "output_text", "text": s.text}
	case "value":
		return []any{map[string]any{"type": "text", "text": map[string]any{"value": s.text, "annotations": []any{}}}}
	}
	return s.text
}

// whole is a reply as one piece of JSON.
func (s said) whole(t *rapid.T) string {
	message := map[string]any{"role": "assistant", "content": s.content(t), "refusal": oneOf[any](t, "refusal", nil,
		""),
		"tool_calls": oneOf[any](t, "calls", nil, []any{}), "annotations": []any{}}
	if s.field != "" {
		message[s.field] = s.beside
	}
	turn := map[string]any{oneOf(t, "message", "message", "message", "delta"): message, "finish_reason": oneOf[any](t,
		"finish", "stop", nil,
		"eos_token", 7)}
	if index := oneOf[any](t, "index", 0, "0", nil, "none"); index != "none" {
		turn["index"] = index
	}
	fields := map[string]any{"id": oneOf[any](t, "id", "x", 5, nil), "choices": []any{turn}, "created": oneOf[any](t,
		"created", 1, 1.5, "now"),
		"usage": oneOf[any](t, "usage", nil, []any{}, map[string]any{"prompt_tokens": "12", "completion_tokens": 3.0,
			"prompt_tokens_details": []any{}}),
		"error":    oneOf[any](t, "error", nil, "", false, map[string]any{}, map[string]any{"message": "", "code": 0}),
		"x_vendor": map[string]any{"error": "no"}}
	return oneOf(t, "before", "", "\n \n", "\ufeff") + asJSON(t, fields) + oneOf(t, "after", "", "\n",
		"\n\ndata: [DONE]\n")
}

// stream is a reply as events, as servers write them: with comments, with and without blanks and blank
// lines, their JSON on several lines.
func (s said) stream(t *rapid.T) string {
	var events []map[string]any
	add := func(delta, finish any) {
		turn := map[string]any{"delta": delta, "finish_reason": finish}
		if index := oneOf[any](t, "index", 0, "0", nil, "none"); index != "none" {
			turn["index"] = index
		}
		events = append(events, map[string]any{"choices": []any{turn}, "usage": nil, "error": nil})
	}
	if oneOf(t, "filter", false, true) {
		events = append(events, map[string]any{"choices": []any{}, "prompt_filter_results": []any{1}})
	}
	add(map[string]any{"role": "assistant", "content": oneOf[any](t, "first", "", nil)}, nil)
	if s.field != "" {
		for _, p := range cut(t, s.beside) {
			add(map[string]any{s.field: p, "content": nil}, nil)
		}
	}
	so, cumulates := "", oneOf(t, "cumulates", false, false, true)
	for _, p := range cut(t, s.text) {
		so += p
		add(map[string]any{"content": p}, oneOf[any](t, "running", nil, ""))
		if cumulates { // both, as Perplexity sends them
			events[len(events)-1]["choices"].([]any)[0].(map[string]any)["message"] = map[string]any{"content": so}
		}
	}
	ends := oneOf(t, "ends", "finish", "finish and mark", "mark", "usage")
	if strings.HasPrefix(ends, "finish") {
		add(map[string]any{}, "stop")
	}
	if oneOf(t, "counts", false, true) || ends == "usage" {
		events = append(events, map[string]any{"choices": []any{}, "usage": map[string]any{"prompt_tokens": 12,
			"completion_tokens": 3}})
	}
	end, between := oneOf(t, "line", "\n", "\r\n", "\r"), oneOf(t, "between", 1, 2)
	var b strings.Builder
	b.WriteString(oneOf(t, "start", "", "\ufeff", ": ping"+end+end, end+end, "retry: 100"+end))
	for _, e := range events {
		text := asJSON(t, e)
		spread := between == 2 && oneOf(t, "spread", false, false, true)
		if spread {
			var indented bytes.Buffer
			if err := json.Indent(&indented, []byte(text), "", "  "); err != nil {
				panic(err) // it is JSON
			}
			text = indented.String()
		}
		b.WriteString(oneOf(t, "event", "", "", "event: message"+end, "id: 5"+end, ": keep-alive"+end))
		data := oneOf(t, "blank", "data: ", "data:")
		b.WriteString(data + strings.ReplaceAll(text, "\n", end+data) + strings.Repeat(end, between))
	}
	if strings.HasSuffix(ends, "mark") {
		b.WriteString("data: [DONE]" + oneOf(t, "last", "", end, end+end))
	}
	return b.String()
}

// answer is what a client makes of a reply in one of the forms.
func (s said) answer(t *rapid.T, req model.Request) model.Reply {
	body, kind := "", "application/json"
	if oneOf(t, "form", "whole", "pieces") == "pieces" {
		body, kind = s.stream(t), oneOf(t, "kind", "text/event-stream", "application/json",
			"text/event-stream; charset=utf-8", "")
	} else {
		body, kind = s.whole(t), oneOf(t, "kind", "application/json", "text/plain", "text/event-stream")
	}
	reply, err := receive(t, body, kind, req)
	if err != nil {
		t.Fatalf("%v of %q (%s)", err, body, kind)
	}
	return reply
}

// receive is what a client makes of the body of a reply at the first attempt.
func receive(t *rapid.T, body, kind string, req model.Request) (model.Reply, error) {
	c, err := model.Open(model.Options{Spec: vllmSpec, BaseURL: "http://h/v1", Retry: model.Retry{Attempts: 1},
		Now: time.Now,
		Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return respond(200, body, "Content-Type", kind), nil
		})})
	if err != nil {
		t.Fatal(err)
	}
	return c.Chat(t.Context(), req)
}

// A text comes through whatever a server sends around it and however it cuts it.
func TestFormsOfReplies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := said{text: rapid.StringMatching(`[a-z"\\{}é盒😀 :\n\[\]]{0,40}[a-z]`).Draw(t, "text")}
		s.text = strings.TrimSpace(s.text)
		if oneOf(t, "reasons", false, true) {
			s.field, s.beside = oneOf(t, "field", "reasoning_content", "reasoning", "thinking"), "I see: data: {"
		}
		reply := s.answer(t, hello)
		if reply.Text != s.text || reply.Reasoning != s.beside || reply.Fault != "" {
			t.Fatalf("%+v, want %+v", reply, s)
		}
	})
}

// Nothing is made of replies without a message, of streams that break off or report an error, and of
// what is no reply.
func TestNothingIsMadeUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream := said{text: "Action: go"}.stream(t)
		last := len(stream) // of what ends before its end
		for _, end := range []string{`"stop"`, "[DONE]", `"completion_tokens"`} {
			if at := strings.Index(stream, end); at >= 0 {
				last = min(last, at)
			}
		}
		at := rapid.IntRange(0, last).Draw(t, "at")
		body := oneOf(t, "body", stream[:at], stream[:at]+"\n\ndata: {\"error\":{\"message\":\"lost\"}}\n\n", `{"choices":[]}`, `{"choices":null}`,
			`{"choices":[null]}`, `{"choices":[{"message":"Action: go"}]}`, `{"choices":[{"message":{"content":7}}]}`, "data: [DONE]\n",
			"data: {\"choices\":[]}\n\ndata: [DONE]\n", "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"go\"}}]}\n\ndata: [DONE]\n",
			"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":{}},{\"index\":{}},{\"index\":[1]}]},\"finish_reason\":\"stop\"}]}\n",
			`{"error":{"message":"busy"},"choices":[{"message":{"content":"go"}}]}`, "", "null", "[]", strings.Repeat("data: [1,\n", 5000))
		reply, err := receive(t, body, oneOf(t, "kind", "text/event-stream", "application/json"), hello)
		if err == nil && strings.TrimSpace(reply.Text) != "" {
			t.Fatalf("%q of %q", reply.Text, body)
		}
		if err == nil && reply.Fault == "" {
			t.Fatalf("%+v of %q has no fault", reply, body)
		}
	})
}

// tags are pairs around reasoning, as models write them.
var tags = [][2]string{{"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"<thought>", "</thought>"},
	{"<reasoning>", "</reasoning>"},
	{"<seed:think>", "</seed:think>"}, {"<Think>", "</Think>"}, {`<think lang="en">`, "</think >"}, {"[THINK]", "[/THINK]"},
	{"◁think▷", "◁/think▷"}, {"<|begin_of_thought|>", "<|end_of_thought|>"}, {"<|START_THINKING|>", "<|END_THINKING|>"},
	{"<|channel>thought", "<channel|>"}, {"<unused94>thought", "<unused95>"}, {"<scratchpad>", "</scratchpad>"}}

const (
	answeredText = "Thought: I see.\nAction: go"
	plainly      = "I could wait first."
	wrongly      = "I could wait first.\nAction: wait"
)

// readsAsReply is what the parser of a protocol says.
func readsAsReply(text string) bool {
	return strings.HasPrefix(text, "Action: ") || strings.Contains(text, "\nAction: ")
}

// The parts of a reply with reasoning.
const (
	opening = iota
	closing
	thought
	answer
)

// groups says in which group each part is, or -1 for reasoning: what is between an opening tag and the next
// closing one, or the end. Any other closing tag begins a group.
func groups(parts []int) (of []int, last int) {
	inside := false
	for _, p := range parts {
		switch {
		case p == opening:
			inside = true
		case p == closing && inside:
			inside = false
		case p == closing:
			last++
		}
		if of = append(of, last); inside {
			of[len(of)-1] = -1
		}
	}
	return of, last
}

// played says whether the reply is in the last group, and whether it has an answer. What is before the last group
// is reasoning, unless nothing is in that: then the last answer is the reply, though a closing tag follows it.
func played(parts []int) (behind bool, answers bool) {
	of, last := groups(parts)
	for i, p := range parts {
		if of[i] == last && p >= thought {
			behind = true
		}
	}
	for i, p := range parts {
		answers = answers || p == answer && of[i] >= 0 && (!behind || of[i] == last)
	}
	return behind, answers
}

// tagged writes parts with tags of one kind or of several. Thoughts within tags may speak of an action, and so
// may those outside if the answer stands behind them.
func tagged(t *rapid.T, parts []int, kinds [][2]string) string {
	behind, answers := played(parts)
	of, last := groups(parts)
	var b strings.Builder
	for i, part := range parts {
		kind := oneOf(t, "kind", kinds...)
		text := oneOf(t, "thought", plainly, wrongly)
		switch {
		case part == opening:
			b.WriteString(kind[0] + oneOf(t, "blank", "\n", "\n\n"))
			continue
		case part == closing:
			b.WriteString(kind[1] + oneOf(t, "blank", "", "\n", "\n\n"))
			continue
		case of[i] < 0:
		case part == answer:
			text = answeredText
		case of[i] == last || !behind || !answers:
			text = plainly
		}
		if s := b.String(); s != "" && !strings.HasSuffix(s, "\n") && !strings.HasSuffix(s, ">") {
			b.WriteString("\n")
		}
		b.WriteString(text + oneOf(t, "blank", "", "\n"))
	}
	return b.String()
}

// Whatever tags stand where, and whatever reasoning stands beside them, what is played is the answer, and
// nothing within reasoning is.
func TestTagsAtEveryPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]int{opening, closing, thought, answer}), 1, 7).Draw(t, "parts")
		kinds := [][2]string{oneOf(t, "pair", tags...)}
		if oneOf(t, "mixed", false, false, true) {
			kinds = tags
		}
		_, want := played(parts)
		s := said{text: tagged(t, parts, kinds) + oneOf(t, "end", "", "", "<|im_end|>", "</s>\n",
			"\nObservation: It is open.\nAction: wait")}
		if oneOf(t, "beside", false, false, true) {
			s.field, s.beside = oneOf(t, "field", "reasoning_content", "reasoning", "thinking"), wrongly
		}
		req := hello
		req.Decoding.Stop, req.Reads = []string{"\nObservation:"}, readsAsReply
		reply := s.answer(t, req)
		if got := strings.Contains(reply.Text, "Action: go"); got != want || strings.Contains(reply.Text,
			"Action: wait") {
			t.Fatalf("%q gives %q, beside %q; want the answer: %v", s.text, reply.Text, reply.Reasoning, want)
		}
		if want && strings.Contains(reply.Reasoning, "Action: go") && strings.Count(s.text, "Action: go") == 1 {
			t.Fatalf("%q: the answer is reasoning, too: %q", s.text, reply.Reasoning)
		}
	})
}

// A reply that the server took for reasoning with the tag before it is the reply.
func TestTagBesideTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pair := oneOf(t, "pair", tags...)
		s := said{field: oneOf(t, "field", "reasoning_content", "reasoning", "thinking"),
			beside: oneOf(t, "open", "", pair[0]+"\n") + wrongly + "\n" + pair[1] + "\n" + answeredText}
		req := hello
		req.Reads = readsAsReply
		if reply := s.answer(t, req); reply.Text != answeredText || reply.Reasoning != wrongly || reply.Fault != "" {
			t.Fatalf("%q gives %+v", s.beside, reply)
		}
		s.beside, req.Reads = wrongly, readsAsReply
		if reply := s.answer(t, req); reply.Text != "" || reply.Fault != record.OnlyReasoning {
			t.Fatalf("%q gives %+v", s.beside, reply)
		}
	})
}

// Channels of gpt-oss with tokens that are absent, doubled or in the wrong place.
func TestChannels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		end, start := oneOf(t, "end", "<|end|>", "<|end|>\n", ""), oneOf(t, "start", "<|start|>assistant", "")
		mark := oneOf(t, "mark", "<|message|>", "<|message|>", "")
		text := oneOf(t, "first", "", "<|start|>assistant")
		for range rapid.IntRange(0, 2).Draw(t, "thoughts") {
			text += "<|channel|>analysis" + mark + wrongly + end + start
		}
		switch form := oneOf(t, "form", "final", "constrained", "comment", "bare", "none"); {
		case form == "final":
			text += "<|channel|>final" + mark + answeredText
		case form == "constrained":
			text += "<|channel|>final <|constrain|>text<|message|>" + answeredText
		case form == "comment":
			text += "<|channel|>commentary" + mark + answeredText
		case form == "bare" && strings.Contains(text, "<|channel|>") && end != "":
			text += oneOf(t, "message", "<|message|>", "") + answeredText
		default:
			if reply := (said{text: text}).answer(t, hello); strings.Contains(reply.Text, "Action") {
				t.Fatalf("%q gives %q", text, reply.Text)
			}
			return
		}
		text += oneOf(t, "return", "<|return|>", "<|end|>", "")
		if reply := (said{text: text}).answer(t, hello); reply.Text != answeredText {
			t.Fatalf("%q gives %q", text, reply.Text)
		}
	})
}
