package queue

import (
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

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
