// Package fleettest has a server for tests that goes away and comes back.
package fleettest

import (
	"net"
	"net/http"
	"sync"
	"testing"
)

// Switchable serves HTTP at one address, unless it is away. It keeps its port while it
// is away, because the system could give that to somebody else: connections are
// accepted and broken.
type Switchable struct {
	// URL is http://HOST:PORT.
	URL string

	net.Listener
	mu    sync.Mutex
	away  bool
	conns map[net.Conn]bool
}

// New starts a server. It ends with the test.
func New(t *testing.T, handler http.Handler) *Switchable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Switchable{URL: "http://" + l.Addr().String(), Listener: l, conns: map[net.Conn]bool{}}
	served := &http.Server{Handler: handler, ConnState: s.note}
	go func() { _ = served.Serve(s) }()
	t.Cleanup(func() { _ = served.Close() })
	return s
}

// Accept implements net.Listener.
func (s *Switchable) Accept() (net.Conn, error) {
	for {
		c, err := s.Listener.Accept()
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		away := s.away
		if !away {
			s.conns[c] = true
		}
		s.mu.Unlock()
		if !away {
			return c, nil
		}
		_ = c.Close()
	}
}

// note forgets connections that are closed.
func (s *Switchable) note(c net.Conn, state http.ConnState) {
	if state == http.StateClosed {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.conns, c)
	}
}

// Leave breaks all connections, and those that come, until Come.
func (s *Switchable) Leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = true
	for c := range s.conns {
		_ = c.Close()
	}
}

// Come ends Leave.
func (s *Switchable) Come() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = false
}
