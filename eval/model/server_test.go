package model_test

import (
	"net/http"
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
