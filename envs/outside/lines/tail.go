package lines

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
)

// longestTail is how much of the standard error is quoted, in bytes: the last lines of a traceback.
const longestTail = 240

// keptTail is how much of it is kept: some bytes do not print.
const keptTail = 4 * longestTail

// tail holds the end of what a program writes to its standard error.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// follow reads until the stream ends.
func (t *tail) follow(r io.Reader) {
	var b [4096]byte
	for {
		n, err := r.Read(b[:])
		t.mu.Lock()
		t.text = append(t.text, b[:n]...)
		t.text = t.text[max(0, len(t.text)-keptTail):]
		t.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// String quotes the end, in one printable line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(t.text), "")), " ")
	if len(text) > longestTail {
		text = "…" + strings.ToValidUTF8(text[len(text)-longestTail:], "")
	}
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
	if text == "" {
		return ""
	}
	return fmt.Sprintf("; the end of its standard error: %s", text)
}
