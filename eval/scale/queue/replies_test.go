package queue

import (
	"fmt"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

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
