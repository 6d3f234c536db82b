package model_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ollama/ollama/api"

	"heldout/envs/sharedtest"
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
	for _, test := range sharedtest.Cases[struct {
		Name, Model string
		Decoding    record.Decoding
		Seed        int64
		Want        string
	}](t, "openaiwire.yaml") {
		t.Run(test.Name, func(t *testing.T) {
			server := recording(t, say(200, vllmReply))
			c := open(t, model.Options{
				Spec: model.Spec{Provider: model.OpenAI, Name: test.Model}, BaseURL: server.URL + "/v1/",
				Key: model.NewSecret(key),
			})
			reply := sharedtest.Must(c.Chat(t.Context(),
				model.Request{Messages: messages, Decoding: test.Decoding, Seed: test.Seed}))(t)
			want := []recorded{{"POST", "/v1/chat/completions", "Bearer " + key, test.Want}}
			sharedtest.Equal(t, cmp.Diff(want, server.all(), cmp.AllowUnexported(recorded{})), "", "sent (-want +got)")
			reply.Latency = 0
			wantReply := model.Reply{Text: "Action: go", FinishReason: "stop", PromptTokens: 11, CompletionTokens: 3,
				Attempts: 1, Model: "m"}
			sharedtest.Same(t, reply, wantReply, "reply")
		})
	}
}

// What is not sent is decided by the server. Which fields that is about depends
// on its kind, which the provider says or the server lets slip.
func TestNeutralFields(t *testing.T) {
	for _, test := range sharedtest.Cases[struct {
		Name     string
		Provider model.Provider
		Models   string // "" asks the server nothing about itself
		Extra    map[string]any
		Preset   bool // the extra fields are a preset's
		Want     string
	}](t, "neutralfields.yaml") {
		t.Run(test.Name, func(t *testing.T) {
			server := recording(t, endpoints(map[string]http.HandlerFunc{
				"/v1/models": say(200, test.Models), "/v1/chat/completions": say(200, vllmReply),
			}))
			c := open(t, model.Options{Spec: model.Spec{Provider: test.Provider, Name: "m"},
				BaseURL: server.URL + "/v1"})
			if test.Models != "" {
				sharedtest.OK(t, sharedtest.Err(c.Server(t.Context())))
			}
			req := hello
			req.Decoding.Extra = test.Extra
			if test.Preset {
				req.Decoding.LimitCuts(req.Decoding)
			}
			for range 2 { // The second call shows that the first left no trace.
				sharedtest.OK(t, sharedtest.Err(c.Chat(t.Context(), req)))
				sent := server.all()
				sharedtest.Same(t, sent[len(sent)-1].body, test.Want, "sent")
			}
		})
	}
}

// A version of Ollama with a new option for sampling fails this: decide what leaves everything as it is.
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
	sharedtest.OK(t, json.Unmarshal([]byte(server.all()[0].body), &body))
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
	for _, test := range sharedtest.Cases[struct {
		Name, Body string
		Want       model.Reply
	}](t, "openaireplies.yaml") {
		t.Run(test.Name, func(t *testing.T) {
			server := recording(t, say(200, test.Body))
			got := sharedtest.Must(open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), hello))(t)
			test.Want.Attempts, got.Latency = 1, 0
			sharedtest.Same(t, got, test.Want, "reply")
		})
	}
}

func TestOllamaWire(t *testing.T) {
	for _, test := range sharedtest.Cases[struct {
		Name     string
		Limit    int
		Decoding record.Decoding
		Want     string
	}](t, "ollamawire.yaml") {
		t.Run(test.Name, func(t *testing.T) {
			server := recording(t, fakeOllama(say(200, ollamaReply)))
			c := open(t, model.Options{Spec: ollamaSpec, BaseURL: server.URL, ContextLimit: test.Limit,
				Key: model.NewSecret(key)})
			req := model.Request{
				Messages: []model.Message{{Role: model.System, Content: "be brief"}, {Role: model.Assistant}},
				Decoding: test.Decoding,
				Seed:     9,
			}
			want := []recorded{{"POST", "/api/show", "Bearer " + key, ""},
				{"POST", "/api/chat", "Bearer " + key, test.Want}}
			if test.Limit > 0 {
				want = want[1:]
			}
			for range 2 { // The second call does not ask for the context again.
				reply := sharedtest.Must(c.Chat(t.Context(), req))(t)
				reply.Latency = 0
				wantReply := model.Reply{Text: "Action: go", FinishReason: "stop", PromptTokens: 26,
					CompletionTokens: 8, Attempts: 1, Model: "llama3:8b"}
				sharedtest.Same(t, reply, wantReply, "reply")
			}
			want = append(want, want[len(want)-1])
			got := server.all()
			for i := range got {
				if got[i].path == "/api/show" {
					got[i].body = ""
				}
			}
			sharedtest.Equal(t, cmp.Diff(want, got, cmp.AllowUnexported(recorded{})), "", "sent (-want +got)")
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
			sharedtest.Equal(t, c.ContextLimit(), 0, "ContextLimit() = before anything is known")
			sharedtest.OK(t, sharedtest.Err(c.Chat(t.Context(), hello)))
			var body struct {
				Options struct {
					NumCtx int `json:"num_ctx"`
				} `json:"options"`
			}
			sharedtest.OK(t, json.Unmarshal([]byte(server.all()[1].body), &body))
			if body.Options.NumCtx != test.want || c.ContextLimit() != test.want {
				t.Errorf("num_ctx %d was sent and ContextLimit() = %d, want %d", body.Options.NumCtx, c.ContextLimit(),
					test.want)
			}
		})
	}
}

func TestOllamaReplies(t *testing.T) {
	for _, test := range sharedtest.Cases[struct {
		Name, Body string
		Want       model.Reply
	}](t, "ollamareplies.yaml") {
		t.Run(test.Name, func(t *testing.T) {
			server := recording(t, say(200, test.Body))
			got := sharedtest.Must(open(t, model.Options{Spec: ollamaSpec, BaseURL: server.URL,
				ContextLimit: 4096}).Chat(t.Context(), hello))(t)
			test.Want.Attempts, got.Latency = 1, 0
			sharedtest.Same(t, got, test.Want, "reply")
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
			sharedtest.OK(t, sharedtest.Err(c.Server(t.Context())))
			req := model.Request{
				Messages: []model.Message{{Role: model.User, Content: "go"}},
				Decoding: record.Decoding{TopP: 1, MaxTokens: 16, Stop: test.stop},
			}
			sharedtest.OK(t, sharedtest.Err(c.Chat(t.Context(), req)))
			all := server.all()
			var sent struct {
				Options map[string]any `json:"options"`
			}
			sharedtest.OK(t, json.Unmarshal([]byte(all[len(all)-1].body), &sent))
			sharedtest.Same(t, sent.Options["stop"], test.want, "stop")
		})
	}
}
