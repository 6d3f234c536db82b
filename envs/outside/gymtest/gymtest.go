// Package gymtest answers as servers of AgentGym did when AgentGym's evaluator was recorded with them.
package gymtest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"reflect"
	"testing"
)

// Exchange is a recorded request, what it sent and how it was answered, byte for byte. It belongs to a
// task, or to all.
type Exchange struct {
	Task, Path string
	Sent       map[string]any
	Answer     string
}

// Tasks names the tasks of a recording in their order.
func Tasks(recorded []Exchange) (names []string) {
	for _, x := range recorded {
		if n := len(names); x.Task != "" && (n == 0 || names[n-1] != x.Task) {
			names = append(names, x.Task)
		}
	}
	return names
}

// TaskExchanges are the recorded requests of a task: its reset, perhaps a request for the observation, and its steps.
func TaskExchanges(recorded []Exchange, task string) (own []Exchange) {
	for _, x := range recorded {
		if x.Task == task {
			own = append(own, x)
		}
	}
	return own
}

// Serve plays the server with one task, and returns the address of its environment. Anything but the recorded
// requests in their order fails the test, and so does a request that is never made. The evaluator says more
// when it makes a game, which the servers ignore, and closes none: only how these are answered counts.
func Serve(t *testing.T, recorded []Exchange, task string) (address string) {
	t.Helper()
	general, remaining, folder := map[string]string{}, TaskExchanges(recorded, task), "/"
	for _, x := range recorded {
		if x.Task == "" {
			general[x.Path] = x.Answer
		}
		if path.Base(x.Path) == "create" {
			folder = path.Dir(x.Path)
		}
	}
	general[path.Join(folder, "close")] = "true"
	answer := func(w http.ResponseWriter, r *http.Request) {
		if text, ok := general[r.URL.RequestURI()]; ok {
			_, _ = io.WriteString(w, text)
			return
		}
		var sent map[string]any
		body, err := io.ReadAll(r.Body)
		if err == nil && r.Method == http.MethodPost {
			err = json.Unmarshal(body, &sent)
		}
		if err != nil || len(remaining) == 0 || r.URL.RequestURI() != remaining[0].Path ||
			!reflect.DeepEqual(sent, remaining[0].Sent) {
			t.Errorf("%s: %s %s %.300s (%v), and %d requests were left: %+.300v", task, r.Method, r.URL, body, err,
				len(remaining), remaining[:min(1, len(remaining))])
			http.NotFound(w, r)
			return
		}
		_, _ = io.WriteString(w, remaining[0].Answer)
		remaining = remaining[1:]
	}
	// A game is played by one request after the other.
	server := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(func() {
		server.Close()
		if len(remaining) > 0 {
			t.Errorf("%s: %d recorded requests were not made: %+.300v", task, len(remaining), remaining[0])
		}
	})
	if folder == "/" {
		return server.URL
	}
	return server.URL + folder
}
