package model_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

const usableText = "Thought: I go.\nAction: \"go\" NaN, Infinity"

// sideReplies are whole replies by protocol; the text is usableText.
var sideReplies = map[string]string{
	"chat": `{"id":"x","object":"chat.completion","created":1,"model":"m","system_fingerprint":"f","choices":[{"index":0,` +
		`"logprobs":null,"finish_reason":"stop","stop_reason":null,"message":{"role":"assistant","content":TEXT,"refusal":null,` +
		`"reasoning_content":"r","reasoning":null,"annotations":[],"tool_calls":[{"id":"1","type":"function","function":` +
		`{"name":"go","arguments":"{}"}}],"function_call":null}}],"usage":{"prompt_tokens":9,"completion_tokens":5,` +
		`"prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":2}},"timings":{"cache_n":4}}`,
	"completions": `{"id":"x","object":"text_completion","created":1,"choices":[{"index":0,"text":TEXT,"logprobs":{},` +
		`"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":5}}`,
	"Ollama": `{"model":"m","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":TEXT,"thinking":"t",` +
		`"images":[],"tool_calls":[{"function":{"name":"go","arguments":{}}}]},"done":true,"done_reason":"stop",` +
		`"total_duration":5,"load_duration":1,"prompt_eval_count":9,"eval_count":5}`,
}

// odd draws a JSON value, among them numbers that are none of JSON's.
func odd(rng *rand.Rand, depth int) any {
	n := rng.IntN(14)
	if depth == 0 {
		n %= 11
	}
	switch n {
	case 11, 12:
		return []any{odd(rng, depth-1), odd(rng, depth-1)}
	case 13:
		return map[string]any{"a": odd(rng, depth-1), "text": odd(rng, depth-1)}
	}
	plain := []any{nil, true, json.Number(strconv.Itoa(rng.IntN(1000))), json.Number("50.0"), json.Number("-7"),
		json.Number("2.5"), "50", "x", json.Number("1e300"), "", json.Number("12345678901234567890")}
	return plain[n]
}

// replaceSides puts odd values in place of some fields that are not the text, nor say that there is none.
func replaceSides(rng *rand.Rand, v map[string]any) {
	for name, value := range maps.All(v) {
		switch name {
		case "content", "text", "done", "error":
			continue
		}
		inner, isMap := value.(map[string]any)
		list, isList := value.([]any)
		switch {
		case name == "message":
			replaceSides(rng, inner)
		case name == "choices":
			for _, choice := range list {
				replaceSides(rng, choice.(map[string]any))
			}
			v[name] = append(list, odd(rng, 2))
		case rng.IntN(3) == 0:
			v[name] = odd(rng, 2)
		case isMap:
			replaceSides(rng, inner)
		case isList && len(list) > 0 && rng.IntN(2) == 0:
			list[0] = odd(rng, 2)
		}
	}
}

// wholeNumber is the number of tokens that a value states, or 0 if it does not state one.
func wholeNumber(value any) int {
	text := fmt.Sprint(value)
	if n, err := strconv.ParseFloat(text, 64); err == nil && n == math.Trunc(n) && n > 0 && n < 1<<31 {
		return int(n)
	}
	return 0
}

func TestNoUsableTextIsLost(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	text, _ := json.Marshal(usableText)
	for protocol, whole := range sideReplies {
		var body string
		spec, req := vllmSpec, hello
		if protocol == "Ollama" {
			spec = ollamaSpec
		}
		req.Completion = protocol == "completions"
		client := open(t, model.Options{Spec: spec, ContextLimit: 1 << 40, Retry: model.Retry{Attempts: 1},
			Transport: roundTrip(func(*http.Request) (*http.Response, error) { return respond(200, body), nil })})
		for range sharedtest.Times(t, 10_000, 1000) {
			var v map[string]any
			sharedtest.OK(t, json.Unmarshal([]byte(strings.ReplaceAll(whole, "TEXT", string(text))), &v))
			replaceSides(rng, v)
			encoded := sharedtest.Must(json.Marshal(v))(t)
			body = strings.Replace(string(encoded), `:true`, []string{`:true`, `:NaN`, `:-Infinity`}[rng.IntN(3)], 1)
			body = strings.Replace(body, `"done":NaN`, `"done":true`, 1)
			body = strings.Replace(body, `"done":-Infinity`, `"done":true`, 1)
			reply, err := client.Chat(t.Context(), req)
			if err != nil || reply.Text != usableText {
				t.Fatalf("%s: %v, %q of %s", protocol, err, reply.Text, body)
			}
			usage, _ := v["usage"].(map[string]any)
			prompt, completion := usage["prompt_tokens"], usage["completion_tokens"]
			if protocol == "Ollama" {
				prompt, completion = v["prompt_eval_count"], v["eval_count"]
			}
			if reply.PromptTokens != wholeNumber(prompt) || reply.CompletionTokens != wholeNumber(completion) {
				t.Fatalf("%s: %d and %d tokens of %s", protocol, reply.PromptTokens, reply.CompletionTokens, body)
			}
		}
	}
}

func TestRepliesWithoutAMessage(t *testing.T) {
	const choices = `{"choices":[],"usage":{"prompt_tokens":1}}`
	for _, test := range []struct {
		name, body string
		attempts   int
		want       model.Reply
	}{
		{"no choice", choices, 3, model.Reply{PromptTokens: 1, Fault: record.NoContent}},
		{"an empty choice", `{"choices":[{}]}`, 3, model.Reply{Fault: record.NoContent}},
		{"filtered", `{"choices":[{"finish_reason":"content_filter"}],"usage":{"prompt_tokens":"5"}}`, 1,
			model.Reply{FinishReason: "content_filter", PromptTokens: 5, Fault: record.Refused}},
	} {
		server := recording(t, say(200, test.body))
		got, err := open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), hello)
		test.want.Attempts, got.Latency = test.attempts, 0
		if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", test.name, err, diff)
		}
	}
	server := recording(t, say(200, choices), say(200, vllmReply))
	// The second try comes at once.
	slow := model.Options{BaseURL: server.URL, Retry: model.Retry{FirstWait: time.Hour, MaxWait: time.Hour}}
	reply, err := open(t, slow).Chat(t.Context(), hello)
	if err != nil || reply.Text != "Action: go" || reply.Attempts != 2 {
		t.Errorf("%+v, %v; want the reply of the second try", reply, err)
	}
}

func TestToolCallsMustBeReadableOnlyIfAskedFor(t *testing.T) {
	const object = `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1","function":{"name":"act",` +
		`"arguments":{"action": "take key"}}}]},"finish_reason":"tool_calls"}]}`
	asked := hello
	asked.Tool = actTool
	server := recording(t, say(200, object))
	reply, err := open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), asked)
	want := []model.ToolCall{{ID: "1", Name: "act", Arguments: `{"action":"take key"}`}}
	if diff := cmp.Diff(want, reply.Calls); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if reply, err = open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), hello); err != nil ||
		reply.Fault != record.ToolCalls {
		t.Errorf("not asked for: %+v, %v", reply, err)
	}
	server = recording(t, say(200, strings.Replace(object, `"function":{`, `"function":5,"f":{`, 1)))
	_, err = open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), asked)
	as[*model.UnavailableError](t, err)
}

func TestPassingRefusals(t *testing.T) {
	for _, status := range []int{409, 424, 425} {
		_, err := open(t, model.Options{BaseURL: recording(t, say(status, "no")).URL}).Chat(t.Context(), hello)
		as[*model.UnavailableError](t, err)
	}
	// One that has given a reply is gone for a moment, unless it says that it lacks the model.
	server := recording(t, say(404, "default backend - 404"), say(200, vllmReply), say(404, "default backend - 404"),
		say(404, `{"error":"model 'm' not found"}`))
	c := open(t, model.Options{BaseURL: server.URL})
	as[*model.RequestError](t, sharedtest.Err(c.Chat(t.Context(), hello)))
	sharedtest.OK(t, sharedtest.Err(c.Chat(t.Context(), hello)))
	as[*model.UnavailableError](t, sharedtest.Err(c.Chat(t.Context(), hello)))
	as[*model.RequestError](t, sharedtest.Err(c.Chat(t.Context(), hello)))
}

func TestFullContextsWithoutARefusal(t *testing.T) {
	const full = `{"choices":[{"message":{"content":%q},"finish_reason":"model_context_window_exceeded"}]}`
	const lmDeploy = `{"choices":[{"message":{"content":""},"finish_reason":"length"}],"usage":{"prompt_tokens":900}}`
	server := recording(t, say(200, lmDeploy), say(200, fmt.Sprintf(full, "")), say(200, fmt.Sprintf(full, "Action")),
		say(500, `{"error":"prediction aborted, token repeat limit reached"}`))
	c := open(t, model.Options{BaseURL: server.URL})
	for range 2 {
		as[*model.ContextError](t, sharedtest.Err(c.Chat(t.Context(), hello)))
	}
	if reply, err := c.Chat(t.Context(), hello); err != nil || reply.Fault != record.CutOff {
		t.Errorf("%+v, %v; want a text that is cut off", reply, err)
	}
	if reply, err := c.Chat(t.Context(), hello); err != nil || reply.Fault != record.Empty {
		t.Errorf("%+v, %v; want an empty reply, which repeated itself", reply, err)
	}
}

func TestContextsInCards(t *testing.T) {
	for card, want := range map[string]int{
		`{"id":"m","context_length":1200}`: 1200, `{"id":"m","context_window":"1200"}`: 1200,
		`{"id":"m","max_context_length":2400,"loaded_context_length":1200}`: 1200,
		`{"id":"m","max_model_len":null,"parent":"b"}`:                      4096,
		`{"id":"m","parent":"other"}`:                                       0,
		`{"id":"m:latest","context_length":1200}`:                           1200,
	} {
		list := `[{"id":"b","max_model_len":4096},` + card + `]`
		for _, body := range []string{`{"data":` + list + `}`, list} {
			server := recording(t, say(200, body))
			c := open(t, model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "m"}, BaseURL: server.URL})
			sharedtest.Equal(t, sharedtest.Must(c.Server(t.Context()))(t).ContextLength, want, body)
		}
	}
}

func TestFieldsBesideOllamasOptions(t *testing.T) {
	server := recording(t, say(200, ollamaReply))
	req := hello
	req.Decoding.Extra = map[string]any{"keep_alive": "30m", "format": "json"}
	c := open(t, model.Options{Spec: ollamaSpec, BaseURL: server.URL, ContextLimit: 100})
	sharedtest.OK(t, sharedtest.Err(c.Chat(t.Context(), req)))
	var body struct {
		KeepAlive string         `json:"keep_alive"`
		Format    string         `json:"format"`
		Options   map[string]any `json:"options"`
	}
	if err := json.Unmarshal([]byte(server.all()[0].body), &body); err != nil || body.KeepAlive != "30m" ||
		body.Format != "json" || body.Options["keep_alive"] != nil || body.Options["format"] != nil {
		t.Errorf("%v: %s", err, server.all()[0].body)
	}
}
