package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"heldout/eval/model"
)

// as returns an error as what it must be.
func as[T error](t *testing.T, err error) T {
	t.Helper()
	var target T
	if !errors.As(err, &target) {
		t.Fatalf("error is %T (%v), want %T", err, err, target)
	}
	return target
}

func TestContextErrors(t *testing.T) {
	tests := []struct {
		name         string
		status       int
		body         string
		limit, asked int
	}{
		{
			"vLLM 0.6", 400,
			`{"object":"error","message":"This model's maximum context length is 32768 tokens. However, you requested 41648 tokens (37552 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.","type":"BadRequestError","param":null,"code":400}`,
			32768, 41648},
		{
			"vLLM 0.9", 400,
			`{"object":"error","message":"The decoder prompt (length 10127) is longer than the maximum model length of 8192. Make sure that ` + "`max_model_len`" + ` is no smaller than the number of text tokens plus multimodal tokens.","type":"BadRequestError","param":null,"code":400}`,
			8192, 10127},
		{
			"vLLM 0.11", 400,
			`{"error":{"message":"'max_tokens' or 'max_completion_tokens' is too large: 5000. This model's maximum context length is 4096 tokens and your request has 12 input tokens (5000 > 4096 - 12).","type":"BadRequestError","param":null,"code":400}}`,
			4096, 12},
		{
			"vLLM 0.15", 400,
			`{"error":{"message":"You passed 12289 input tokens and requested 4096 output tokens. However, the model's context length is only 16384 tokens, resulting in a maximum input length of 12288 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=12289)","type":"BadRequestError","param":"input_tokens","code":400}}`,
			16384, 12289},
		{
			"vLLM 0.15, before counting", 400,
			`{"error":{"message":"You passed 900000 input characters and requested 16 output tokens. However, the model's context length is only 2048 tokens, resulting in a maximum input length of 2032 tokens (at most 260096 characters). Please reduce the length of the input prompt.","type":"BadRequestError","param":"input_text","code":400}}`,
			2048, 0},
		{
			"vLLM 0.17", 400,
			`{"error":{"message":"This model's maximum context length is 163840 tokens. However, you requested 32000 output tokens and your prompt contains at least 131841 input tokens, for a total of at least 163841 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=131841)","type":"BadRequestError","param":"input_tokens","code":400}}`,
			163840, 131841},
		{
			"vLLM 0.32", 400,
			`{"error":{"message":"This model's maximum context length is 4096 tokens. However, your prompt contains at least 4097 input tokens, which exceeds this limit even without any output tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=4097)","type":"BadRequestError","param":"input_tokens","code":400}}`,
			4096, 4097},
		{
			"vLLM 0.32, before counting", 400,
			`{"error":{"message":"This model's maximum context length is 4096 tokens. However, your prompt contains 60722 characters (more than 53248 characters, which is the upper bound for 4096 input tokens). Please reduce the length of the input prompt. (parameter=input_text, value=60722)","type":"BadRequestError","param":"input_text","code":400}}`,
			4096, 0},
		{"vLLM 0.32, a prompt that leaves no room", 400,
			`{"error":{"message":"max_tokens must be at least 1, got 0. (parameter=max_tokens, value=0)","type":"BadRequestError","param":"max_tokens","code":400}}`,
			0, 0},
		{
			"llama.cpp", 400,
			`{"error":{"code":400,"message":"request (12015 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":12015,"n_ctx":4096}}`,
			4096, 12015},
		{
			"llama.cpp, older", 500,
			`{"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}}`,
			256, 1407},
		{
			"llama.cpp, with the wrong status", 200,
			`{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}`,
			8192, 14429},
		{"llama.cpp, while it generates", 500,
			`{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}`,
			0, 0},
		{
			"llama-cpp-python", 400,
			`{"error":{"message":"This model's maximum context length is 2048 tokens. However, you requested 2285 tokens (2029 in the messages, 256 in the completion). Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
			2048, 2285},
		{
			"llama-cpp-python, older", 500,
			`{"error":{"message":"Requested tokens (2285) exceed context window of 2048","type":"internal_server_error","param":null,"code":null}}`,
			2048, 2285},
		{
			"OpenAI", 400,
			`{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
			8192, 8227},
		{
			"OpenAI, newer", 400,
			`{"error":{"message":"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300012 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
			272000, 300012},
		{"OpenAI, by code alone", 400,
			`{"error":{"message":"Too long.","type":"invalid_request_error","code":"context_length_exceeded"}}`,
			0, 0},
		{"Ollama", 400, `{"error":"the input length exceeds the context length"}`, 0, 0},
		{"Ollama, older", 400, `{"error":"input length exceeds maximum context length"}`, 0, 0},
		{
			"Ollama over llama.cpp", 400,
			`{"error":"{\"error\":{\"code\":400,\"message\":\"request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it\",\"type\":\"exceed_context_size_error\"}}"}`,
			8192, 9412},
		{
			"SGLang", 400,
			`{"object":"error","message":"The input (61709 tokens) is longer than the model's context length (40960 tokens).","type":"BadRequestError","param":null,"code":400}`,
			40960, 61709},
		{
			"SGLang, total", 400,
			`{"object":"error","message":"Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 5000 tokens: 4900 tokens from the input messages and 100 tokens for the completion.","type":"BadRequestError","param":null,"code":400}`,
			4096, 5000},
		{"TGI", 422, `{"error":"Input validation error: ` +
			"`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`" +
			`","error_type":"validation"}`,
			4096, 5000},
		{"a gateway", 413, `prompt is too long: 210000 tokens > 200000 maximum`, 0, 210000},
		{"nginx", 413, `<html><title>413 Request Entity Too Large</title></html>`, 0, 0},
		{"without words", 413, ``, 0, 0},
		// words that are not on the list
		{"LM Studio", 400, `{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5247>= n_ctx: 4096)."}`, 0, 0},
		{"Gemini", 400, `{"error":{"message":"The input token count (1200) exceeds the maximum number of tokens allowed (1024).","param":null}}`, 0, 0},
		{"Bedrock", 400, `{"message":"Input is too long for requested model."}`, 0, 0},
		{"Kimi", 400, `{"error":{"message":"Invalid request: Your request exceeded model token limit: 1024"}}`, 0, 0},
		{"MiniMax", 400, `{"error":{"message":"invalid params, context window exceeds limit (2013)"}}`, 0, 0},
		{"TGI, the prompt alone", 422, "{\"error\":\"Input validation error: `inputs` must have less than 1024 tokens. Given: 1200\"}", 0, 0},
		{"Anthropic", 400, `{"error":{"message":"input length and ` + "`max_tokens`" + ` exceed context limit: 788 + 512 > 1024, decrease input length or ` + "`max_tokens`" + ` and try again"}}`, 0, 0},
		{"DashScope", 400, `{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 1024]"}}`, 0, 0},
		{"of a field of the prompt", 400, `{"error":{"message":"string too long, maximum length is 9","param":"messages[0].content"}}`, 0, 0},
	}
	for _, test := range tests {
		for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
			t.Run(fmt.Sprintf("%s to %s", test.name, spec.Provider), func(t *testing.T) {
				server := recording(t, say(test.status, test.body))
				_, err := open(t, model.Options{Spec: spec, BaseURL: server.URL, ContextLimit: 1 << 20}).Chat(
					t.Context(), hello)
				got := as[*model.ContextError](t, err)
				if got.Message == "" || !strings.Contains(err.Error(), got.Message) {
					t.Errorf("error %q does not carry the server's words", err)
				}
				got.Message = ""
				want := &model.ContextError{Status: test.status, Limit: test.limit, Requested: test.asked, Attempts: 1}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("error (-want +got):\n%s", diff)
				}
				if n := len(server.all()); n != 1 {
					t.Errorf("%d requests were sent, want 1", n)
				}
			})
		}
	}
}

func TestOllamaThatFillsItsContextMayHaveCutThePrompt(t *testing.T) {
	server := recording(t, say(200, `{"message":{"content":"x"},"done":true,"prompt_eval_count":512,"eval_count":1}`))
	c := open(t, model.Options{Spec: ollamaSpec, BaseURL: server.URL, ContextLimit: 512})
	_, err := c.Chat(t.Context(), hello)
	got := as[*model.ContextError](t, err)
	if got.Limit != 512 || got.Requested != 512 || got.Attempts != 1 {
		t.Errorf("error is %#v, want 512 of 512 tokens", got)
	}
}

func TestRefusalsAreFinal(t *testing.T) {
	tests := []struct {
		status int
		body   string
		fatal  bool
		want   []string
	}{
		{400, `{"error":{"message":"temperature must be non-negative","type":"BadRequestError","code":400}}`, false,
			[]string{"400 Bad Request: temperature must be non-negative"}},
		// vLLM
		{
			400,
			`{"error":{"message":"max_tokens=5000 cannot be greater than max_model_len=4096. Please request fewer output tokens. (parameter=max_tokens, value=5000)","type":"BadRequestError","param":"max_tokens","code":400}}`, true,
			[]string{"max_tokens=5000 cannot be greater than max_model_len=4096", "give a smaller --max-tokens"}},
		{
			400,
			`{"error":{"message":"1 validation error:\n  {'type': 'int_parsing', 'loc': 'body.seed', 'msg': 'Input should be a valid integer, unable to parse string as an integer', 'input': 'x'}","type":"Bad Request","param":"body.seed","code":400}}`, false,
			[]string{"unable to parse string as an integer"}},
		{401, `{"error":"Unauthorized"}`, true, []string{"401 Unauthorized: Unauthorized", "--api-key-env"}},
		{
			404,
			"{\"error\":{\"message\":\"The model `nope` does not exist. Valid aliases: " +
				"heldout-tiny.\",\"type\":\"NotFoundError\",\"param\":\"model\",\"code\":404}}", true,
			[]string{"404 Not Found: The model `nope` does not exist. Valid aliases: heldout-tiny.", "check the name"}},
		{404, `{"detail":"Not Found"}`, true, []string{"404 Not Found: Not Found", "--base-url"}},
		// llama.cpp
		{400, `{"error":{"code":400,"message":"'messages' is required","type":"invalid_request_error"}}`, false,
			[]string{"400 Bad Request: 'messages' is required"}},
		{401, `{"error":{"message":"Invalid API Key","type":"authentication_error","code":401}}`, true,
			[]string{"401 Unauthorized: Invalid API Key", "--api-key-env"}},
		{404, `{"error":{"message":"File Not Found","type":"not_found_error","code":404}}`, true,
			[]string{"404 Not Found: File Not Found", "--base-url"}},
		// Ollama
		{400, `{"error":"\"heldout-tiny\" does not support thinking"}`, false,
			[]string{`"heldout-tiny" does not support thinking`}},
		{404, `{"error":"model 'nope' not found"}`, true,
			[]string{"404 Not Found: model 'nope' not found", "check the name"}},
		{404, `404 page not found`, true, []string{"404 Not Found: 404 page not found", "--base-url"}},
		{405, `405 method not allowed`, true, []string{"405 Method Not Allowed: 405 method not allowed", "--base-url"}},
		// Others
		{402, `pay first`, true, []string{"402 Payment Required: pay first"}},
		{403, `{"detail":"not you"}`, true, []string{"403 Forbidden: not you", "--api-key-env"}},
		{404, `{"object":"error","message":"The model 'x' does not exist.","type":"NotFoundError","code":404}`, true,
			[]string{"404 Not Found: The model 'x' does not exist.", "check the name"}},
		{405, `{"detail":"Method Not Allowed"}`, true,
			[]string{"405 Method Not Allowed: Method Not Allowed", "--base-url"}},
		// These speak of limits, but not of the prompt's.
		{422, "{\"error\":\"Input validation error: `top_p` must be > 0.0 and < 1.0\"}", true, []string{`'{"top_p":null}'`}},
		{422, "{\"error\":\"Input validation error: `best_of` must be > 0 and <= 2\"}", false, []string{"best_of"}},
		{400, `{"error":{"message":"stop: too many stop sequences, the maximum length is 4"}}`, false, []string{"stop"}},
		{400, `{"error":{"message":"string too long, maximum length is 64","param":"user"}}`, false, []string{"64"}},
		{400, `{"error":{"message":"The access token exceeds its lifetime limit"}}`, false, []string{"lifetime"}},
		{400, `{"error":{"message":"model supports at most 4096 completion tokens"}}`, true, []string{"--max-tokens"}},
		{
			400,
			`{"error":{"message":"Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 8 instead.","type":"invalid_request_error","param":"max_output_tokens","code":"integer_below_min_value"}}`, true,
			[]string{"give a larger --max-tokens"}},
		{400, `{"error":{"message":"max_tokens must be greater than thinking.budget_tokens"}}`, true,
			[]string{"give a larger --max-tokens"}},
		{422, `{"detail":"max_completion_tokens should be at least 16"}`, true, []string{"give a larger --max-tokens"}},
		{403, "\ufeff<!-- x -->\n<HTML><head><title>Just a moment...</title>", true,
			[]string{`a web page with the title "Just a moment..."`, "what stands between"}},
		{418, `[{"error":{"message":"in a list"}}]`, false, []string{"418 I'm a teapot: in a list"}},
		{422, `{"detail":[{"loc":["body","seed"],"msg":"too big","type":"value_error"}]}`, false,
			[]string{"422 Unprocessable Entity", "too big"}},
		{
			429,
			`{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, true,
			[]string{"429 Too Many Requests: You exceeded your current quota"}},
		{404, "<html>\r\n<title>404\x1b[31m\u202e Not Found</title>\x00</html>", true,
			[]string{"404 Not Found: a web page with the title \"404 [31m Not Found\""}},
		{400, `{"error":{}}`, false, []string{"400 Bad Request"}},
		{400, `3`, false, []string{"400 Bad Request: 3"}},
		{
			400,
			`{"error":{"message":"max_tokens is too large: 9999. This model supports at most 4096 completion tokens."}}`, true,
			[]string{"9999", "give a smaller --max-tokens"}},
	}
	for _, test := range tests {
		for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
			server := recording(t, say(test.status, test.body))
			_, err := open(t, model.Options{Spec: spec, BaseURL: server.URL + "/v1", ContextLimit: 1}).Chat(t.Context(),
				hello)
			got := as[*model.RequestError](t, err)
			if got.Status != test.status || got.Attempts != 1 || got.Fatal() != test.fatal ||
				!strings.HasPrefix(got.URL, server.URL+"/v1/") {
				t.Errorf("%s: error is %#v, Fatal() = %v; want status %d after 1 attempt, Fatal() = %v",
					spec.Provider, got, got.Fatal(), test.status, test.fatal)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: error is %q, want %q in it", spec.Provider, err, want)
				}
			}
			if n := len(server.all()); n != 1 {
				t.Errorf("%s: %d requests were sent for status %d, want 1", spec.Provider, n, test.status)
			}
		}
	}
}

// The value of a field of the decoding is the same in every call, so a run had
// better end at once, and tell how to leave the field out.
func TestRefusedDecodingFields(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		field  string
	}{
		{
			"vLLM", 400,
			`{"error":{"message":"temperature must be non-negative, got -1.0. (parameter=temperature, value=-1.0)","type":"BadRequestError","param":"temperature","code":400}}`, "temperature"},
		{
			"vLLM, by its text", 400,
			`{"error":{"message":"top_k must be 0 (disable), or at least 1, got -5.","type":"BadRequestError","param":null,"code":400}}`, "top_k"},
		{
			"vLLM, of stop strings", 400,
			`{"error":{"message":"2 validation errors:\n  {'type': 'string_type', 'loc': 'body.stop', 'msg': 'Input should be a valid string', 'input': '<list of 5 items>'}\n  {'type': 'too_long', 'loc': 'body.stop', 'msg': 'List should have at most 4 items after validation, not 5', 'input': '<list of 5 items>', 'ctx': {'field_type': 'List', 'max_length': 4, 'actual_length': 5}}","type":"Bad Request","param":"body.stop","code":400}}`, "stop"},
		{
			"llama.cpp", 400,
			`{"error":{"code":400,"message":"Field 'top_k': [json.exception.type_error.302] type must be number, but is string","type":"invalid_request_error"}}`, "top_k"},
		{"Ollama", 500, `{"error":"option \"temperature\" must be of type float32"}`, "temperature"},
		{"Ollama, of stop strings", 500, `{"error":"option \"stop\" must be of an array of strings"}`, "stop"},
	}
	for _, test := range tests {
		for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
			server := recording(t, say(test.status, test.body))
			_, err := open(t, model.Options{Spec: spec, BaseURL: server.URL + "/v1", ContextLimit: 1}).Chat(t.Context(),
				hello)
			got := as[*model.RequestError](t, err)
			if got.Field != test.field || !got.Fatal() || got.Attempts != 1 || len(server.all()) != 1 {
				t.Errorf("%s to %s: error is %#v, Fatal() = %v after %d requests; want a fatal one about %s after 1",
					test.name, spec.Provider, got, got.Fatal(), len(server.all()), test.field)
			}
			if want := `--extra-body '{"` + test.field + `":null}'`; !strings.Contains(err.Error(), want) {
				t.Errorf("%s to %s: error is %q, want %q in it", test.name, spec.Provider, err, want)
			}
		}
	}
}

func TestMissingV1IsHintedAt(t *testing.T) {
	server := recording(t, say(404, `{"detail":"Not Found"}`))
	_, err := open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), hello)
	if !strings.Contains(err.Error(), "usually ends in /v1") {
		t.Errorf("error is %q, want a hint at /v1", err)
	}
}

// A page for browsers is told by its title, with what an address looks like.
func TestPagesAreNoReplies(t *testing.T) {
	const page = "<!DOCTYPE html>\n<html><head><title>Welcome\tto &lt;nginx&gt;</title></head></html>"
	const title = `a web page with the title "Welcome to <nginx>"; `
	const advice = "check --base-url: the address of a model server looks like http://HOST:8000/v1"
	for _, status := range []int{200, 404} {
		server := recording(t, say(status, page, "Content-Type", "text/html"))
		client := open(t, model.Options{BaseURL: server.URL, Retry: model.Retry{Attempts: 1}})
		_, err := client.Chat(t.Context(), hello)
		if text := err.Error(); !strings.Contains(text, title) || !strings.HasSuffix(text, advice) {
			t.Errorf("%d: %s", status, text)
		}
	}
}

func TestLongWordsAreCut(t *testing.T) {
	server := recording(t, say(400, strings.Repeat("é ", 100_000)))
	_, err := open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), hello)
	if n := len([]rune(as[*model.RequestError](t, err).Message)); n != 501 {
		t.Errorf("message has %d characters, want 500 and an ellipsis", n)
	}
}

// 304 leads nowhere, so it is no redirect.
func TestNotModified(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotModified)
	}))
	defer server.Close()
	_, err := open(t, model.Options{BaseURL: server.URL}).Chat(t.Context(), hello)
	var refused *model.RequestError
	if !errors.As(err, &refused) || !refused.Fatal() || strings.Contains(err.Error(), "redirect") ||
		!strings.HasSuffix(err.Error(), "check --base-url, and what stands between") {
		t.Error(err)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
		other := recording(t, say(200, vllmReply))
		server := recording(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", other.URL+"/elsewhere")
			w.WriteHeader(http.StatusTemporaryRedirect)
			// A body that would do for a reply changes nothing.
			_, _ = io.WriteString(w, map[model.Provider]string{
				model.VLLM: vllmReply, model.Ollama: ollamaReply}[spec.Provider])
		})
		c := open(t, model.Options{Spec: spec, BaseURL: server.URL, Key: model.NewSecret(key), ContextLimit: 1000})
		_, err := c.Chat(t.Context(), hello)
		got := as[*model.RequestError](t, err)
		if got.Status != 307 || !got.Fatal() || !strings.Contains(err.Error(), other.URL+"/elsewhere") {
			t.Errorf("%s: error is %v, want one that names where it leads", spec.Provider, err)
		}
		if n := len(other.all()); n != 0 {
			t.Errorf("%s: %d requests reached the other host", spec.Provider, n)
		}
	}
}

func TestKeyAppearsNowhere(t *testing.T) {
	echo := func(status int, format string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://else/?"+r.Header.Get("Authorization"))
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, format, r.Header.Get("Authorization"))
		}
	}
	quoted, err := json.Marshal("Bearer " + key)
	if err != nil {
		t.Fatal(err)
	}
	handlers := map[string]http.HandlerFunc{
		"refused":         echo(400, `{"error":{"message":"bad header %s"}}`),
		"refused, raw":    echo(401, `%[1]s %[1]s`),
		"escaped":         say(401, `{"headers":{"authorization":`+string(quoted)+`}}`),
		"slashes escaped": say(401, `{"authorization":"`+strings.ReplaceAll(key, "/", `\/`)+`"}`),
		"html":            say(401, `<p>`+strings.ReplaceAll(key, "&", "&amp;")+`</p>`),
		"percent":         say(401, `key=sk-test%2F0123456789%2Babcdef%3D%26x`),
		"overflow": echo(400,
			`{"error":{"message":"maximum context length is 5, %s","code":"context_length_exceeded"}}`),
		"unavailable":    echo(503, `{"error":"%s"}`),
		"garbage":        echo(200, `%s`),
		"error with 200": echo(200, `{"error":{"message":"%s"}}`),
		"redirect":       echo(302, ``),
		"cut in the key": echo(500, strings.Repeat("x", 480)+` %s`),
		"bad status line": func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Errorf("hijack: %v", err)
				return
			}
			_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\n%s\r\n\r\n", r.Header.Get("Authorization"))
			_ = conn.Close()
		},
	}
	for name, handler := range handlers {
		for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
			server := httptest.NewServer(handler)
			options := model.Options{Spec: spec, BaseURL: server.URL + "/" + key, Key: model.NewSecret(key + "\n"),
				ContextLimit: 1000}
			c := open(t, options)
			_, err := c.Chat(t.Context(), hello)
			if err == nil {
				t.Errorf("%s: no error", name)
			}
			_, serverErr := c.Server(t.Context())
			var log strings.Builder
			slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "key", options.Key, "options", options.Key, "err", err)
			var wrapped bytesOf
			wrapped.add(t, err)
			wrapped.add(t, fmt.Errorf("wrapped: %w", err))
			wrapped.add(t, serverErr)
			wrapped.add(t, options.Key)
			wrapped.add(t, &options.Key)
			wrapped.add(t, struct{ key model.Secret }{options.Key})
			wrapped.add(t, open(t, model.Options{Spec: spec, Key: options.Key}))
			wrapped.add(t, slices.Collect(model.Examine(t.Context(), c, nil, 1)))
			text := wrapped.String() + log.String()
			// Half of it, lest the rest was cut off.
			for _, half := range []string{key[:14], key[14:]} {
				if at := strings.Index(text, half); at >= 0 {
					t.Errorf("%s to %s: the key appears in …%s…", name, spec.Provider,
						text[max(at-80, 0):min(at+80, len(text))])
				}
			}
			server.Close()
		}
	}
}

// bytesOf gathers every way in which a value may be printed.
type bytesOf struct{ strings.Builder }

func (b *bytesOf) add(t *testing.T, value any) {
	t.Helper()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		_, _ = fmt.Fprintf(b, verb+"\n", value)
	}
	if encoded, err := json.Marshal(value); err == nil {
		b.Write(encoded)
	}
	if s, ok := value.(fmt.Stringer); ok {
		b.WriteString(s.String())
	}
}

func TestCancellationIsTheCallersOwn(t *testing.T) {
	for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
		ctx, cancel := context.WithCancel(t.Context())
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			cancel()
			<-r.Context().Done()
		}))
		c := open(t, model.Options{Spec: spec, BaseURL: server.URL, ContextLimit: 1})
		_, err := c.Chat(ctx, hello)
		if !errors.Is(err, context.Canceled) || err != ctx.Err() {
			t.Errorf("%s: error is %T %v, want context.Canceled itself", spec.Provider, err, err)
		}
		if _, err = c.Chat(ctx, hello); err != ctx.Err() {
			t.Errorf("%s: called with a context that is done: %v", spec.Provider, err)
		}
		if _, err = c.Server(ctx); err != ctx.Err() {
			t.Errorf("%s: Server with a context that is done: %v", spec.Provider, err)
		}
		server.Close()
	}
}

func TestNobodyThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
		c := open(t, model.Options{Spec: spec, BaseURL: address})
		_, err := c.Chat(t.Context(), hello)
		if got := as[*model.UnavailableError](t, err); got.Attempts != 1 || !strings.Contains(got.Message, "refused") {
			t.Errorf("%s: Chat: %v, want a refused connection", spec.Provider, err)
		}
		_, err = c.Server(t.Context())
		if got := as[*model.UnavailableError](t, err); got.Attempts != 1 || got.Status != 0 {
			t.Errorf("%s: Server: %v, want to give up at once", spec.Provider, err)
		}
	}
}
