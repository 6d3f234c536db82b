package model

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// No recorded reply is touched, but for what the originals take off themselves: <think>
// and </s>.
func TestOrdinaryTextsAreNotTouched(t *testing.T) {
	files := sharedtest.Must(filepath.Glob(sharedtest.Golden(t, "protocols") + "/*.jsonl.gz"))(t)
	count := 0
	for _, file := range files {
		for _, reply := range recordedReplies(t, file) {
			count++
			visible := splitReasoning(reply).visible
			cut, found := cutAtEnd(reply)
			marked := strings.Contains(reply, "think>") || strings.Contains(reply, "</s>")
			if !marked && (visible != reply || cut != reply || found) {
				t.Errorf("%s: %q became %q and %q", file, reply, visible, cut)
			}
		}
	}
	if count < 3_000 {
		t.Errorf("there are %d replies", count)
	}
}

// recordedReplies are the replies in a file of golden calls.
func recordedReplies(t *testing.T, file string) (replies []string) {
	f := sharedtest.Must(os.Open(file))(t)
	defer func() { _ = f.Close() }()
	unzipped := sharedtest.Must(gzip.NewReader(f))(t)
	for lines := json.NewDecoder(unzipped); ; {
		var call struct{ Reply any }
		if err := lines.Decode(&call); err == io.EOF {
			return replies
		} else if err != nil {
			t.Fatal(err)
		}
		if reply, ok := call.Reply.(string); ok {
			replies = append(replies, reply)
		}
	}
}
