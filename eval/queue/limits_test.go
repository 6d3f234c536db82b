package queue

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"heldout/scoring/record"
)

// noise is text that does not compress well.
func noise(bytes int) string {
	b := make([]byte, bytes/2)
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	return hex.EncodeToString(b)
}

// Records that are larger than the server's messages travel in parts.
func TestLargeRecords(t *testing.T) {
	env := newLine(12)
	env.seen = noise(3 << 20)
	b := newBench(t, env.plan(t))
	var workers sync.WaitGroup
	b.workUntilEnd(&workers)
	b.workUntilEnd(&workers)
	if err := b.lead(t.Context()); err != nil {
		t.Error(err)
	}
	workers.Wait()
	b.check()
}

// Parts of records that were sent twice, or by two workers, give one record.
func TestPartsOfTwoWorkers(t *testing.T) {
	l := &Leader{coming: map[string][]*delivery{}}
	one, other := l.gather("k", "/2/a", 2), l.gather("k", "/2/b", 2)
	if one == other || l.gather("k", "/2/a", 2) != one || one.complete() {
		t.Error("records of two workers are mixed")
	}
	data := []byte(strings.Repeat("0123456789", 500))
	messages, err := cut("s", data, 1024+headroom)
	if err != nil || len(messages) != 5 {
		t.Fatalf("%d messages, %v", len(messages), err)
	}
	var again []byte
	for _, m := range messages {
		again = append(again, m.Data...)
	}
	if diff := cmp.Diff(data, again); diff != "" {
		t.Error(diff)
	}
	if _, err := cut("s", make([]byte, 1024*maxParts+1), 1024+headroom); err == nil {
		t.Error("a record of too many parts is cut")
	}
	if messages, err := cut("s", data[:1024], 1024+headroom); err != nil || len(messages) != 1 ||
		messages[0].Header != nil {
		t.Errorf("%d messages of a small record, %v", len(messages), err)
	}
}

// told waits for a line of a process.
type told struct {
	t     *testing.T
	lines chan string
}

func tellsOf(t *testing.T) *told { return &told{t, make(chan string, 1000)} }

func (w *told) tell(line string) {
	w.t.Log(line)
	w.lines <- line
}

func (w *told) await(part string) {
	w.t.Helper()
	for {
		select {
		case line := <-w.lines:
			if strings.Contains(line, part) {
				return
			}
		case <-w.t.Context().Done():
			w.t.Fatalf("nobody says %q", part)
		}
	}
}

// A queue without room refuses records, workers wait, and nothing is lost.
func TestFullQueue(t *testing.T) {
	env := newLine(30)
	env.seen = noise(200_000)
	b := newBench(t, env.plan(t))
	o := &server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(),
		JetStreamMaxStore: 1 << 20, NoSigs: true, NoLog: true}
	small, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	small.Start()
	t.Cleanup(func() { Shut(small) })
	if !small.ReadyForConnections(patience) {
		t.Fatal("the server does not start")
	}
	b.server = small
	worker := tellsOf(t)
	b.worker = &Options{Embedded: small, AckWait: 5 * time.Second, Tell: worker.tell}
	ctx, stop := context.WithCancel(t.Context())
	b.leader = &Options{Embedded: small, AckWait: 5 * time.Second, Tell: func(string) {}}
	done := make(chan error)
	go func() { done <- b.lead(ctx) }()
	link, err := connect(t.Context(), b.options(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer link.close()
	awaitMessages(t, link, workStream(b.job.Name), 8)
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var workers sync.WaitGroup
	b.workUntilEnd(&workers)
	worker.await("the server stores no more")
	if err := b.lead(t.Context()); err != nil {
		t.Error(err)
	}
	worker.await("the server stores again")
	workers.Wait()
	b.check()
}

// When the disk under the embedded server is full, the run ends with one error and no
// episode counts as failed; the next start goes on.
func TestEmbeddedServerStopsToStore(t *testing.T) {
	env := newLine(40)
	b := newBench(t, env.plan(t))
	var once sync.Once
	env.before = func() {
		if env.steps.Load() >= 30 {
			once.Do(func() {
				if err := b.server.ShutdownJetStream(); err != nil { // what it does when it finds no space
					t.Error(err)
				}
			})
		}
	}
	var workers sync.WaitGroup
	b.workUntilEnd(&workers)
	if err := b.lead(t.Context()); err == nil || !strings.Contains(err.Error(),
		"is the disk of the run directory full?") {
		t.Errorf("the run ends with %v", err)
	}
	_, results, err := record.Read(b.dir)
	if err != nil || len(results) == 0 || len(results) == 40 {
		t.Fatalf("%d records, %v", len(results), err)
	}
	for _, r := range results {
		if r.Outcome != record.Success {
			t.Errorf("%s is recorded as %s: %s", r.Task, r.Outcome, r.Error)
		}
	}
	if err := b.server.EnableJetStream(&server.JetStreamConfig{StoreDir: b.store, MaxStore: 1 << 30, SyncAlways: true}); err != nil {
		t.Fatal(err)
	}
	if err := b.lead(t.Context()); err != nil {
		t.Error(err)
	}
	workers.Wait()
	b.check()
}

// A leader that restarts leaves records in the queue if it has no room for them, and
// does not order their episodes again.
func TestLeaderWithoutRoom(t *testing.T) {
	env := newLine(20)
	env.seen = noise(1000)
	b := newBench(t, env.plan(t))
	link, err := connect(t.Context(), b.options(nil))
	if err != nil {
		t.Fatal(err)
	}
	defer link.close()
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- b.lead(ctx) }()
	awaitMessages(t, link, workStream(b.job.Name), 8)
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	var workers sync.WaitGroup
	b.workUntilEnd(&workers)
	awaitMessages(t, link, resultsStream(b.job.Name), 9)
	b.leader = &Options{Embedded: b.server, AckWait: 5 * time.Second, Tell: func(line string) { t.Log(line) }, room: 3000, later: 10 * time.Millisecond}
	if err := b.lead(t.Context()); err != nil {
		t.Error(err)
	}
	workers.Wait()
	b.check()
	if n := env.steps.Load(); n != 40 {
		t.Errorf("%d steps were played, want %s", n, fmt.Sprint(2*20))
	}
}

// Leader and workers wait for a server of its own that stops to store, and say so.
func TestServerStopsToStore(t *testing.T) {
	env := newLine(40)
	b := newBench(t, env.plan(t))
	var once sync.Once
	env.before = func() {
		if env.steps.Load() >= 30 {
			once.Do(func() {
				if err := b.server.ShutdownJetStream(); err != nil {
					t.Error(err)
				}
			})
		}
	}
	worker := tellsOf(t)
	address := "nats://" + b.server.Addr().String()
	b.leader = &Options{Address: address, AckWait: 5 * time.Second, Tell: func(line string) { t.Log(line) }}
	b.worker = &Options{Address: address, AckWait: 5 * time.Second, Tell: worker.tell}
	var group sync.WaitGroup
	b.workUntilEnd(&group)
	group.Go(func() {
		if err := b.lead(t.Context()); err != nil {
			t.Error(err)
		}
	})
	worker.await("JetStream does not answer")
	if err := b.server.EnableJetStream(&server.JetStreamConfig{StoreDir: b.store, MaxStore: 1 << 30, SyncAlways: true}); err != nil {
		t.Fatal(err)
	}
	worker.await("the server stores again")
	group.Wait()
	b.check()
}
