package agentgym_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"heldout/envs"
	"heldout/envs/outside"
	"heldout/envs/outside/agentgym"
	"heldout/envs/sharedtest"
)

// BenchmarkCost measures an episode's beginning with its end, and a step. Both have the work of a server in this
// process; "bare" is the same request by Go's client alone.
func BenchmarkCost(b *testing.B) {
	answers := textCraft()
	answers["/create"] = `{"id": 0}`
	answers["/step"] = `{"observation": "` + strings.Repeat("Got 1 stick. ", 20) + `", "reward": 0, "done": false}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, answers[path.Clean(r.URL.Path)])
	}))
	defer server.Close()
	provider := agentgym.New(server.URL, nil, envs.Outside{})
	defer provider.Close()
	env := sharedtest.Must(outside.New(b.Context(), "agentgym", provider, outside.Configured(nil)))(b)
	begin := func() envs.World {
		w, err := env.NewWorld(env.Tasks()[0])
		if err == nil {
			_, err = w.Start(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
		return w
	}
	sharedtest.Cost(b, "start", func(int) { _ = begin().Close() })
	w := begin()
	defer w.Close()
	sharedtest.Cost(b, "step", func(int) {
		if _, err := w.Step(b.Context(), "get 1 stick"); err != nil {
			b.Fatal(err)
		}
	})
	sharedtest.Cost(b, "bare", func(int) {
		body := strings.NewReader(`{"action":"get 1 stick","id":0}`)
		response := sharedtest.Must(http.Post(server.URL+"/step", "application/json", body))(b)
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	})
}
