package serve

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"heldout/envs/sharedtest"
)

// ask sends a request without a network.
func ask(s *Server, method, target, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "127.0.0.1:8000"
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func TestGuard(t *testing.T) {
	open, _ := testServer(t, func(o *Options) { o.Names = []string{"trainer.example"} })
	closed, _ := testServer(t, func(o *Options) { o.Token = "correct-horse" })
	for _, c := range sharedtest.Cases[struct {
		Name    string
		Closed  bool
		Path    string
		Headers []string
		Code    int
	}](t, "guard.yaml") {
		s := open
		if c.Closed {
			s = closed
		}
		if got := ask(s, "GET", c.Path, "", c.Headers...); got.Code != c.Code {
			t.Errorf("%s: status %d, want %d: %s", c.Name, got.Code, c.Code, got.Body)
		}
	}
	answer := ask(closed, "GET", "/metadata", "")
	if strings.Contains(answer.Body.String(), "correct-horse") || answer.Header().Get("WWW-Authenticate") == "" {
		t.Errorf("401: %s, %v", answer.Body, answer.Header())
	}
	sharedtest.Equal(t, ask(open, "GET", "/metadata", "", "Origin", "http://127.0.0.1:8000").Header().Get(
		"Access-Control-Allow-Origin"), "", "other sites may read answers")
}

// A WebSocket without the token gets no upgrade.
func TestGuardBeforeTheUpgrade(t *testing.T) {
	s, url := online(t, func(o *Options) { o.Token = "correct-horse" })
	address := "ws" + strings.TrimPrefix(url, "http") + "/ws"
	_, response, err := websocket.DefaultDialer.Dial(address, nil)
	if err == nil || response.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: %v", err)
	}
	_, response, err = websocket.DefaultDialer.Dial(address,
		http.Header{"Origin": {"http://evil.example"}, "X-API-Key": {"correct-horse"}})
	if err == nil || response.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: %v", err)
	}
	conn, _, err := websocket.DefaultDialer.Dial(address, http.Header{"Authorization": {"Bearer correct-horse"}})
	sharedtest.OK(t, err)
	conn.Close()
	s.awaitSockets(t.Context())
}

func TestProfilesOnRequest(t *testing.T) {
	plain, _ := testServer(t, nil)
	sharedtest.Equal(t, ask(plain, "GET", "/debug/pprof/", "").Code, http.StatusNotFound,
		"profiles without request: status")
	asked, _ := testServer(t, func(o *Options) { o.Profiles = true })
	sharedtest.Equal(t, ask(asked, "GET", "/debug/pprof/", "").Code, http.StatusOK, "profiles on request: status")
}
