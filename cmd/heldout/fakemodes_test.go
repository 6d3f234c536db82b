package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// fakeReplies are ways of a server to answer badly: behind the fake server's
// address and a name from here, every reply is that.
var fakeReplies = map[string]string{
	"cutoff":    `{"message":{"content":null,"reasoning_content":"Let me see"},"finish_reason":"length"}`,
	"think":     `{"message":{"content":"<think>I could say\nAction: dance"},"finish_reason":"stop"}`,
	"reasoning": `{"message":{"content":null,"reasoning":"Let me see"},"finish_reason":"stop"}`,
	"toolcalls": `{"message":{"content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"move","arguments":"{}"}}]},"finish_reason":"tool_calls"}`,
	"filter":    `{"message":{"content":""},"finish_reason":"content_filter"}`,
	"null":      `{"message":{"content":null},"finish_reason":"stop"}`,
	"empty":     `{"message":{"content":" \n"},"finish_reason":"stop"}`,
	"prose":     `{"message":{"content":"I would rather not."},"finish_reason":"stop"}`,
	"uncounted": `{"message":{"content":"Thought: I look.\nAction: check valid actions"},"finish_reason":"stop"}`,
	"echo":      `{"message":{"content":"Thought: My key is KEY.\nAction: dance","reasoning_content":"KEY?"},"finish_reason":"KEY"}`,
}

// fakeRefusals are requests that some services refuse, by what they hold, and their words.
var fakeRefusals = map[string]struct{ holds, words string }{
	"newlength": {
		`"max_tokens"`,
		`{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`},
	"noseed": {
		`"seed"`,
		`[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"seed\": Cannot find field.","status":"INVALID_ARGUMENT"}}]`},
	"nosampling": {
		`"temperature"`,
		`{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`},
	"nosystem": {`"system"`,
		`{"error":{"message":"System role not supported","type":"BadRequestError","param":null,"code":400}}`},
	"notemplate": {
		`"messages"`,
		`{"object":"error","message":"As of transformers v4.44, default chat template is no longer allowed, so you must provide a chat template if the tokenizer does not define one.","type":"BadRequestError","param":null,"code":400}`},
}

// misbehave answers a request for a reply in the way that the path names first;
// false if it names none, or the server has nothing against the request.
func misbehave(w http.ResponseWriter, r *http.Request, body []byte) bool {
	mode, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if reply, ok := fakeReplies[mode]; ok {
		key, _ := json.Marshal(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		reply = strings.ReplaceAll(reply, "KEY", strings.Trim(string(key), `"`))
		counted := `,"usage":{"prompt_tokens":9,"completion_tokens":9}`
		if mode == "uncounted" {
			counted = ""
		}
		fmt.Fprintf(w, `{"choices":[%s]%s}`, reply, counted)
		return true
	}
	if refusal, ok := fakeRefusals[mode]; ok && strings.Contains(string(body), refusal.holds) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, refusal.words)
		return true
	}
	return false
}
