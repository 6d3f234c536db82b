//go:build unix

package main

import (
	"bytes"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// movingServer is a model server that can go away and come back at its address.
type movingServer struct {
	t       *testing.T
	handler http.Handler
	address string

	mu     sync.Mutex
	server *http.Server // nil while it is away
}

func newMovingServer(t *testing.T, handler http.Handler) *movingServer {
	m := &movingServer{t: t, handler: handler, address: "127.0.0.1:0"}
	m.come()
	t.Cleanup(m.leave)
	return m
}

func (m *movingServer) url() string { return "http://" + m.address }

func (m *movingServer) come() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.server != nil {
		return
	}
	l, err := net.Listen("tcp", m.address)
	if err != nil {
		m.t.Error(err)
		return
	}
	m.address = l.Addr().String()
	m.server = &http.Server{Handler: m.handler}
	go func(s *http.Server) { _ = s.Serve(l) }(m.server)
}

// leave breaks the connections.
func (m *movingServer) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.server != nil {
		_ = m.server.Close()
		m.server = nil
	}
}

// Servers that go away and come back, one at a time and then all, lose no episode
// and change no table.
func TestServersComeAndGo(t *testing.T) {
	want, requests := undisturbed(t)
	var servers []*movingServer
	var events sync.Mutex
	away := 0
	fake := &fakeServer{context: 16384, onChat: func(n int) {
		if n%60 != 0 || int64(n) > requests {
			return
		}
		events.Lock()
		defer events.Unlock()
		servers[away].come()
		away = (away + 1) % len(servers)
		servers[away].leave()
		if n%240 == 0 { // now all
			for _, s := range servers {
				s.leave()
			}
			for _, s := range servers {
				s.come()
			}
		}
	}}
	for range 3 {
		servers = append(servers, newMovingServer(t, fake))
	}
	dir := filepath.Join(t.TempDir(), "run")
	run := fakeRun(servers[0].url(), dir, "--base-url", servers[1].url()+"/v1", "--base-url", servers[2].url()+"/v1")
	var said bytes.Buffer
	run.Stderr = &said
	got, err := run.Output()
	if err != nil {
		t.Fatal(err, said.String())
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the tables differ:\n%s\nwant\n%s", got, want)
	}
	if !strings.Contains(said.String(), "is set aside, its episodes go on elsewhere") || !strings.Contains(said.String(), "is back after") {
		t.Errorf("servers came and went unnoticed:\n%s", &said)
	}
	used := map[string]bool{}
	for _, r := range checkEpisodes(t, dir) {
		for _, s := range r.Servers {
			used[s] = true
		}
	}
	if len(used) != len(servers) {
		t.Errorf("the records name %d servers", len(used))
	}
}
