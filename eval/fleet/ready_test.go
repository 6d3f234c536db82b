package fleet

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"heldout/eval/fleet/fleettest"
	"heldout/eval/model"
)

// loading answers a question about itself with a status so many times, and then as a server does.
type loading struct {
	left   atomic.Int64
	status int
}

func (l *loading) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	if l.left.Add(-1) >= 0 {
		w.WriteHeader(l.status)
		return
	}
	_, _ = w.Write([]byte(`{"data":[{"id":"m","max_model_len":4096}]}`))
}

func awaited(t *testing.T, status int, times int64, away bool, patience time.Duration) ([]string, error) {
	t.Helper()
	l := &loading{status: status}
	l.left.Store(times)
	s := fleettest.New(t, l)
	if away {
		s.Leave()
	}
	var lines []string
	f, err := Open(Options{
		Servers: []string{s.URL + "/v1"}, Attempts: 1, Now: time.Now, Pace: time.Millisecond,
		Tell: func(line string) {
			if strings.HasPrefix(line, "waits") {
				lines = append(lines, line)
			}
			if away {
				s.Come()
			}
		},
		Open: func(address string) (*model.Client, error) {
			return model.Open(model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "m"}, BaseURL: address,
				Retry: model.Retry{Attempts: 1}, Now: time.Now})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	about, err := f.Await(context.Background(), patience)
	if err == nil && about.ContextLength != 4096 {
		t.Errorf("the server is %+v", about)
	}
	return lines, err
}

// A server that loads its model, or is not there yet, is waited for.
func TestAwait(t *testing.T) {
	for _, away := range []bool{false, true} {
		lines, err := awaited(t, http.StatusServiceUnavailable, 3, away, time.Minute)
		if err != nil || len(lines) != 1 || !strings.HasPrefix(lines[0],
			"waits for its model servers, at most 1m0s: http://127.0.0.1:") {
			t.Errorf("away %v: %q, %v", away, lines, err)
		}
	}
}

// What waiting does not change ends it, and so does its end.
func TestAwaitEnds(t *testing.T) {
	if lines, err := awaited(t, http.StatusUnauthorized, 1<<40, false, time.Hour); err == nil || Unready(err) ||
		len(lines) > 0 {
		t.Errorf("refused: %q, %v", lines, err)
	}
	if lines, err := awaited(t, http.StatusServiceUnavailable, 1, false, 0); !Unready(err) || len(lines) > 0 {
		t.Errorf("no patience: %q, %v", lines, err)
	}
	_, err := awaited(t, http.StatusServiceUnavailable, 1<<40, false, 20*time.Millisecond)
	if err == nil || !strings.HasPrefix(err.Error(), "no model server was ready after 20ms (--set wait-for-servers): ") {
		t.Error(err)
	}
}
