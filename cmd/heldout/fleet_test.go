//go:build unix

package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/eval/fleet/fleettest"
)

// Servers that go away and come back, one at a time and then all, lose no episode and change no table.
func TestServersComeAndGo(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	want, requests := undisturbed(t)
	var servers []*fleettest.Switchable
	var events sync.Mutex
	away := 0
	// A server that left is asked again after a second, so the run takes some.
	fake := &fakeServer{context: 16384, latency: 40 * time.Millisecond, onChat: func(n int) {
		if n%60 != 0 || int64(n) > requests {
			return
		}
		events.Lock()
		defer events.Unlock()
		servers[away].Come()
		away = (away + 1) % len(servers)
		servers[away].Leave()
		if n%240 == 0 { // now all
			for _, s := range servers {
				s.Leave()
			}
			for _, s := range servers {
				s.Come()
			}
		}
	}}
	for range 3 {
		servers = append(servers, fleettest.New(t, fake))
	}
	dir := filepath.Join(t.TempDir(), "run")
	run := fakeRun(servers[0].URL, dir, "--base-url", servers[1].URL+"/v1", "--base-url", servers[2].URL+"/v1")
	var said bytes.Buffer
	run.Stderr = &said
	got, err := run.Output()
	if err != nil {
		t.Fatal(err, said.String())
	}
	sharedtest.Equal(t, string(got), string(want), "the tables")
	if !strings.Contains(said.String(), "is set aside, its episodes continue elsewhere") ||
		!strings.Contains(said.String(), "is back after") {
		t.Errorf("servers came and went unnoticed:\n%s", &said)
	}
	used := map[string]bool{}
	for _, r := range checkEpisodes(t, dir) {
		for _, s := range r.Servers {
			used[s] = true
		}
	}
	sharedtest.Equal(t, len(used), len(servers), "the records name servers")
}
