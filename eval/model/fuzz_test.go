package model_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"heldout/eval/model"
)

// chatWith makes one attempt at a server that gives that answer, and checks what must hold whatever the answer was.
func chatWith(t *testing.T, spec model.Spec, answer func() *http.Response) (model.Reply, error) {
	c := open(t, model.Options{
		Spec: spec, Key: model.NewSecret(key), ContextLimit: 1000, Retry: model.Retry{Attempts: 1},
		Transport: roundTrip(func(*http.Request) (*http.Response, error) { return answer(), nil }),
	})
	reply, err := c.Chat(t.Context(), hello)
	if err == nil {
		if reply.Attempts != 1 || reply.PromptTokens < 0 || reply.CompletionTokens < 0 ||
			!utf8.ValidString(reply.Text) || !utf8.ValidString(reply.Reasoning) {
			t.Errorf("%s: reply is %+v", spec.Provider, reply)
		}
		return reply, nil
	}
	var tooLong *model.ContextError
	var refused *model.RequestError
	var unavailable *model.UnavailableError
	if !errors.As(err, &tooLong) && !errors.As(err, &refused) && !errors.As(err, &unavailable) {
		t.Errorf("%s: error is %T", spec.Provider, err)
	}
	text := err.Error()
	if len([]rune(text)) > 1000 || !utf8.ValidString(text) || strings.Contains(text, key) ||
		strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("%s: error is not fit to be shown: %q", spec.Provider, text)
	}
	if tooLong != nil && (tooLong.Limit < 0 || tooLong.Requested < 0) {
		t.Errorf("%s: error is %#v", spec.Provider, tooLong)
	}
	return reply, err
}

func FuzzReply(f *testing.F) {
	for _, body := range []string{
		vllmReply, ollamaReply, ``, `{}`, `null`, `[]`, `[{"error":"x"}]`,
		`{"error":{"message":"maximum context length is 5"}}`,
		`{"choices":[{"message":{"content":null,"reasoning":"x"}}],"usage":{"prompt_tokens":-1}}`,
		`{"choices":[{"message":{"content":[{"type":"text","text":"a"}]}}],"CHOICES":[]}`,
		`{"message":{"content":"a"},"done":false}` + "\n" + `{"message":{"content":"b"},"done":true,"eval_count":-5}`,
		`{"choices":[{"message":{"content":"\ud800"}}]}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
			_, err := chatWith(t, spec, func() *http.Response { return respond(200, string(body)) })
			var refused *model.RequestError
			if errors.As(err, &refused) {
				t.Errorf("%s: an answer passes for a refusal: %v", spec.Provider, err)
			}
		}
	})
}

func FuzzRefusal(f *testing.F) {
	for _, body := range []string{
		``, `no`, `{"error":"x"}`, `{"error":{"message":"x","code":"insufficient_quota"}}`,
		`{"object":"error","message":"x"}`, `{"detail":[{}]}`,
		`{"error":{"type":"exceed_context_size_error","n_ctx":1e300,"n_prompt_tokens":-1}}`, "\x1b[31m\u202e" + key,
		`{"error":{"message":"maximum context length is 99999999999999999999 tokens, your messages resulted in 5 tokens"}}`,
		`[{"error":{"message":"x"}}]`, `{"error":"option \"temperature\" must be of type float32"}`,
		`{"error":{"message":"min_p","param":"body.stop"}}`, "{\"error\":\"\xff\"}",
	} {
		for _, status := range []int{400, 401, 404, 413, 422, 429, 500, 302, 101} {
			f.Add(status, []byte(body), "1")
		}
	}
	f.Fuzz(func(t *testing.T, status int, body []byte, header string) {
		if status < 100 || status > 999 || status/100 == 2 {
			return
		}
		for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
			_, err := chatWith(t, spec, func() *http.Response {
				return respond(status, string(body), "Retry-After", header, "Location", header)
			})
			var unavailable *model.UnavailableError
			again := errors.As(err, &unavailable)
			if err == nil || again && status < 500 && !slices.Contains([]int{408, 409, 424, 425, 429}, status) {
				t.Errorf("%s: status %d ends in %v", spec.Provider, status, err)
			}
		}
	})
}
