package model_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// refusing answers vllmReply to requests that lack the field, and others with that refusal.
func refusing(status int, words string, fields ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			say(500, "")(w, r)
			return
		}
		for _, field := range fields {
			if _, sent := body[field]; sent {
				say(status, strings.ReplaceAll(words, "FIELD", field))(w, r)
				return
			}
		}
		say(200, vllmReply)(w, r)
	}
}

// The words with which services refuse fields come from their documentation and from reports by users.
func TestRefusedFieldsAreDropped(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Name   string
		Status int
		Words  string
		Fields []string // that it refuses
		Want   []string // that are dropped with a mark
	}](t, "droppedfields.yaml") {
		t.Run(c.Name, func(t *testing.T) {
			server := recording(t, refusing(c.Status, c.Words, c.Fields...))
			var mu sync.Mutex
			var told []string
			client := open(t, model.Options{BaseURL: server.URL + "/v1", Tell: func(line string) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, line)
			}})
			req := hello
			req.Decoding.Stop = []string{"x"}
			for range 2 {
				reply := sharedtest.Must(client.Chat(t.Context(), req))(t)
				sharedtest.Same(t, reply.Dropped, c.Want, "dropped")
			}
			if n := len(server.all()); n != 2+len(c.Fields) || len(told) != len(c.Fields) {
				t.Errorf("%d requests and the lines %q, for %d refused fields and 2 calls", n, told, len(c.Fields))
			}
		})
	}
}

func TestAskedForFieldsAreNotDropped(t *testing.T) {
	server := recording(t, refusing(400, `{"error":{"message":"property 'FIELD' is unsupported"}}`, "top_k"))
	req := hello
	req.Decoding.Extra = map[string]any{"top_k": 20}
	_, err := open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), req)
	if got := as[*model.RequestError](t, err); !got.Fatal() || got.Field != "top_k" || len(server.all()) != 1 {
		t.Errorf("the error is %#v after %d requests", got, len(server.all()))
	}
}

// Refusals that every call would meet are fatal, and say what helps.
func TestObstacles(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Status      int
		Words, Want string
	}](t, "obstacles.yaml") {
		body := sharedtest.Must(json.Marshal(map[string]any{"error": map[string]any{"message": c.Words}}))(t)
		server := recording(t, say(c.Status, string(body)))
		_, err := open(t, model.Options{BaseURL: server.URL + "/v1"}).Chat(t.Context(), hello)
		if got := as[*model.RequestError](t, err); !got.Fatal() || !strings.Contains(err.Error(), c.Want) ||
			len(server.all()) != 1 {
			t.Errorf("%d %s: %v, fatal %v, after %d requests", c.Status, c.Words, err, got.Fatal(), len(server.all()))
		}
	}
}

// reasoner is a server that ends its reply at a stop string wherever it is, as
// vLLM, SGLang, llama.cpp and Ollama do, and tells reasoning apart afterwards.
func reasoner(full string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Stop []string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			say(500, "")(w, r)
			return
		}
		text := full
		for _, stop := range body.Stop {
			text, _, _ = strings.Cut(text, stop)
		}
		reply, err := json.Marshal(text)
		if err != nil {
			say(500, "")(w, r)
			return
		}
		say(200, fmt.Sprintf(`{"choices":[{"message":{"content":%s},"finish_reason":"stop"}]}`, reply))(w, r)
	}
}

// A stop string ends the reply, not the reasoning before it.
func TestStopStringsDoNotCutReasoning(t *testing.T) {
	req := hello
	req.Decoding.Stop = []string{"\nObservation:"}
	for _, full := range []string{
		"<think>The last\nObservation: a box</think>Action: open box\nObservation: It is open.",
		"[THINK]The last\nObservation: a box[/THINK]Action: open box\nObservation: It is open.",
		"<|channel|>analysis<|message|>The last\nObservation: a " +
			"box<|end|><|start|>assistant<|channel|>final<|message|>Action: open box\nObservation: It is open.",
	} {
		server := recording(t, reasoner(full))
		c := open(t, model.Options{BaseURL: server.URL})
		for i := range 2 {
			got := sharedtest.Must(c.Chat(t.Context(), req))(t)
			got.Latency = 0
			want := model.Reply{Text: "Action: open box", Reasoning: "The last\nObservation: a box",
				FinishReason: "stop", Attempts: 2 - i, Leftovers: []record.Leftover{record.ReasoningMarks}}
			sharedtest.Same(t, got, want, i)
		}
		var withStops []bool
		for _, sent := range server.all() {
			withStops = append(withStops, strings.Contains(sent.body, `"stop"`))
		}
		sharedtest.Same(t, withStops, []bool{true, false, false}, "stop strings were sent")
	}
}

// The tokens of a reply that is asked for again are counted, apart from those of the
// prompt that the history is measured by.
func TestTokensOfRepliesAskedAgain(t *testing.T) {
	const openAI = `{"choices":[{"message":{"content":"<think>a</think>Action: go"},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":5}}`
	const ollama = `{"message":{"role":"assistant","content":"Action: go","thinking":"a"},"done":true,"done_reason":"stop","prompt_eval_count":7,"eval_count":5}`
	req := hello
	req.Decoding.Stop = []string{"\nObservation:"}
	for _, s := range []struct {
		spec   model.Spec
		server http.HandlerFunc
	}{{vllmSpec, say(200, openAI)}, {ollamaSpec, fakeOllama(say(200, ollama))}} {
		server := recording(t, s.server)
		c := open(t, model.Options{Spec: s.spec, BaseURL: server.URL, ContextLimit: 4096})
		for i, unused := range []int{7 + 5, 0} {
			got := sharedtest.Must(c.Chat(t.Context(), req))(t)
			if got.PromptTokens != 7 || got.CompletionTokens != 5 ||
				got.UnusedPromptTokens+got.UnusedCompletionTokens != unused || got.Attempts != 2-i {
				t.Errorf("%s, call %d: %+v", s.spec.Provider, i, got)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Choice string
		Want   record.Fault
	}](t, "faults.yaml") {
		server := recording(t, say(200, `{"choices":[`+c.Choice+`]}`))
		got, err := open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), hello)
		if err != nil || got.Fault != c.Want {
			t.Errorf("%s: fault %q, %v; want %q", c.Choice, string(got.Fault), err, string(c.Want))
		}
	}
	for _, end := range []string{`"finish_reason":"abort"`, `"finish_reason":"network_error"`, `"error":{"code":502}`} {
		server := recording(t, say(200, `{"choices":[{"message":{"content":"a"},`+end+`}]}`))
		_, err := open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), hello)
		as[*model.UnavailableError](t, err) // the server gave the reply up
	}
}

// What models say holds no key, unless that is a placeholder.
func TestKeyIsNotEchoed(t *testing.T) {
	for key, want := range map[string]string{key: "the key is [redacted]", "EMPTY": "the key is EMPTY"} {
		reply := sharedtest.Must(json.Marshal("the key is " + key))(t)
		server := recording(t, say(200, fmt.Sprintf(`{"choices":[{"message":{"content":%s,"reasoning":%s},"finish_reason":%s}]}`, reply, reply, reply)))
		got, err := open(t, model.Options{BaseURL: server.URL, Key: model.NewSecret(key)}).Chat(t.Context(), hello)
		if err != nil || got.Text != want || got.Reasoning != want || len(key) > 8 && got.FinishReason != want {
			t.Errorf("%+v, %v; want %q", got, err, want)
		}
	}
}

// Addresses in errors hold no user and no query.
func TestAddressesAreBare(t *testing.T) {
	const secret = "hunter2"
	for _, base := range []string{
		"http://me:hunter2@localhost/v1", "http://me:hunter2/x@localhost/v1", "me:hunter2@localhost",
		"http://localhost/v1?key=hunter2",
		"localhost/v1?key=hunter2", "http://local host/v1?key=hunter2", "http://localhost:port/?key=hunter2",
		"ftp://localhost/?key=hunter2", "http://?key=hunter2",
	} {
		for _, p := range []model.Provider{model.VLLM, model.Ollama} {
			_, err := model.Open(model.Options{Spec: model.Spec{Provider: p, Name: "m"}, BaseURL: base})
			if err == nil || strings.Contains(err.Error(), secret) {
				t.Errorf("%s: %v", base, err)
			}
		}
	}
	server := recording(t, say(307, "", "Location", "https://me:hunter2@elsewhere.example/v1?token=hunter2#hunter2"))
	_, err := open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), hello)
	if err == nil || strings.Contains(err.Error(), secret) ||
		!strings.Contains(err.Error(), "https://elsewhere.example/v1") {
		t.Errorf("a redirect: %v", err)
	}
}

// All replies in flight have one budget, and give back what they took.
func TestReplyBudget(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	server := recording(t, say(200, `{"choices":[{"message":{"content":"`+long+`"},"finish_reason":"stop"}]}`))
	c := open(t, model.Options{BaseURL: server.URL})
	req := hello
	sharedtest.Fails(t, sharedtest.Err(c.Chat(t.Context(), req)), "longer than 256 KiB",
		"a reply of 1 MiB to 64 tokens")
	req.Decoding.MaxTokens = 1 << 15
	for range 3 {
		got, err := c.Chat(t.Context(), req)
		if err != nil || len(got.Text) != len(long) {
			t.Fatalf("a reply of 1 MiB to 32768 tokens: %d bytes, %v", len(got.Text), err)
		}
	}
}

func TestCompletion(t *testing.T) {
	server := recording(t, say(200, `{"choices":[{"text":" I see.\nAction: go\nObservation: x","finish_reason":"length"}],"usage":{"prompt_tokens":5,"completion_tokens":4}}`))
	req := hello
	req.Completion, req.Decoding.Stop = true, []string{"\nObservation:"}
	got := sharedtest.Must(open(t, model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "base"},
		BaseURL: server.URL + "/v1"}).Chat(t.Context(), req))(t)
	got.Latency = 0
	want := model.Reply{Text: " I see.\nAction: go", FinishReason: "stop", Overran: true, PromptTokens: 5,
		CompletionTokens: 4, Attempts: 1}
	sharedtest.Same(t, got, want, "reply")
	wantSent := []recorded{{"POST", "/v1/completions", "",
		`{"max_tokens":64,"model":"base","prompt":"hello","seed":7,"stop":["\nObservation:"],"stream":false,"temperature":0,"top_p":1}`}}
	sharedtest.Equal(t, cmp.Diff(wantSent, server.all(), cmp.AllowUnexported(recorded{})), "", "sent (-want +got)")
}

// Protocols that ask for reasoning between tags get it as part of the reply.
func TestKeepReasoning(t *testing.T) {
	const text = "<think>Wait.</think>\n<action>go</action>"
	server := recording(t, say(200, `{"choices":[{"message":{"role":"assistant","content":"<think>Wait.</think>\n<action>go</action>"},"finish_reason":"stop"}]}`))
	client := open(t, model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "m"}, BaseURL: server.URL + "/v1"})
	for keep, want := range map[bool]model.Reply{true: {Text: text},
		false: {Text: "<action>go</action>", Reasoning: "Wait."}} {
		req := hello
		req.KeepReasoning = keep
		got, err := client.Chat(t.Context(), req)
		if err != nil || got.Text != want.Text || got.Reasoning != want.Reasoning {
			t.Errorf("keep %v: %q and %q, %v", keep, got.Text, got.Reasoning, err)
		}
	}
}

// They send stop strings to a model that reasons too, in one call.
func TestKeptReasoningKeepsStops(t *testing.T) {
	server := recording(t, say(200, `{"choices":[{"message":{"role":"assistant","content":"go",`+
		`"reasoning_content":"Wait."},"finish_reason":"stop"}]}`))
	client := open(t, model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "m"}, BaseURL: server.URL + "/v1"})
	req := hello
	req.KeepReasoning, req.Decoding.Stop = true, []string{"\nObservation:"}
	for range 2 {
		if got, err := client.Chat(t.Context(), req); err != nil || got.Text != "go" || got.Attempts != 1 {
			t.Errorf("%+v, %v", got, err)
		}
	}
	for _, sent := range server.all() {
		if !strings.Contains(fmt.Sprint(sent), `"stop":["\nObservation:"]`) {
			t.Errorf("sent without stop strings: %v", sent)
		}
	}
}
