package model_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"heldout/eval/model"
	"heldout/scoring/record"
)

func TestOpenAIWire(t *testing.T) {
	messages := []model.Message{
		{Role: model.System, Content: "be brief"},
		{Role: model.User, Content: "a <b> & \"c\"\n"},
		{Role: model.Assistant, Content: ""},
		{Role: model.User, Content: "é\u2028"},
	}
	const sent = `"messages":[{"role":"system","content":"be brief"},{"role":"user","content":"a \u003cb\u003e \u0026 \"c\"\n"},` +
		`{"role":"assistant","content":""},{"role":"user","content":"é\u2028"}]`
	tests := []struct {
		name     string
		model    string
		decoding record.Decoding
		seed     int64
		want     string
	}{
		{
			name:     "zeros are sent and stop is absent",
			model:    "m",
			decoding: record.Decoding{Temperature: 0, TopP: 1, MaxTokens: 1},
			want:     `{"max_tokens":1,` + sent + `,"model":"m","seed":0,"stream":false,"temperature":0,"top_p":1}`,
		},
		{
			name:  "numbers keep their digits",
			model: "m",
			decoding: record.Decoding{Temperature: 0.7, TopP: 0.95, MaxTokens: 512,
				Stop: []string{"\nObservation:", "</s>"}},
			seed: 2147483647,
			want: `{"max_tokens":512,` + sent + `,"model":"m","seed":2147483647,"stop":["\nObservation:","\u003c/s\u003e"],` +
				`"stream":false,"temperature":0.7,"top_p":0.95}`,
		},
		{
			name:  "extra fields win and null takes away",
			model: "m",
			decoding: record.Decoding{Temperature: 0.1, TopP: 1, MaxTokens: 8, Stop: []string{"x"},
				Extra: map[string]any{
					"top_k": 20, "min_p": 0.05, "repetition_penalty": 1.1, "temperature": 0.3, "seed": nil, "stop": nil,
					"max_tokens":            nil,
					"max_completion_tokens": 9, "chat_template_kwargs": map[string]any{"enable_thinking": false},
					"absent": nil,
				}},
			seed: 5,
			want: `{"chat_template_kwargs":{"enable_thinking":false},"max_completion_tokens":9,` + sent +
				`,"min_p":0.05,"model":"m","repetition_penalty":1.1,"stream":false,"temperature":0.3,"top_k":20,"top_p":1}`,
		},
		{
			name:     "a name that the library has opinions on",
			model:    "o1-mini",
			decoding: record.Decoding{Temperature: 0.5, TopP: 0.5, MaxTokens: 4},
			want:     `{"max_tokens":4,` + sent + `,"model":"o1-mini","seed":0,"stream":false,"temperature":0.5,"top_p":0.5}`,
		},
		{
			name:     "one that it takes for a model without chat",
			model:    "text-davinci-003",
			decoding: record.Decoding{Temperature: 0.5, TopP: 0.5, MaxTokens: 4},
			want:     `{"max_tokens":4,` + sent + `,"model":"text-davinci-003","seed":0,"stream":false,"temperature":0.5,"top_p":0.5}`,
		},
		{
			name:     "another",
			model:    "gpt-5",
			decoding: record.Decoding{Temperature: 0, TopP: 0.5, MaxTokens: 4},
			want:     `{"max_tokens":4,` + sent + `,"model":"gpt-5","seed":0,"stream":false,"temperature":0,"top_p":0.5}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := recording(t, say(200, vllmReply))
			c := open(t, model.Options{
				Spec: model.Spec{Provider: model.OpenAI, Name: test.model}, BaseURL: server.URL + "/v1/",
				Key: model.NewSecret(key),
			})
			reply, err := c.Chat(t.Context(),
				model.Request{Messages: messages, Decoding: test.decoding, Seed: test.seed})
			if err != nil {
				t.Fatal(err)
			}
			want := []recorded{{"POST", "/v1/chat/completions", "Bearer " + key, test.want}}
			if diff := cmp.Diff(want, server.all(), cmp.AllowUnexported(recorded{})); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
			reply.Latency = 0
			wantReply := model.Reply{Text: "Action: go", FinishReason: "stop", PromptTokens: 11, CompletionTokens: 3,
				Attempts: 1, Model: "m"}
			if diff := cmp.Diff(wantReply, reply); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

// What is not sent is decided by the server. Which fields that is about depends
// on its kind, which the provider says or the server lets slip.
func TestNeutralFields(t *testing.T) {
	const (
		vllmModels   = `{"data":[{"id":"m","owned_by":"vllm"}]}`
		sglangModels = `{"data":[{"id":"m","owned_by":"sglang"}]}`
		llamaModels  = `{"data":[{"id":"m","owned_by":"llamacpp"}]}`
		otherModels  = `{"data":[{"id":"m","owned_by":"system"}]}`

		head  = `{"frequency_penalty":0,"max_tokens":64,"messages":[{"role":"user","content":"hello"}],"min_p":0,"model":"m","presence_penalty":0,`
		tail  = `"seed":7,"stream":false,"temperature":0,"top_k":-1,"top_p":1}`
		vllm  = head + `"repetition_penalty":1,` + tail
		llama = `{"dry_multiplier":0,"dynatemp_range":0,"frequency_penalty":0,"max_tokens":64,` +
			`"messages":[{"role":"user","content":"hello"}],"min_p":0,"mirostat":0,"model":"m","presence_penalty":0,"repeat_penalty":1,` +
			`"seed":7,"stream":false,"temperature":0,"top_k":0,"top_n_sigma":-1,"top_p":1,"typical_p":1,"xtc_probability":0}`
		plain = `{"max_tokens":64,"messages":[{"role":"user","content":"hello"}],"model":"m","seed":7,"stream":false,"temperature":0,"top_p":1}`
	)
	cut := map[string]any{"truncate_prompt_tokens": 2048, "truncation_side": "left"}
	tests := []struct {
		name     string
		provider model.Provider
		models   string // "" asks the server nothing about itself
		extra    map[string]any
		preset   bool // the extra fields are those of a preset
		want     string
	}{
		{"vLLM, not asked", model.VLLM, "", nil, false, vllm},
		{"vLLM", model.VLLM, vllmModels, nil, false, vllm},
		{"vLLM that does not say so", model.VLLM, otherModels, nil, false, vllm},
		{"llama.cpp passed off as vLLM", model.VLLM, llamaModels, nil, false, llama},
		{"OpenAI, not asked", model.OpenAI, "", nil, false, plain},
		{"OpenAI", model.OpenAI, otherModels, nil, false, plain},
		{"vLLM as OpenAI", model.OpenAI, vllmModels, nil, false, vllm},
		{"SGLang as OpenAI", model.OpenAI, sglangModels, nil, false, vllm},
		{"llama.cpp as OpenAI", model.OpenAI, llamaModels, nil, false, llama},
		{"extra fields win", model.VLLM, "", map[string]any{"repetition_penalty": 1.05, "foo": 1}, false,
			strings.Replace(head, `{`, `{"foo":1,`, 1) + `"repetition_penalty":1.05,` + tail},
		{"vLLM cuts prompts", model.VLLM, "", cut, true,
			vllm[:len(vllm)-1] + `,"truncate_prompt_tokens":2048,"truncation_side":"left"}`},
		{"OpenAI does not", model.OpenAI, "", cut, true, plain},
		{"neither does SGLang", model.OpenAI, sglangModels, cut, true, vllm},
		{"what the user gives is sent", model.OpenAI, otherModels, cut, false,
			plain[:len(plain)-1] + `,"truncate_prompt_tokens":2048,"truncation_side":"left"}`},
		{"null takes away", model.VLLM, "", map[string]any{"repetition_penalty": nil}, false, head + tail},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := recording(t, endpoints(map[string]http.HandlerFunc{
				"/v1/models": say(200, test.models), "/v1/chat/completions": say(200, vllmReply),
			}))
			c := open(t, model.Options{Spec: model.Spec{Provider: test.provider, Name: "m"},
				BaseURL: server.URL + "/v1"})
			if test.models != "" {
				if _, err := c.Server(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			req := hello
			req.Decoding.Extra = test.extra
			if test.preset {
				req.Decoding.LimitCuts(req.Decoding)
			}
			for range 2 { // The second call shows that the first left no trace.
				if _, err := c.Chat(t.Context(), req); err != nil {
					t.Fatal(err)
				}
				sent := server.all()
				if diff := cmp.Diff(test.want, sent[len(sent)-1].body); diff != "" {
					t.Errorf("sent (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// A version of Ollama with a new option for sampling fails this: decide what
// leaves everything as it is.
func TestEveryOptionOfOllamaIsSent(t *testing.T) {
	left := map[string]bool{
		"num_keep":      true, // of a context that shifts, and it does not
		"repeat_last_n": true, // of penalties, and there are none
		"stop":          true, // what the Modelfile says, unless there are stop strings
	}
	server := recording(t, say(200, ollamaReply))
	if _, err := open(t, model.Options{Spec: ollamaSpec, BaseURL: server.URL, ContextLimit: 100}).Chat(t.Context(),
		hello); err != nil {
		t.Fatal(err)
	}
	var body struct {
		Options map[string]any `json:"options"`
	}
	if err := json.Unmarshal([]byte(server.all()[0].body), &body); err != nil {
		t.Fatal(err)
	}
	for field := range reflect.TypeFor[api.Options]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if _, sent := body.Options[name]; !sent && !left[name] && !field.Anonymous {
			t.Errorf("option %q is not sent", name)
		}
	}
	// Its own reading of what was sent is what it would do.
	options := api.DefaultOptions()
	if err := options.FromMap(body.Options); err != nil {
		t.Error(err)
	}
	if options.RepeatPenalty != 1 || options.TopK != 0 || options.Temperature != 0 || options.TopP != 1 {
		t.Errorf("Ollama reads %+v", options)
	}
}

func TestOpenAIReplies(t *testing.T) {
	tests := []struct {
		name, body string
		want       model.Reply
	}{
		{"content null", `{"choices":[{"message":{"role":"assistant","content":null},"finish_reason":"length"}]}`,
			model.Reply{FinishReason: "length", Fault: record.CutOff}},
		{"content empty", `{"choices":[{"message":{"role":"assistant","content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`,
			model.Reply{FinishReason: "stop", PromptTokens: 3, CompletionTokens: 1, Fault: record.Empty}},
		{"content absent, finish null", `{"choices":[{"message":{},"finish_reason":null}]}`,
			model.Reply{Fault: record.NoContent}},
		{"reasoning_content", `{"choices":[{"message":{"content":"a","reasoning_content":"b"}}]}`,
			model.Reply{Text: "a", Reasoning: "b"}},
		{"reasoning", `{"choices":[{"message":{"content":"a","reasoning":"c","reasoning_content":null}}]}`,
			model.Reply{Text: "a", Reasoning: "c"}},
		{"both", `{"choices":[{"message":{"content":"a","reasoning":"c","reasoning_content":"b"}}]}`,
			model.Reply{Text: "a", Reasoning: "b"}},
		{"reasoning of another type", `{"choices":[{"message":{"content":"a","reasoning":{"effort":"low"}}}]}`,
			model.Reply{Text: "a"}},
		{"content in parts", `{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]}`,
			model.Reply{Text: "ab"}},
		{"llama.cpp, cut at the end of its context", `{"choices":[{"finish_reason":"length","index":0,"message":{"role":"assistant","content":" done"}}],` +
			`"created":1795179490,"model":"heldout-tiny","system_fingerprint":"b0-0c1e57098","object":"chat.completion",` +
			`"usage":{"completion_tokens":1,"prompt_tokens":4095,"total_tokens":4096,"prompt_tokens_details":{"cached_tokens":4094}},` +
			`"id":"chatcmpl-w5MNDyFXkCc6GshuJBzdLCJVReR4fBfe","timings":{"cache_n":4094,"prompt_n":1,"prompt_ms":1.61,"prompt_per_token_ms":1.61,` +
			`"prompt_per_second":621.1180124223603,"predicted_n":1,"predicted_ms":0.001,"predicted_per_token_ms":0.0,"predicted_per_second":0.0}}`,
			model.Reply{Text: " done", FinishReason: "length", Fault: record.CutOff, PromptTokens: 4095,
				TokenDetails:     record.TokenDetails{CachedTokens: 4094},
				CompletionTokens: 1, Model: "heldout-tiny", Fingerprint: "b0-0c1e57098"}},
		{"vLLM 0.32, cut at the end of its context", `{"id":"chatcmpl-b711dfadcce9491f","object":"chat.completion","created":1795179490,"model":"heldout-tiny",` +
			`"choices":[{"index":0,"message":{"role":"assistant","content":" done","refusal":null,"annotations":null,"audio":null,"function_call":null,` +
			`"reasoning":null},"logprobs":null,"finish_reason":"length","stop_reason":null,"token_ids":null,"routed_experts":null}],"service_tier":null,` +
			`"system_fingerprint":"vllm-0.32.0-caff1f73","usage":{"prompt_tokens":4095,"total_tokens":4096,"completion_tokens":1,` +
			`"prompt_tokens_details":null,"completion_tokens_details":null},"prompt_logprobs":null,"prompt_token_ids":null,"prompt_text":null,` +
			`"kv_transfer_params":null,"ec_transfer_params":null,"metrics":null}`,
			model.Reply{Text: " done", FinishReason: "length", Fault: record.CutOff, PromptTokens: 4095,
				CompletionTokens: 1, Model: "heldout-tiny", Fingerprint: "vllm-0.32.0-caff1f73"}},
		{"an error that is null", `{"error":null,"choices":[{"message":{"content":"a"}}]}`,
			model.Reply{Text: "a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := recording(t, say(200, test.body))
			got, err := open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), hello)
			if err != nil {
				t.Fatal(err)
			}
			test.want.Attempts, got.Latency = 1, 0
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOllamaWire(t *testing.T) {
	const head = `{"model":"llama3:8b","messages":[{"role":"system","content":"be brief"},{"role":"assistant","content":""}],"stream":false,"options":`
	tests := []struct {
		name     string
		limit    int
		decoding record.Decoding
		want     string
	}{
		{
			name:     "zeros are sent, stop is absent, context from the model",
			decoding: record.Decoding{Temperature: 0, TopP: 1, MaxTokens: 16},
			want: head + `{"frequency_penalty":0,"min_p":0,"num_ctx":4096,"num_predict":16,"presence_penalty":0,"repeat_penalty":1,"seed":9,` +
				`"temperature":0,"top_k":0,"top_p":1,"typical_p":1},"truncate":false,"shift":false}`,
		},
		{
			name:     "context as given",
			limit:    12345,
			decoding: record.Decoding{Temperature: 0.7, TopP: 0.9, MaxTokens: 16, Stop: []string{"x", "y"}},
			want: head + `{"frequency_penalty":0,"min_p":0,"num_ctx":12345,"num_predict":16,"presence_penalty":0,"repeat_penalty":1,"seed":9,` +
				`"stop":["x","y"],"temperature":0.7,"top_k":0,"top_p":0.9,"typical_p":1},"truncate":false,"shift":false}`,
		},
		{
			name:  "extra fields win, null takes away, think is none of the options",
			limit: 100,
			decoding: record.Decoding{Temperature: 0, TopP: 1, MaxTokens: 16, Stop: []string{"x"},
				Extra: map[string]any{"top_k": 5, "repeat_penalty": nil, "seed": nil, "stop": nil, "num_ctx": 2048,
					"think": false}},
			want: head + `{"frequency_penalty":0,"min_p":0,"num_ctx":2048,"num_predict":16,"presence_penalty":0,"temperature":0,"top_k":5,` +
				`"top_p":1,"typical_p":1},"think":false,"truncate":false,"shift":false}`,
		},
		{
			name:     "think by degrees",
			limit:    100,
			decoding: record.Decoding{Temperature: 0, TopP: 1, MaxTokens: 16, Extra: map[string]any{"think": "high"}},
			want: head + `{"frequency_penalty":0,"min_p":0,"num_ctx":100,"num_predict":16,"presence_penalty":0,"repeat_penalty":1,"seed":9,` +
				`"temperature":0,"top_k":0,"top_p":1,"typical_p":1},"think":"high","truncate":false,"shift":false}`,
		},
		{
			name:     "think removed",
			limit:    100,
			decoding: record.Decoding{Temperature: 0, TopP: 1, MaxTokens: 16, Extra: map[string]any{"think": nil}},
			want: head + `{"frequency_penalty":0,"min_p":0,"num_ctx":100,"num_predict":16,"presence_penalty":0,"repeat_penalty":1,"seed":9,` +
				`"temperature":0,"top_k":0,"top_p":1,"typical_p":1},"truncate":false,"shift":false}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := recording(t, fakeOllama(say(200, ollamaReply)))
			c := open(t, model.Options{Spec: ollamaSpec, BaseURL: server.URL, ContextLimit: test.limit,
				Key: model.NewSecret(key)})
			req := model.Request{
				Messages: []model.Message{{Role: model.System, Content: "be brief"}, {Role: model.Assistant}},
				Decoding: test.decoding,
				Seed:     9,
			}
			want := []recorded{{"POST", "/api/show", "Bearer " + key, ""},
				{"POST", "/api/chat", "Bearer " + key, test.want}}
			if test.limit > 0 {
				want = want[1:]
			}
			for range 2 { // The second call does not ask for the context again.
				reply, err := c.Chat(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				reply.Latency = 0
				wantReply := model.Reply{Text: "Action: go", FinishReason: "stop", PromptTokens: 26,
					CompletionTokens: 8, Attempts: 1, Model: "llama3:8b"}
				if diff := cmp.Diff(wantReply, reply); diff != "" {
					t.Errorf("reply (-want +got):\n%s", diff)
				}
			}
			want = append(want, want[len(want)-1])
			got := server.all()
			for i := range got {
				if got[i].path == "/api/show" {
					got[i].body = ""
				}
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(recorded{})); diff != "" {
				t.Errorf("sent (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOllamaContext(t *testing.T) {
	tests := []struct {
		name, info string
		want       int
	}{
		{"short model", `{"general.architecture":"llama","llama.context_length":2048}`, 2048},
		{"long model", `{"general.architecture":"llama","llama.context_length":131072}`, 8192},
		{"no architecture", `{"qwen3.context_length":1024}`, 1024},
		{"unknown", `{}`, 8192},
		{"nonsense", `{"general.architecture":"llama","llama.context_length":"many"}`, 8192},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := recording(t, say(200, `{"model_info":`+test.info+`}`), say(200, ollamaReply))
			c := open(t, model.Options{Spec: ollamaSpec, BaseURL: server.URL})
			if got := c.ContextLimit(); got != 0 {
				t.Errorf("ContextLimit() = %d before anything is known, want 0", got)
			}
			if _, err := c.Chat(t.Context(), hello); err != nil {
				t.Fatal(err)
			}
			var body struct {
				Options struct {
					NumCtx int `json:"num_ctx"`
				} `json:"options"`
			}
			if err := json.Unmarshal([]byte(server.all()[1].body), &body); err != nil {
				t.Fatal(err)
			}
			if body.Options.NumCtx != test.want || c.ContextLimit() != test.want {
				t.Errorf("num_ctx %d was sent and ContextLimit() = %d, want %d", body.Options.NumCtx, c.ContextLimit(),
					test.want)
			}
		})
	}
}

func TestOllamaReplies(t *testing.T) {
	tests := []struct {
		name, body string
		want       model.Reply
	}{
		{"thinking", `{"message":{"role":"assistant","content":"a","thinking":"b"},"done":true,"done_reason":"stop","prompt_eval_count":1,"eval_count":2}`,
			model.Reply{Text: "a", Reasoning: "b", FinishReason: "stop", PromptTokens: 1, CompletionTokens: 2}},
		{"empty", `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"length"}`,
			model.Reply{FinishReason: "length", Fault: record.CutOff}},
		{"cut at the end of the context", `{"model":"heldout-tiny","created_at":"2026-11-20T12:44:28.987703081Z","message":{"role":"assistant","content":" x Block"},` +
			`"done":true,"done_reason":"length","total_duration":2257478619,"load_duration":1340541,"prompt_eval_count":3735,` +
			`"prompt_eval_duration":1828936881,"eval_count":362,"eval_duration":404507282}`,
			model.Reply{Text: " x Block", FinishReason: "length", Fault: record.CutOff, PromptTokens: 3735,
				CompletionTokens: 362, Model: "heldout-tiny"}},
		{"streamed all the same", `{"message":{"role":"assistant","content":"a","thinking":"x"},"done":false}` + "\n" +
			`{"message":{"role":"assistant","content":"b"},"done":true,"done_reason":"stop","eval_count":2}`,
			model.Reply{Text: "ab", Reasoning: "x", FinishReason: "stop", CompletionTokens: 2}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := recording(t, say(200, test.body))
			got, err := open(t, model.Options{Spec: ollamaSpec, BaseURL: server.URL,
				ContextLimit: 4096}).Chat(t.Context(), hello)
			if err != nil {
				t.Fatal(err)
			}
			test.want.Attempts, got.Latency = 1, 0
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("reply (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInvalidRequestsAreNotSent(t *testing.T) {
	ok := record.Decoding{Temperature: 0, TopP: 1, MaxTokens: 1}
	with := func(change func(*record.Decoding)) model.Request {
		r := model.Request{Messages: hello.Messages, Decoding: ok}
		change(&r.Decoding)
		return r
	}
	inf := 1.0
	for range 2000 {
		inf *= 2
	}
	tests := []struct {
		name string
		req  model.Request
		want string
	}{
		{"no messages", model.Request{Decoding: ok}, "messages are missing"},
		{"negative seed", model.Request{Messages: hello.Messages, Decoding: ok, Seed: -1}, "seed is -1"},
		{"large seed", model.Request{Messages: hello.Messages, Decoding: ok, Seed: 1 << 31}, "seed is 2147483648"},
		{"temperature", with(func(d *record.Decoding) { d.Temperature = -0.1 }), "temperature is -0.1"},
		{"NaN", with(func(d *record.Decoding) { d.Temperature = inf - inf }), "temperature is NaN"},
		{"infinity", with(func(d *record.Decoding) { d.Temperature = inf }), "temperature is +Inf"},
		{"top_p", with(func(d *record.Decoding) { d.TopP = 0 }), "top_p is 0"},
		{"max_tokens and stop", with(func(d *record.Decoding) { d.MaxTokens = 0; d.Stop = []string{"a", ""} }),
			"max_tokens is 0, want at least 1; a stop string is empty"},
		{"stream", with(func(d *record.Decoding) { d.Extra = map[string]any{"stream": true} }), `extra field "stream"`},
		{"unsendable extra", with(func(d *record.Decoding) { d.Extra = map[string]any{"f": func() {}} }), `extra field "f" cannot be sent`},
	}
	for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
		server := recording(t, say(200, vllmReply))
		c := open(t, model.Options{Spec: spec, BaseURL: server.URL})
		// A decoding that can be sent is remembered, whatever is answered.
		_, _ = c.Chat(t.Context(), model.Request{Messages: hello.Messages, Decoding: ok})
		before := len(server.all())
		for _, test := range tests {
			_, err := c.Chat(t.Context(), test.req)
			refused := as[*model.RequestError](t, err)
			if refused.Status != 0 || !strings.Contains(refused.Message, test.want) {
				t.Errorf("%s, %s: %v; want an error with %q", spec.Provider, test.name, err, test.want)
			}
		}
		if sent := len(server.all()) - before; sent > 0 {
			t.Errorf("%s: %d requests were sent", spec.Provider, sent)
		}
	}
}

// Ours would replace the stop strings that a model's own file sets, so both are
// sent; without ours, the server applies its own.
func TestOllamaKeepsTheModelsStops(t *testing.T) {
	show := `{"model_info":{},"parameters":"num_thread                     1\nstop                           \"<|end|>\"\nstop                           \"\\nUser:\"\nstop bare"}`
	for _, test := range []struct {
		name string
		stop []string
		want any
	}{
		{"ours", []string{"\nObservation:", "bare"}, []any{"<|end|>", "\nUser:", "bare", "\nObservation:"}},
		{"none", nil, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := recording(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/api/show" {
					say(200, show)(w, r)
					return
				}
				fakeOllama(say(200, ollamaReply))(w, r)
			})
			c := open(t, model.Options{Spec: ollamaSpec, BaseURL: server.URL, ContextLimit: 100})
			if _, err := c.Server(t.Context()); err != nil {
				t.Fatal(err)
			}
			req := model.Request{
				Messages: []model.Message{{Role: model.User, Content: "go"}},
				Decoding: record.Decoding{TopP: 1, MaxTokens: 16, Stop: test.stop},
			}
			if _, err := c.Chat(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			all := server.all()
			var sent struct {
				Options map[string]any `json:"options"`
			}
			if err := json.Unmarshal([]byte(all[len(all)-1].body), &sent); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, sent.Options["stop"]); diff != "" {
				t.Errorf("stop (-want +got):\n%s", diff)
			}
		})
	}
}
