package synth

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrUnfinished says that a reply ends before its JSON does.
var ErrUnfinished = errors.New("the reply ends before the JSON does")

// mostCandidates bounds how many opening brackets are tried: each costs time in proportion to the reply.
const mostCandidates = 100

// ReadObject finds the JSON object in a model's reply. It sets mended if it had to ignore
// something: code fences or other text around the object, or commas before closing
// brackets. The model reads the error, so the error shows the place of the fault.
func ReadObject(reply string) (value []byte, mended bool, err error) {
	found, err := find(reply, '{')
	if err == nil {
		err = found.err
	}
	if err != nil {
		return nil, false, err
	}
	return found.values[0], found.mended, nil
}

// ReadList finds the JSON list in a model's reply and returns its values. With an error
// these are the values before the fault; there can be some, and all are whole.
func ReadList(reply string) (values []json.RawMessage, mended bool, err error) {
	found, err := find(reply, '[')
	if err != nil {
		return nil, false, err
	}
	return found.values, found.mended, found.err
}

// candidate is what can be read from an opening bracket on.
type candidate struct {
	values []json.RawMessage // the list's, or the object
	size   int               // bytes that are read
	mended bool
	err    error // what ends it too early
}

// find reads from each opening bracket. The candidate that takes most of the reply counts,
// of several the first. Brackets within a candidate are not tried.
func find(reply string, open byte) (best candidate, err error) {
	reply = strings.TrimSpace(reply)
	n := 0
	for pos := 0; n < mostCandidates; n++ {
		next := strings.IndexByte(reply[pos:], open)
		if next < 0 {
			break
		}
		pos += next
		c := readFrom(reply[pos:])
		if n == 0 || c.size > best.size {
			best = c
			best.mended = c.mended || pos > 0 || c.size < len(reply)
		}
		pos += max(1, c.size)
	}
	if n == 0 {
		return best, fmt.Errorf("the reply has no JSON %s", map[byte]string{'{': "object", '[': "list"}[open])
	}
	return best, nil
}

// readFrom reads what begins with the text; without commas before closing brackets if that takes more of it.
func readFrom(text string) candidate {
	c := scan(text, text)
	if c.err == nil {
		return c
	}
	if cleared := withoutCommas(text); cleared != text {
		if c2 := scan(cleared, text); c2.size > c.size {
			c2.mended = true
			return c2
		}
	}
	return c
}

// scan reads an object or a list. source is the text that an error quotes.
func scan(text, source string) (c candidate) {
	d := jsontext.NewDecoder(bytes.NewBufferString(text), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	values, err := valuesIn(d, text[0] == '[')
	c = candidate{values: values, size: int(d.InputOffset())}
	if err == nil {
		return c
	}
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok && int(syntax.ByteOffset) < len(text) {
		c.size = int(syntax.ByteOffset)
		c.err = fmt.Errorf("the JSON has a fault where >>> stands (%w): %s", syntax.Err, excerpt(source, c.size))
	} else {
		c.size, c.err = len(text), ErrUnfinished
	}
	return c
}

// valuesIn reads an object, or the values of a list; with an error those before it.
func valuesIn(d *jsontext.Decoder, list bool) (values []json.RawMessage, err error) {
	if !list {
		v, err := d.ReadValue()
		return []json.RawMessage{bytes.Clone(v)}, err
	}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for d.PeekKind() != ']' {
		v, err := d.ReadValue()
		if err != nil {
			return values, err
		}
		values = append(values, bytes.Clone(v))
	}
	_, err = d.ReadToken()
	return values, err
}

// excerptBytes is how much an excerpt shows before and after its place.
const excerptBytes = 80

// excerpt shows a place of a text, marked by ">>>".
func excerpt(text string, pos int) string {
	start, end := max(0, pos-excerptBytes), min(len(text), pos+excerptBytes)
	for start > 0 && !utf8.RuneStart(text[start]) {
		start--
	}
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end++
	}
	prefix, suffix := "", ""
	if start > 0 {
		prefix = "…"
	}
	if end < len(text) {
		suffix = "…"
	}
	return prefix + text[start:pos] + ">>>" + text[pos:end] + suffix
}

// withoutCommas writes blanks in place of the commas before closing brackets that are
// not inside a string, so that places stay.
func withoutCommas(text string) string {
	out := []byte(text)
	quoted, comma := false, -1 // the last comma that only white space follows
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted, comma = !quoted, -1
		case quoted:
		case c == ',':
			comma = i
		case (c == '}' || c == ']') && comma >= 0:
			out[comma], comma = ' ', -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
	}
	return string(out)
}
