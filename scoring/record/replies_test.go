package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// saying is what a line of a test says.
type saying string

// AppendJSON implements ReplyLine.
func (s saying) AppendJSON(b []byte) []byte { return fmt.Appendf(b, `,"text":%q`, string(s)) }

// While the file grows, it loses the replies to attempts that have ended, and only those.
func TestRepliesAreRewritten(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.OpenReplies(nil); err != nil {
		t.Fatal(err)
	}
	s.Replies.least = 10_000
	const episodes, calls = 100, 20
	text := saying(strings.Repeat("x", 100))
	for e := range episodes {
		for call := range calls {
			key := ReplyKey{Schema, fmt.Sprint(e), 1, call}
			if err := s.Replies.Keep(key, text); err != nil {
				t.Fatal(err)
			}
		}
		if e > 0 {
			s.Replies.ended(fmt.Sprint(e), 1)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(dir, repliesFile))
	if err != nil || info.Size() > 30_000 {
		t.Fatalf("%v, %v", info, err)
	}
	if s, err = Open(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.OpenReplies(map[string]int{"0": 1, "1": 2}); err != nil {
		t.Fatal(err)
	}
	if n := s.Replies.Interrupted(); n != 1 {
		t.Errorf("%d attempts go on, want 1", n)
	}
	for call := range calls + 1 {
		var line struct {
			ReplyKey
			Text saying `json:"text"`
		}
		found := s.Replies.Recall(ReplyKey{0, "0", 1, call}, &line)
		if found != (call < calls) || found && line.Text != text {
			t.Errorf("call %d: %v %v", call, found, line)
		}
	}
	s.Replies.ended("0", 1)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, repliesFile)); err == nil {
		t.Error("the replies are still there")
	}
}
