//go:build unix

package episode

import (
	"context"
	"syscall"
	"testing"
	"time"

	"heldout/eval/model"
	"heldout/scoring/record"
)

// answering is a model that gives one reply.
type answering model.Reply

// Chat implements model.Model.
func (a answering) Chat(context.Context, model.Request) (model.Reply, error) {
	return model.Reply(a), nil
}

// BenchmarkKeep is what it costs to write a reply down: BenchmarkLoad in cmd/heldout has the
// cost of a call.
//
// Command: go test ./eval/episode -run '^$' -bench BenchmarkKeep -cpu 1 -count 5
func BenchmarkKeep(b *testing.B) {
	chat := kept(b)
	before := processorTime()
	for b.Loop() {
		chat()
	}
	b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
}

// A reply is written down without an allocation.
func TestKeepAllocates(t *testing.T) {
	chat := kept(t)
	chat() // which makes room
	if n := testing.AllocsPerRun(100, chat); n > 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// kept returns a call whose reply is written down.
func kept(t testing.TB) (chat func()) {
	s, err := record.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if err := s.OpenReplies(nil); err != nil {
		t.Fatal(err)
	}
	k := newKeeping(answering{
		Text: "Thought: The sum is 12345678, so I should go on with what has to be done next.\n" +
			"Action: Pick up ball1 at rooma with arm left.",
		FinishReason: "stop", PromptTokens: 3000, CompletionTokens: 24, Attempts: 1, Latency: 200 * time.Millisecond,
	}, s.Replies, "0123456789abcdef0123", 1)
	req := model.Request{Sent: "0123456789abcdef", Seed: 1234567890}
	return func() {
		k.key.Call %= 30
		if _, err := k.Chat(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
}

// processorTime is what the process has used.
func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // it cannot fail for the process itself
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
