package queue

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"heldout/envs/sharedtest"
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
	t.Parallel()
	env := newLine(sharedtest.Times(t, 12, 1))
	env.seen = noise(3 << 20)
	b := newBench(t, env.plan(t))
	b.workUntilEnd()
	b.workUntilEnd()
	b.completes()
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
	sharedtest.Equal(t, cmp.Diff(data, again), "")
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
	ctx   context.Context
	lines chan string
}

func tellsOf(ctx context.Context, t *testing.T) *told { return &told{t, ctx, make(chan string, 1000)} }

func (w *told) tell(line string) {
	w.t.Log(line)
	w.lines <- line
}

func (w *told) await(part string) {
	w.t.Helper()
	for !strings.Contains(receive(w.ctx, w.t, w.lines, fmt.Sprintf("a line with %q", part)), part) {
	}
}

// A queue without room refuses records, workers wait, and nothing is lost.
func TestFullQueue(t *testing.T) {
	t.Parallel()
	env := newLine(30)
	env.seen = noise(200_000)
	b := newBench(t, env.plan(t))
	o := &server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(),
		JetStreamMaxStore: 1 << 20, NoSigs: true, NoLog: true}
	small := start(t, o)
	b.server = small
	worker := tellsOf(b.ctx, t)
	b.worker = quick(Options{Embedded: small, Tell: worker.tell})
	b.leader = quick(Options{Embedded: small, Tell: func(string) {}})
	b.orders(8)
	b.workUntilEnd()
	worker.await("the server stores no more")
	b.completes()
	worker.await("the server stores again")
}

// stopsToStore has the server do after 30 steps what it does when it finds no space. It
// returns a channel that is closed when the server has done so.
func (b *bench) stopsToStore(env *line) <-chan struct{} {
	stopped := make(chan struct{})
	var once sync.Once
	env.before = func() {
		if env.steps.Load() >= 30 {
			once.Do(func() {
				defer close(stopped)
				if err := b.server.ShutdownJetStream(); err != nil {
					b.t.Error(err)
				}
			})
		}
	}
	return stopped
}

// storesAgain starts a server anew that has stopped to store, at its address and on what it has stored.
func (b *bench) storesAgain(stopped <-chan struct{}) {
	b.t.Helper()
	receive(b.ctx, b.t, stopped, "the server to stop")
	address := b.server.Addr().String()
	b.server.Shutdown() // its clients stay, and Shut would wait for them
	b.server.WaitForShutdown()
	var err error
	if b.server, err = Serve(b.store, address, Security{}); err != nil {
		b.t.Fatal(err)
	}
}

// When the disk under the embedded server is full, the run ends with one error and no
// episode counts as failed; the next start goes on.
func TestEmbeddedServerStopsToStore(t *testing.T) {
	t.Parallel()
	env := newLine(40)
	b := newBench(t, env.plan(t))
	stopped := b.stopsToStore(env)
	b.worker = quick(Options{Address: "nats://" + b.server.Addr().String(), Tell: func(line string) { t.Log(line) }})
	b.workUntilEnd()
	sharedtest.Fails(t, receive(b.ctx, t, b.leads(b.ctx), "the run to end"),
		"is the disk of the run directory full?")
	_, results, err := record.Read(b.dir)
	if err != nil || len(results) == 0 || len(results) == 40 {
		t.Fatalf("%d records, %v", len(results), err)
	}
	for _, r := range results {
		sharedtest.Equal(t, r.Outcome, record.Success, r.Task, r.Error, "is recorded as")
	}
	b.storesAgain(stopped)
	b.completes()
}

// A leader that restarts leaves records in the queue if it has no room for them, and
// does not order their episodes again.
func TestLeaderWithoutRoom(t *testing.T) {
	t.Parallel()
	env := newLine(20)
	env.seen = noise(1000)
	b := newBench(t, env.plan(t))
	link := b.orders(8)
	b.workUntilEnd()
	b.await(link, resultsStream(b.job.Name), 9)
	b.leader = quick(Options{Embedded: b.server, Tell: func(line string) { t.Log(line) }, room: 3000,
		delay: 10 * time.Millisecond})
	b.completes()
	if n := env.steps.Load(); n != 40 {
		t.Errorf("%d steps were played, want %s", n, fmt.Sprint(2*20))
	}
}

// Leader and workers wait for a server of its own that stops to store, and say so.
func TestServerStopsToStore(t *testing.T) {
	sharedtest.Heavy(t)
	t.Parallel()
	env := newLine(40)
	b := newBench(t, env.plan(t))
	stopped := b.stopsToStore(env)
	worker := tellsOf(b.ctx, t)
	address := "nats://" + b.server.Addr().String()
	b.leader = quick(Options{Address: address, Tell: func(line string) { t.Log(line) }})
	b.worker = quick(Options{Address: address, Tell: worker.tell})
	b.workUntilEnd()
	done := b.leads(b.ctx)
	worker.await("JetStream does not answer")
	b.storesAgain(stopped)
	worker.await("the server stores again")
	b.completed(done)
}

// A leader makes streams anew that the server has lost, and a worker waits for them.
func TestStreamsAreLost(t *testing.T) {
	t.Parallel()
	env := newLine(40)
	b := newBench(t, env.plan(t))
	// A server that is asked to make a stream anew while it still deletes the old one can
	// lose what is sent to the new one, so the leader waits as long as in a real run.
	b.leader = quick(Options{Embedded: b.server, Tell: func(line string) { t.Log(line) }})
	b.leader.waits.pause = pause
	link := b.connect()
	var once sync.Once
	env.before = func() {
		if env.steps.Load() < 30 {
			return
		}
		once.Do(func() {
			for _, name := range []string{workStream(b.job.Name), resultsStream(b.job.Name)} {
				if err := link.js.DeleteStream(b.ctx, name); err != nil {
					t.Error(err)
				}
			}
		})
	}
	b.workUntilEnd()
	b.completes()
}

// message is a message of a stream that notes whether it was acknowledged.
type message struct {
	jetstream.Msg
	subject string
	seq     uint64
	acked   int
}

func (m *message) Subject() string      { return m.subject }
func (m *message) Data() []byte         { return []byte("a record") }
func (m *message) Headers() nats.Header { return nil }
func (m *message) Ack() error           { m.acked++; return nil }

func (m *message) Metadata() (*jetstream.MsgMetadata, error) {
	return &jetstream.MsgMetadata{Sequence: jetstream.SequencePair{Stream: m.seq}}, nil
}

// A record that comes again before it is on disk stays in the queue: what is acknowledged
// is gone if the leader ends. Another record of the attempt is not needed.
func TestRecordComesAgain(t *testing.T) {
	l := &Leader{job: Job{Name: "job"}, room: 1 << 20, waiting: map[string]*waiter{}, arrived: map[string]*delivery{},
		coming: map[string][]*delivery{}, parked: map[string]bool{}, final: map[string]bool{}}
	sent := func(seq uint64) *message {
		m := &message{subject: subject("job", "results.e.1"), seq: seq}
		l.take(m)
		return m
	}
	first, again, other := sent(1), sent(1), sent(2)
	if first.acked+again.acked != 0 || other.acked != 1 {
		t.Errorf("acknowledged %d and %d times, want 0 before it is on disk; another record %d times, want 1",
			first.acked, again.acked, other.acked)
	}
	l.arrived["e.1"].ack() // it is on disk
	if first.acked != 0 || again.acked != 1 {
		t.Errorf("the first delivery is acknowledged %d times, want 0, the second %d times, want 1", first.acked,
			again.acked)
	}
}

// The replies to an attempt are there for the next worker, also those that are larger than a
// message, until they are dropped. Those to other attempts are not.
func TestJournal(t *testing.T) {
	t.Parallel()
	b := newBench(t, newLine(1).plan(t))
	link := b.orders(1)
	open := func(attempt int) (*journal, *record.Replies) {
		j := &journal{connection: link, ctx: b.ctx, job: b.job}
		r := sharedtest.Must(j.open("e", attempt))(t)
		return j, r
	}
	key := func(attempt, call int) record.ReplyKey {
		return record.ReplyKey{Schema: record.Schema, Episode: "e", Attempt: attempt, Call: call}
	}
	recalls := func(r *record.Replies, attempt int) (n int) {
		var line struct {
			record.ReplyKey
			Text string `json:"text"`
		}
		for r.Recall(key(attempt, n), &line) {
			n++
		}
		return n
	}
	texts := []string{"a", strings.Repeat("b", 5<<20), "c"}
	j, first := open(1)
	for call, text := range texts {
		batch := first.Keep(key(1, call), func(b []byte) []byte { return fmt.Appendf(b, `,"text":%q`, text) })
		sharedtest.OK(t, first.Flush(batch))
	}
	if _, again := open(1); recalls(again, 1) != len(texts) {
		t.Errorf("%d replies are there, want %d", recalls(again, 1), len(texts))
	}
	if _, other := open(2); recalls(other, 2) != 0 {
		t.Error("another attempt has replies")
	}
	j.drop()
	if _, again := open(1); recalls(again, 1) != 0 {
		t.Error("dropped replies are there")
	}
}
