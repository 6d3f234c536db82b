package model_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"heldout/eval/model"
	"heldout/scoring/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// key is no real one; it holds what escaping would change.
const key = "sk-test/0123456789+abcdef=&x"

var (
	vllmSpec   = model.Spec{Provider: model.VLLM, Name: "meta-llama/Meta-Llama-3-8B-Instruct"}
	ollamaSpec = model.Spec{Provider: model.Ollama, Name: "llama3:8b"}
	greedy     = record.Decoding{Temperature: 0, TopP: 1, MaxTokens: 64}
	hello      = model.Request{Messages: []model.Message{{Role: model.User, Content: "hello"}}, Decoding: greedy,
		Seed: 7}
)

// quick retries without waiting to speak of.
var quick = model.Retry{Attempts: 4, FirstWait: time.Microsecond, MaxWait: time.Microsecond}

// open opens a client, for vLLM and with quick retries unless o says otherwise.
func open(t testing.TB, o model.Options) *model.Client {
	t.Helper()
	if o.Spec == (model.Spec{}) {
		o.Spec = vllmSpec
	}
	if o.Retry == (model.Retry{}) {
		o.Retry = quick
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	c, err := model.Open(o)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(c.Close)
	return c
}

// roundTrip is a server without a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// respond makes a response for a roundTrip. Headers alternate name and value.
func respond(status int, body string, headers ...string) *http.Response {
	header := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		header.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}
}

// recorder is a server on loopback that remembers what it was asked.
type recorder struct {
	*httptest.Server
	mu       sync.Mutex
	requests []recorded
}

type recorded struct {
	method, path, authorization, body string
}

// record starts a server that gives the answer whose index is the number of requests before, or the last one.
func recording(t *testing.T, answers ...http.HandlerFunc) *recorder {
	t.Helper()
	r := &recorder{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Errorf("reading the request: %v", err)
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		r.mu.Lock()
		n := len(r.requests)
		r.requests = append(r.requests, recorded{req.Method, req.URL.Path, req.Header.Get("Authorization"),
			string(body)})
		r.mu.Unlock()
		answers[min(n, len(answers)-1)](w, req)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *recorder) all() []recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]recorded(nil), r.requests...)
}

// say answers with a status and a body. Headers alternate name and value.
func say(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// vllmReply is what vLLM 0.11 answers, less its optional nulls.
const vllmReply = `{"id":"chatcmpl-1","object":"chat.completion","created":1730000000,"model":"m","choices":[{"index":0,` +
	`"message":{"role":"assistant","content":"Action: go","refusal":null,"tool_calls":[],"reasoning_content":null},` +
	`"logprobs":null,"finish_reason":"stop","stop_reason":null}],` +
	`"usage":{"prompt_tokens":11,"total_tokens":14,"completion_tokens":3,"prompt_tokens_details":null},"prompt_logprobs":null}`

// ollamaReply is what Ollama answers with stream false.
const ollamaReply = `{"model":"llama3:8b","created_at":"2026-01-02T03:04:05.678901Z","message":{"role":"assistant","content":"Action: go"},` +
	`"done":true,"done_reason":"stop","total_duration":5191566416,"load_duration":2154458,"prompt_eval_count":26,` +
	`"prompt_eval_duration":383809000,"eval_count":8,"eval_duration":4799921000}`

const ollamaShow = `{"modelfile":"FROM x","details":{"parent_model":"base:1b","format":"gguf","family":"llama"},` +
	`"template":"{{ .Prompt }}","model_info":{"general.architecture":"llama","llama.context_length":4096,"llama.block_count":2},` +
	`"capabilities":["completion"],"modified_at":"2026-01-02T03:04:05Z"}`

const ollamaTags = `{"models":[{"name":"other:latest","model":"other:latest","modified_at":"2026-01-02T03:04:05+02:00","size":1,"digest":"aaa","details":{}},` +
	`{"name":"llama3:8b","model":"llama3:8b","modified_at":"2026-01-02T03:04:05+02:00","size":2,"digest":"365c0bd3c000","details":{"family":"llama"}}]}`

// fakeOllama serves Ollama's endpoints, with chat for /api/chat.
func fakeOllama(chat http.HandlerFunc) http.HandlerFunc {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", say(200, ollamaTags))
	mux.HandleFunc("GET /api/version", say(200, `{"version":"0.17.4"}`))
	mux.HandleFunc("POST /api/show", say(200, ollamaShow))
	mux.HandleFunc("POST /api/chat", chat)
	return mux.ServeHTTP
}
