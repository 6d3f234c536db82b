package lines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"heldout/envs/outside"
)

// The largest length of a line, in bytes: of the first answer, and of others.
const (
	longestFirst = 16 << 20
	longestLine  = 1 << 20
)

// Parse reads a line of the program. The error is a misread field, or about the whole line.
func Parse(line []byte, into any) error {
	err := outside.Unmarshal(line, into, jsonv2.RejectUnknownMembers(true))
	if m := (*outside.Misread)(nil); errors.As(err, &m) && m.Field == "" {
		return fmt.Errorf("it writes the line %.100q, which is no answer: %s; an answer is one line of JSON, and other "+
			"text belongs on standard error", bytes.TrimSpace(line), m)
	}
	return err
}

// numberOf is the number of the request that a line answers, whose other members may be of any form.
func numberOf(line []byte) (id int64, ok bool) {
	d := jsontext.NewDecoder(bytes.NewReader(line))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return 0, false
	}
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		found := err == nil && name.String() == "id"
		value, err := d.ReadValue()
		if found || err != nil {
			return id, err == nil && jsonv2.Unmarshal(value, &id) == nil
		}
	}
	return 0, false
}

// readLine reads a line of so many bytes at most.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return nil, fmt.Errorf("it writes a line of more than %d bytes", limit)
		}
		if err == nil && line == nil {
			return part, nil
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line, nil
		case errors.Is(err, io.EOF) && len(line) > 0:
			return nil, io.ErrUnexpectedEOF
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

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
