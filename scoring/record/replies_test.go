package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"heldout/envs/sharedtest"
)

// saying is the fields of a line of a test.
func saying(text string) func([]byte) []byte {
	return func(b []byte) []byte { return append(append(append(b, `,"text":"`...), text...), '"') }
}

// While the file grows, it loses the replies to attempts that have ended, and only those.
func TestRepliesAreRewritten(t *testing.T) {
	dir := t.TempDir()
	s := sharedtest.Must(Open(dir))(t)
	sharedtest.OK(t, s.OpenReplies(nil))
	s.Replies.oldest = 10_000
	const episodes, calls = 100, 20
	text := strings.Repeat("x", 100)
	for e := range episodes {
		for call := range calls {
			key := ReplyKey{Schema, fmt.Sprint(e), 1, call}
			sharedtest.OK(t, s.Replies.Flush(s.Replies.Keep(key, saying(text))))
		}
		if e > 0 {
			s.Replies.Forget(fmt.Sprint(e))
		}
	}
	sharedtest.OK(t, s.Close())
	info, err := os.Stat(filepath.Join(dir, repliesFile))
	if err != nil || info.Size() > 30_000 {
		t.Fatalf("%v, %v", info, err)
	}
	s = sharedtest.Must(Open(dir))(t)
	sharedtest.OK(t, s.OpenReplies(map[string]int{"0": 1, "1": 2}))
	sharedtest.Equal(t, s.Replies.Interrupted(), 1, "attempts go on")
	for call := range calls + 1 {
		var line struct {
			ReplyKey
			Text string `json:"text"`
		}
		found := s.Replies.Recall(ReplyKey{0, "0", 1, call}, &line)
		if found != (call < calls) || found && line.Text != text {
			t.Errorf("call %d: %v %v", call, found, line)
		}
	}
	s.Replies.Forget("0")
	sharedtest.OK(t, s.Close())
	if _, err := os.Stat(filepath.Join(dir, repliesFile)); err == nil {
		t.Error("the replies are still there")
	}
}

// Lines that have come when one is due on disk are written with it, by one write and without an allocation.
func TestRepliesAreWrittenTogether(t *testing.T) {
	d, writes := realDisk(), 0
	d.write = func(f *os.File, b []byte) (int, error) {
		writes++
		return f.Write(b)
	}
	s := sharedtest.Must(openOn(d, t.TempDir()))(t)
	defer s.Close()
	sharedtest.OK(t, s.OpenReplies(nil))
	const episodes, rounds = 50, 100
	text, batches := saying("x"), [episodes]int64{}
	round := func() {
		for e := range episodes {
			batches[e] = s.Replies.Keep(ReplyKey{Schema, "0123456789abcdef0123", 1, 1}, text)
		}
		for _, b := range batches {
			sharedtest.OK(t, s.Replies.Flush(b))
		}
	}
	round() // which makes room
	writes = 0
	if n := testing.AllocsPerRun(rounds, round); n > 0 || writes != rounds+1 { // it warms up
		t.Errorf("%d rounds take %d writes, and %v allocations each", rounds+1, writes, n)
	}
}

// A line waits for others, but not for long: the environment may take its time until the attempt's next call.
func TestRepliesAreWrittenSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := sharedtest.Must(Open(t.TempDir()))(t)
		sharedtest.OK(t, s.OpenReplies(nil))
		written := func() int {
			text, _ := os.ReadFile(filepath.Join(s.dir, repliesFile))
			return strings.Count(string(text), "\n")
		}
		const each = 20 * time.Millisecond
		for call := range 30 { // no call of theirs follows
			s.Replies.Keep(ReplyKey{Schema, fmt.Sprint(call), 1, 0}, saying("x"))
			time.Sleep(each)
			synctest.Wait()
			if missing := call + 1 - written(); missing < 0 || missing > int(mostPending/each) {
				t.Errorf("%d lines are not written", missing)
			}
		}
		time.Sleep(mostPending)
		synctest.Wait()
		if n, batches := written(), s.Replies.batch.Load(); n != 30 || batches > 15 {
			t.Errorf("%d lines in %d batches", n, batches)
		}
		s.Replies.Keep(ReplyKey{Schema, "last", 1, 0}, saying("x"))
		sharedtest.OK(t, s.Close())
		time.Sleep(time.Second) // nothing is written to a closed file
	})
}
