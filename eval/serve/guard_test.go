package serve

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
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
	for _, c := range []struct {
		name    string
		server  *Server
		path    string
		headers []string
		code    int
	}{
		{"loopback", open, "/metadata", nil, 200},
		{"another loopback", open, "/metadata", []string{"Host", "localhost:1"}, 200},
		{"version 6", open, "/metadata", []string{"Host", "[::1]:8000"}, 200},
		{"own name", open, "/metadata", []string{"Host", "Trainer.example:8000"}, 200},
		{"rebinding", open, "/metadata", []string{"Host", "evil.example"}, 403},
		{"other site", open, "/metadata", []string{"Origin", "http://evil.example"}, 403},
		{"other port of this machine", open, "/metadata", []string{"Origin", "http://127.0.0.1:9"}, 403},
		{"own page", open, "/metadata", []string{"Origin", "http://127.0.0.1:8000"}, 200},
		{"broken origin", open, "/metadata", []string{"Origin", "null"}, 403},
		{"cross-site", open, "/metadata", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"no token", closed, "/metadata", nil, 401},
		{"no token for metrics", closed, "/metrics", nil, 401},
		{"no token for a batch", closed, "/v1/envs", nil, 401},
		{"health", closed, "/health", nil, 200},
		{"health of a mount", closed, "/openenv/echo/health", nil, 200},
		{"bearer", closed, "/metadata", []string{"Authorization", "Bearer correct-horse"}, 200},
		{"bearer in small letters", closed, "/metadata", []string{"Authorization", "bearer  correct-horse"}, 200},
		{"wrong bearer", closed, "/metadata", []string{"Authorization", "Bearer correct-horsf"}, 401},
		{"beginning of the token", closed, "/metadata", []string{"Authorization", "Bearer correct"}, 401},
		{"empty bearer", closed, "/metadata", []string{"Authorization", "Bearer "}, 401},
		{"key", closed, "/metadata", []string{"X-API-Key", "correct-horse"}, 200},
		{"wrong key", closed, "/metadata", []string{"X-API-Key", "x"}, 401},
		{"password", closed, "/metadata", []string{"Authorization", "Basic eDpjb3JyZWN0LWhvcnNl"}, 200},
		{"wrong password", closed, "/metadata", []string{"Authorization", "Basic eDp4"}, 401},
		{"any name with a token", closed, "/metadata",
			[]string{"Host", "any.example", "X-API-Key", "correct-horse"}, 200},
	} {
		if got := ask(c.server, "GET", c.path, "", c.headers...); got.Code != c.code {
			t.Errorf("%s: status %d, want %d: %s", c.name, got.Code, c.code, got.Body)
		}
	}
	answer := ask(closed, "GET", "/metadata", "")
	if strings.Contains(answer.Body.String(), "correct-horse") || answer.Header().Get("WWW-Authenticate") == "" {
		t.Errorf("401: %s, %v", answer.Body, answer.Header())
	}
	if got := ask(open, "GET", "/metadata", "", "Origin", "http://127.0.0.1:8000").Header().Get(
		"Access-Control-Allow-Origin"); got != "" {
		t.Errorf("other sites may read answers: %q", got)
	}
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
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	s.open.wait()
}

func TestProfilesOnRequest(t *testing.T) {
	plain, _ := testServer(t, nil)
	if got := ask(plain, "GET", "/debug/pprof/", ""); got.Code != http.StatusNotFound {
		t.Errorf("profiles without request: status %d", got.Code)
	}
	asked, _ := testServer(t, func(o *Options) { o.Profiles = true })
	if got := ask(asked, "GET", "/debug/pprof/", ""); got.Code != http.StatusOK {
		t.Errorf("profiles on request: status %d", got.Code)
	}
}
