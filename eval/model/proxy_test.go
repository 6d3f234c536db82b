package model

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// What a proxy refuses does not look like the server's refusal, and requests name
// the program.
func TestProxyAndUserAgent(t *testing.T) {
	var agents []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents = append(agents, r.UserAgent())
		http.Error(w, "blocked by policy", http.StatusForbidden)
	}))
	defer proxy.Close()
	at := sharedtest.Must(url.Parse(proxy.URL))(t)
	at.User = url.UserPassword("me", "sesame")
	for _, base := range []string{"http://model.test/v1", "https://model.test/v1"} {
		c := sharedtest.Must(Open(Options{Spec: Spec{Provider: VLLM, Name: "m"}, BaseURL: base,
			UserAgent: "heldout/1", Now: time.Now, Proxy: http.ProxyURL(at), Retry: Retry{Attempts: 1}}))(t)
		_, err := c.Chat(t.Context(), Request{Messages: []Message{{Role: User, Content: "hello"}},
			Decoding: record.Decoding{TopP: 1, MaxTokens: 5}})
		c.Close()
		want := "the request went through the HTTP proxy " + at.Host + ", which may have answered in the server's place"
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v", base, err)
		}
	}
	if len(agents) == 0 || agents[0] != "heldout/1" {
		t.Errorf("%q", agents)
	}
}
