package serve

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// full is a process whose worlds take 100 bytes each, and 20 besides.
type full struct {
	s           *Server
	clock       *clock
	at          int64 // worlds at the last collection
	collections uint64
}

// read collects by itself whenever there are two worlds more.
func (f *full) read() (int64, uint64) {
	if f.s.Table().worlds.Load() >= f.at+2 {
		f.collect()
	}
	return 20 + 100*f.at, f.collections
}

func (f *full) collect() {
	f.clock.pass(time.Millisecond)
	f.at = f.s.Table().worlds.Load()
	f.collections++
}

// filling returns a server with room for some worlds.
func filling(t *testing.T, worlds int64) (*Server, *full, *clock) {
	f := &full{}
	s, clock := testServer(t, func(o *Options) {
		o.MaxSessions, o.MaxPerAddress = 100, 100
		o.Memory = Memory{Limit: (20+100*worlds)*5/4 + 50, Read: f.read, Collect: f.collect}
	})
	f.s, f.clock = s, clock
	return s, f, clock
}

// A world for which there is no memory is refused, until others are closed.
func TestMemory(t *testing.T) {
	s, f, clock := filling(t, 5)
	var open []*Session
	for range 4 {
		open = append(open, start(t, s, Owner{}))
		clock.pass(time.Second)
	}
	forks, err := open[0].Fork(3)
	if err == nil || len(forks) != 0 || s.Table().Len() != 4 || s.Table().worlds.Load() != 4 {
		t.Errorf("forks: %v, %v; %d sessions and %d worlds", forks, err, s.Table().Len(), s.Table().worlds.Load())
	}
	clock.pass(time.Second)
	forks = sharedtest.Must(open[0].Fork(1))(t)
	before := f.collections
	for range 10 {
		if _, err := s.Table().Open(Owner{}); err == nil || !strings.Contains(err.Error(), "of --set max-memory") {
			t.Fatalf("a session too many: %v", err)
		}
	}
	if f.collections > before+1 {
		t.Errorf("%d collections without a rest", f.collections-before)
	}
	// an episode in place of another one is no more
	m := s.options.Mounts[0]
	set, task, err := m.Find(TaskChoice{})
	sharedtest.OK(t, err)
	if _, err := open[1].Reset(EpisodeStart{Mount: m, Set: set, Task: task}); err != nil {
		t.Error(err)
	}
	forks[0].Close(ByClient)
	clock.pass(time.Second)
	start(t, s, Owner{})
	sharedtest.Equal(t, s.Table().worlds.Load(), 5, "worlds")
}

// Worlds are counted however their episode ends.
func TestWorldsAreCounted(t *testing.T) {
	s, _ := testServer(t, nil)
	for _, last := range []string{"win", "break", "boom"} {
		session := start(t, s, Owner{})
		_, _ = session.Step(last) // which may fail
		if n := s.Table().worlds.Load(); n != 0 {
			t.Fatalf("after %s there are %d worlds", last, n)
		}
		session.Close(ByClient)
	}
}

// Every protocol says that there is no memory.
func TestMemoryOfProtocols(t *testing.T) {
	s, f, clock := filling(t, 1)
	ids := openBatch(t, s, 2)
	results(t, s, `{"session":"`+ids[0]+`","reset":{}}`)
	f.collect()
	clock.pass(time.Second)
	if got := results(t, s, `{"session":"`+ids[1]+`","reset":{}}`)[0]; !strings.Contains(got, "CAPACITY_REACHED") ||
		!strings.Contains(got, "1 episode takes 0 MB") {
		t.Errorf("a reset of a batch: %s", got)
	}
	for path, body := range map[string]string{"/v1/sessions": `{"env":"echo"}`, "/openenv/echo/reset": `{}`,
		"/v1/fork": `{"forks":[{"session":"` + ids[0] + `"}]}`} {
		answer := ask(s, "POST", path, body)
		if answer.Code != http.StatusServiceUnavailable || answer.Header().Get("Retry-After") == "" ||
			!strings.Contains(answer.Body.String(), "--set max-memory") {
			t.Errorf("%s: %d %s", path, answer.Code, answer.Body)
		}
	}
}
