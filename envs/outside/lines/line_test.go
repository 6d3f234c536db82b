package lines

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"heldout/envs/outside"
)

// answer is the answer of a program that is told nothing and tells one thing.
type answer struct {
	Envelope
	Observation *string `json:"observation"`
}

// FuzzLine looks for bytes that are read as a line of more bytes than it may have, and for errors
// that cannot be shown.
func FuzzLine(f *testing.F) {
	f.Add([]byte(`{"id":1,"observation":"x","reward":1e3,"done":true}`+"\n"), 64)
	f.Add([]byte("{\"id\":1}\x1b[31m\n\n"), 16)
	f.Add([]byte(strings.Repeat("[", 99)), 100)
	f.Fuzz(func(t *testing.T, b []byte, limit int) {
		if limit < 1 || limit > 1<<10 {
			return
		}
		r := bufio.NewReaderSize(bytes.NewReader(b), 16)
		var read []byte
		for {
			line, err := readLine(r, limit)
			if err != nil {
				break
			}
			if len(line) > limit || bytes.IndexByte(line, '\n') != len(line)-1 {
				t.Fatalf("the line %q, of at most %d bytes", line, limit)
			}
			read = append(read, line...)
			var a answer
			if err := Parse(line, &a); err != nil {
				printable(t, err.Error())
				continue
			}
			printable(t, outside.Quoted(a.Error))
		}
		if !bytes.HasPrefix(b, read) {
			t.Errorf("%q is read as %q", b, read)
		}
		var stderr tail
		stderr.follow(bytes.NewReader(b))
		printable(t, stderr.String())
	})
}

func printable(t *testing.T, text string) {
	t.Helper()
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("%q is shown", text)
	}
}
