package model_test

import (
	"net/http"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// fixed is what a server says.
type fixed struct {
	Status  int
	Body    string
	Headers []string // names and values in turn
	Raw     string   // bytes in place of an answer
}

func (f fixed) handler(t *testing.T) http.HandlerFunc {
	if f.Status == 0 {
		return hijacked(t, f.Raw)
	}
	return say(f.Status, f.Body, f.Headers...)
}

// endpoints serves fixed answers by path, and 404 elsewhere.
func endpoints(answers map[string]http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if answer, ok := answers[r.URL.Path]; ok {
			answer(w, r)
			return
		}
		say(404, `{"detail":"Not Found"}`)(w, r)
	}
}

func TestServer(t *testing.T) {
	for _, test := range sharedtest.Cases[struct {
		Name    string
		Spec    model.Spec
		Answers map[string]fixed
		Want    record.ServerReport
		Limit   int
	}](t, "reports.yaml") {
		t.Run(test.Name, func(t *testing.T) {
			answers := map[string]http.HandlerFunc{}
			for path, a := range test.Answers {
				answers[path] = a.handler(t)
			}
			server := recording(t, endpoints(answers))
			c := open(t, model.Options{Spec: test.Spec, BaseURL: server.URL + "/v1"})
			got := sharedtest.Must(c.Server(t.Context()))(t)
			sharedtest.Same(t, got, test.Want, "server")
			sharedtest.Equal(t, c.ContextLimit(), test.Limit, "ContextLimit() =")
			c = open(t, model.Options{Spec: test.Spec, BaseURL: server.URL + "/v1", ContextLimit: 77})
			if _, err := c.Server(t.Context()); err != nil || c.ContextLimit() != 77 {
				t.Errorf("ContextLimit() = %d, %v with an option of 77", c.ContextLimit(), err)
			}
		})
	}
}

func TestServerErrors(t *testing.T) {
	for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
		_, err := open(t, model.Options{Spec: spec, BaseURL: recording(t, say(401, `{"error":"who are you"}`)).URL}).Server(t.Context())
		if got := as[*model.RequestError](t, err); got.Status != 401 || !got.Fatal() {
			t.Errorf("%s: error is %v, want a fatal 401", spec.Provider, err)
		}
		_, err = open(t, model.Options{Spec: spec, BaseURL: recording(t, say(503, `loading`)).URL}).Server(t.Context())
		if got := as[*model.UnavailableError](t, err); got.Status != 503 || got.Attempts != 4 {
			t.Errorf("%s: error is %v, want a 503 after 4 attempts", spec.Provider, err)
		}
		flaky := recording(t, say(500, ""), say(200, "{"), endpoints(map[string]http.HandlerFunc{
			"/v1/models": say(200, `{"data":[]}`), "/api/tags": say(200, ollamaTags), "/v1/api/tags": say(200, ollamaTags), "/v1/api/show": say(200, ollamaShow),
		}))
		if _, err = open(t, model.Options{Spec: spec, BaseURL: flaky.URL + "/v1"}).Server(t.Context()); err != nil {
			t.Errorf("%s: a server that fails twice: %v", spec.Provider, err)
		}
	}
}

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
