// Package pysource reads the string literals of Python files: the fixed texts of an
// evaluation protocol often stand in the middle of its program.
package pysource

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"heldout/envs/pytext"
)

// The limits of a file.
const (
	MaxSize   = 1 << 20 // its size in bytes
	maxJoined = 256     // the number of adjacent literals that are joined to one text
)

// Literal is a string literal.
type Literal struct {
	Line int // where it begins, counted from 1
	// Text is its value; Parts are the constant parts of an f-string, which has no
	// value of its own, and nil for others.
	Text    string
	Parts   []string
	Follows bool // it stands directly after another literal, which Python joins
	// Preceding is what stands between it and the literal before it, without white space
	// and comments. Only the last bytes are kept.
	Preceding string
}

// maxPreceding is how much Literal.Preceding keeps.
const maxPreceding = 64

// Literals lists the string literals of a file in order.
func Literals(source string) ([]Literal, error) {
	if len(source) > MaxSize {
		return nil, fmt.Errorf("the file has more than %d bytes", MaxSize)
	}
	if !utf8.ValidString(source) {
		return nil, errors.New("the file is not UTF-8")
	}
	s := scanner{source: strings.ReplaceAll(source, "\r\n", "\n"), line: 1}
	for s.pos < len(s.source) {
		if err := s.next(); err != nil {
			return nil, fmt.Errorf("line %d: %w", s.line, err)
		}
	}
	return s.found, nil
}

type scanner struct {
	source string
	pos    int
	line   int
	found  []Literal
	gap    []byte // the code since the last literal
}

// next reads a comment, a literal, or one byte of code.
func (s *scanner) next() error {
	switch c := s.source[s.pos]; {
	case c == '#':
		if end := strings.IndexByte(s.source[s.pos:], '\n'); end >= 0 {
			s.pos += end
		} else {
			s.pos = len(s.source)
		}
		return nil
	case c == '\'' || c == '"':
		return s.literal("")
	case isName(c):
		return s.name()
	case c == '\n':
		s.line++
	case c != ' ' && c != '\t' && c != '\\' && c != '\f' && c != '\r':
		s.code(string(c))
	}
	s.pos++
	return nil
}

// code notes what is not a literal.
func (s *scanner) code(text string) {
	s.gap = append(s.gap, text...)
	s.gap = s.gap[max(0, len(s.gap)-maxPreceding):]
}

func isName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// name reads a name, or the prefix of a literal.
func (s *scanner) name() error {
	end := s.pos
	for end < len(s.source) && isName(s.source[end]) {
		end++
	}
	name := s.source[s.pos:end]
	s.pos = end
	if end < len(s.source) && (s.source[end] == '\'' || s.source[end] == '"') && len(name) <= 2 &&
		strings.Trim(name, "rRbBuUfF") == "" {
		return s.literal(strings.ToLower(name))
	}
	s.code(name)
	return nil
}

// literal reads a literal whose prefix has been read.
func (s *scanner) literal(prefix string) error {
	l := Literal{Line: s.line, Follows: len(s.found) > 0 && len(s.gap) == 0, Preceding: string(s.gap)}
	body, err := s.body()
	if err != nil {
		return err
	}
	raw := strings.Contains(prefix, "r")
	switch {
	case strings.Contains(prefix, "f"):
		l.Parts, err = formatted(body, raw)
	case raw:
		l.Text = body
	default:
		l.Text, err = unescape(body, strings.Contains(prefix, "b"))
	}
	s.found, s.gap = append(s.found, l), s.gap[:0]
	return err
}

// body is what stands between the quotes of a literal.
func (s *scanner) body() (string, error) {
	quote := s.source[s.pos : s.pos+1]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(s.source[s.pos:], triple) {
		quote = triple
	}
	s.pos += len(quote)
	start := s.pos
	for s.pos < len(s.source) {
		switch {
		case strings.HasPrefix(s.source[s.pos:], quote):
			body := s.source[start:s.pos]
			s.pos += len(quote)
			return body, nil
		case s.source[s.pos] == '\\':
			s.pos++ // what follows is not an end, and may be a line break
			if s.pos == len(s.source) {
				continue
			}
		case s.source[s.pos] == '\n' && len(quote) == 1:
			return "", errors.New("a string has no end")
		}
		if s.source[s.pos] == '\n' {
			s.line++
		}
		s.pos++
	}
	return "", errors.New("a string has no end")
}

// unescape replaces escapes. An unknown one stays as it is.
func unescape(body string, isBytes bool) (string, error) {
	var out strings.Builder
	for {
		head, tail, ok := strings.Cut(body, `\`)
		out.WriteString(head)
		if !ok || tail == "" {
			return out.String(), nil
		}
		if body = tail; isBytes && (tail[0] == 'u' || tail[0] == 'U') {
			out.WriteByte('\\')
			continue
		}
		c, size, err := pytext.Escape(tail)
		switch {
		case err != nil:
			return "", err
		case tail[0] == 'N' && !isBytes:
			return "", errors.New(`characters by name (\N) are not supported`)
		case utf8.ValidRune(c):
			out.WriteRune(c)
		case c != pytext.Nothing:
			return "", fmt.Errorf(`\%s is not a character`, tail[:size])
		}
		body = tail[size:]
	}
}

// formatted lists the constant parts of an f-string, without the empty ones; never nil.
func formatted(body string, raw bool) (parts []string, err error) {
	parts = []string{}
	var part strings.Builder
	end := func() error {
		text := part.String()
		part.Reset()
		if !raw {
			if text, err = unescape(text, false); err != nil {
				return err
			}
		}
		if text != "" {
			parts = append(parts, text)
		}
		return nil
	}
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case c != '{' && c != '}':
			part.WriteByte(c)
		case i+1 < len(body) && body[i+1] == c:
			part.WriteByte(c)
			i++
		case c == '}':
			return nil, errors.New("an f-string has a single }")
		default:
			size, err := placeholder(body[i:])
			if err != nil {
				return nil, err
			}
			if err := end(); err != nil {
				return nil, err
			}
			i += size - 1
		}
	}
	err = end()
	return parts, err
}

// placeholder is the size of a placeholder, whose format may have more of them.
func placeholder(text string) (int, error) {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i + 1, nil
			}
		}
	}
	return 0, errors.New("a placeholder of an f-string has no end")
}

// slot is where a program puts another text into a literal.
var slot = regexp.MustCompile(`\{\{\w+\}\}`)

// Texts lists the texts that begin on the lines from first to last: each literal, each
// constant part of an f-string, what stands between the slots of a literal without white
// space at its ends, and the values of adjacent literals, joined.
func Texts(literals []Literal, first, last int) (out []string) {
	for i, l := range literals {
		if l.Line < first || l.Line > last {
			continue
		}
		if out = append(out, l.Parts...); l.Parts != nil {
			continue
		}
		joined := l.Text
		out = append(out, joined)
		if parts := slot.Split(strings.TrimSpace(l.Text), -1); len(parts) > 1 {
			out = append(out, parts...)
		}
		for _, next := range literals[i+1 : min(len(literals), i+maxJoined)] {
			if !next.Follows || next.Parts != nil {
				break
			}
			joined += next.Text
			out = append(out, joined)
		}
	}
	return out
}

// Table returns the dictionary of texts that a name is bound to: NAME = {"key": "value", …}.
func Table(literals []Literal, name string) (map[string]string, error) {
	out := map[string]string{}
	key, inTable := "", false
	for _, l := range literals {
		switch {
		case !inTable:
			if inTable = strings.HasSuffix(l.Preceding, name+"={"); inTable {
				key = l.Text
			}
		case l.Follows || l.Preceding == ":":
			if l.Parts != nil {
				return nil, fmt.Errorf("line %d: %s has a value that is not plain text", l.Line, name)
			}
			out[key] += l.Text
		case l.Preceding == ",":
			key = l.Text
		default:
			return out, nil // another statement
		}
	}
	if !inTable {
		return nil, fmt.Errorf("%s = {…} of texts is missing", name)
	}
	return out, nil
}
