// Package fleettest has a server for tests that goes away and comes back.
package fleettest

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// Switchable serves HTTP at one address, unless it is away. It keeps its port while it is away, because the system
// could give that to somebody else: connections are accepted and broken.
type Switchable struct {
	*httptest.Server
	away atomic.Bool
}

// New starts a server. It ends with the test.
func New(t *testing.T, handler http.Handler) *Switchable {
	t.Helper()
	s := &Switchable{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.away.Load() {
			panic(http.ErrAbortHandler) // which breaks the connection
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// Leave breaks all connections, and those that come, until Come.
func (s *Switchable) Leave() {
	s.away.Store(true)
	s.CloseClientConnections()
}

// Come ends Leave.
func (s *Switchable) Come() { s.away.Store(false) }
