package model_test

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
)

// As many connections as calls in flight stay open for the next calls.
func TestConnectionsAreKept(t *testing.T) {
	const inFlight = 32
	var opened atomic.Int64
	var together sync.WaitGroup
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		together.Done()
		together.Wait()
		say(200, vllmReply)(w, r)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	c := open(t, model.Options{BaseURL: server.URL, Concurrency: inFlight})
	for range 3 {
		together.Add(inFlight)
		var group errgroup.Group
		for range inFlight {
			group.Go(func() error {
				_, err := c.Chat(t.Context(), hello)
				return err
			})
		}
		sharedtest.OK(t, group.Wait())
	}
	sharedtest.Equal(t, opened.Load(), inFlight, "connections were opened for calls in flight")
	c.Close()
}

// Nobody gets better by waiting for a wrong certificate or protocol.
func TestServerThatCannotBeSpokenTo(t *testing.T) {
	encrypted := httptest.NewUnstartedServer(say(200, "{}"))
	encrypted.Config.ErrorLog = log.New(io.Discard, "", 0)
	encrypted.StartTLS()
	defer encrypted.Close()
	plain := recording(t, say(200, "{}"))
	for base, want := range map[string]string{
		encrypted.URL: "certificate",
		strings.Replace(plain.URL, "http:", "https:", 1): "TLS handshake (a server without cert",
	} {
		_, err := open(t, model.Options{BaseURL: base}).Server(t.Context())
		if got := as[*model.UnavailableError](t, err); got.Attempts != 1 || !strings.Contains(got.Message, want) {
			t.Errorf("%s: error is %v, want %q after 1 attempt", base, err, want)
		}
	}
}
