package model_test

import (
	"net/http"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// A reply names the model that wrote it, as far as it has a name, fit to be shown.
func TestNamesOfReplies(t *testing.T) {
	for told, want := range map[string]string{
		`"m"`: "m", `null`: "", `""`: "", `7`: "", `{"id":"m"}`: "", `["m"]`: "", `true`: "",
		`"a\u001b[31mb\n\u202ec"`:            "a [31mb c",
		`"` + key + `"`:                      "[redacted]",
		`"` + strings.Repeat("x", 999) + `"`: strings.Repeat("x", 500) + "…",
	} {
		for spec, body := range map[model.Spec]string{
			vllmSpec:   `{"model":TOLD,"system_fingerprint":TOLD,"choices":[{"message":{"content":"go"},"finish_reason":"stop"}]}`,
			ollamaSpec: `{"model":TOLD,"message":{"content":"go"},"done":true,"done_reason":"stop"}`,
		} {
			body = strings.ReplaceAll(body, "TOLD", told)
			reply, err := chatWith(t, spec, func() *http.Response { return respond(200, body) })
			if err != nil || reply.Model != want || spec == vllmSpec && reply.Fingerprint != want {
				t.Errorf("%s: %q and %q, %v; want %q", told, reply.Model, reply.Fingerprint, err, want)
			}
		}
	}
	stream := `data: {"model":null,"choices":[{"delta":{"content":"g"}}]}` + "\n\n" + `data: {"model":"m-1","choices":[{"delta":{"content":"o"},"finish_reason":"stop"}]}` + "\n\n"
	reply, err := chatWith(t, vllmSpec, func() *http.Response {
		return respond(200, stream, "Content-Type", "text/event-stream")
	})
	if err != nil || reply.Model != "m-1" {
		t.Errorf("in pieces: %q, %v", reply.Model, err)
	}
}

// Another model is one that the server lists beside ours: not an alias, another spelling, or another name of the same
// weights.
func TestOtherModels(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Asked, Cards, Answers string
		Other                 bool
	}](t, "othermodels.yaml") {
		client := open(t, model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: c.Asked}, Transport: roundTrip(
			func(req *http.Request) (*http.Response, error) {
				if req.Method == http.MethodGet {
					return respond(200, `{"data":[`+c.Cards+`]}`), nil
				}
				return respond(200, `{"model":"`+c.Answers+`","choices":[{"message":{"content":"go"}}]}`), nil
			})})
		sharedtest.OK(t, sharedtest.Err(client.Server(t.Context())))
		reply, err := client.Chat(t.Context(), hello)
		if err != nil || reply.Model != c.Answers || reply.OtherModel != c.Other {
			t.Errorf("%s of %s, answered by %s: another model is %v, %v", c.Asked, c.Cards, c.Answers, reply.OtherModel,
				err)
		}
	}
}
