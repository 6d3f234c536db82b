package serve

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"sync"
	"unicode/utf8"
)

// The replies of OpenEnv are written by hand: their bytes are those of the
// reference, which escapes less than encoding/json and writes 1.0 for a number of
// type float, and they are most of what a step costs beside the network.

// buffers are for frames in both directions.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// largestKept bounds the buffers that are kept.
const largestKept = 1 << 16

func newBuffer() *bytes.Buffer {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	return b
}

func release(b *bytes.Buffer) {
	if b.Cap() <= largestKept {
		buffers.Put(b)
	}
}

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string. Bytes that are no UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		size := 1
		var instead []byte
		switch c {
		case '"', '\\':
			instead = []byte{'\\', c}
		case '\n':
			instead = []byte(`\n`)
		case '\r':
			instead = []byte(`\r`)
		case '\t':
			instead = []byte(`\t`)
		case '\b':
			instead = []byte(`\b`)
		case '\f':
			instead = []byte(`\f`)
		default:
			if c < ' ' {
				instead = []byte{'\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15]}
				break
			}
			var r rune
			if r, size = utf8.DecodeRuneInString(s[i:]); r == utf8.RuneError && size == 1 {
				instead = []byte("\uFFFD")
			}
		}
		if instead != nil {
			b = append(append(b, s[from:i]...), instead...)
			from = i + size
		}
		i += size
	}
	return append(append(b, s[from:]...), '"')
}

// appendFloat appends a number of size 1e6 at most as Python writes a float: with
// a point or an exponent.
func appendFloat(b []byte, f float64) []byte {
	if f == math.Trunc(f) {
		return append(strconv.AppendFloat(b, f, 'f', -1, 64), '.', '0')
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

// appendStrings appends a JSON array of strings.
func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, s)
	}
	return append(b, ']')
}

// maxDepth is the deepest nesting of JSON that is read.
const maxDepth = 16

// tooDeep reports whether JSON is nested deeper than that.
func tooDeep(b []byte) bool {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; i < len(b) && b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
		case '[', '{':
			if depth++; depth > maxDepth {
				return true
			}
		case ']', '}':
			depth--
		}
	}
	return false
}

// object is a JSON object whose values have not been read.
type object map[string]json.RawMessage

// keysOf returns the keys of a JSON object in their order, each once.
func keysOf(raw []byte) (keys []string) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := d.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return keys
		}
		if !seen[key] {
			seen[key] = true
			keys = append(keys, key)
		}
		var skipped json.RawMessage
		if d.Decode(&skipped) != nil {
			return keys
		}
	}
	return keys
}

// kind returns the first character of a JSON value; 0 without a value.
func kind(raw json.RawMessage) byte {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return 0
	}
	return raw[0]
}
