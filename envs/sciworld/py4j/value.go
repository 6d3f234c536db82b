package py4j

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind says what a Ref refers to, by the letter of the protocol.
type Kind byte

// The kinds of references.
const (
	Object   Kind = 'r'
	List     Kind = 'l'
	Map      Kind = 'a'
	Set      Kind = 'h'
	Array    Kind = 't'
	Iterator Kind = 'g'
	// Class and Package are answers about names: ID is the name of the class, or empty.
	Class   Kind = 'c'
	Package Kind = 'p'
	// NoMember says that no member has the name.
	NoMember Kind = 'o'
)

// Ref is a reference to something that stays in the gateway.
type Ref struct {
	Kind Kind
	// ID names an object within its gateway, such as "o7".
	ID string
}

// Void is the result of methods that return nothing.
type Void struct{}

// encodeRequest writes a command: one line per part, and a line that ends it.
func encodeRequest(command, target string, parts []any) (string, error) {
	lines := append([]any{name(command), name(target)}, parts...)
	var b strings.Builder
	for _, part := range lines {
		if err := encode(&b, part); err != nil {
			return "", err
		}
		b.WriteByte('\n')
	}
	b.WriteString("e\n")
	return b.String(), nil
}

// encode writes a value in the form of requests (§1.2).
func encode(b *strings.Builder, value any) error {
	switch v := value.(type) {
	case name:
		if v == "" || strings.ContainsAny(string(v), "\r\n") {
			return fmt.Errorf("py4j: %q cannot be a name", string(v))
		}
		b.WriteString(string(v))
	case nil:
		b.WriteByte('n')
	case string:
		b.WriteByte('s')
		b.WriteString(escape(v))
	case bool:
		b.WriteByte('b')
		b.WriteString(strconv.FormatBool(v))
	case int:
		if v < math.MinInt32 || v > math.MaxInt32 {
			return fmt.Errorf("py4j: %d does not fit Java's int; an int64 is sent as a long", v)
		}
		b.WriteByte('i')
		b.WriteString(strconv.Itoa(v))
	case int32:
		return encode(b, int(v))
	case int64:
		b.WriteByte('L')
		b.WriteString(strconv.FormatInt(v, 10))
	case float64:
		b.WriteByte('d')
		b.WriteString(formatDouble(v))
	case Ref:
		if v.ID == "" || strings.ContainsAny(v.ID, "\r\n") {
			return fmt.Errorf("py4j: %q is no reference", v.ID)
		}
		b.WriteByte('r')
		b.WriteString(v.ID)
	default:
		return fmt.Errorf("py4j: a value of type %T cannot be sent", value)
	}
	return nil
}

// formatDouble writes a number so that Java reads the same.
func formatDouble(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// parseReply reads a reply without its line's end.
func parseReply(line string) (value any, failed bool, err error) {
	rest, ok := strings.CutPrefix(line, "!")
	if !ok || rest == "" {
		return nil, false, fmt.Errorf("the answer is not the protocol's: %s", excerpt(line))
	}
	switch body := rest[1:]; rest[0] {
	case 'y':
		value, err = parseValue(body)
	case 'x':
		failed = true
		if body != "" {
			value, err = parseValue(body)
		}
	default:
		err = errors.New("neither success nor error")
	}
	if err != nil {
		return nil, false, fmt.Errorf("the answer is not the protocol's: %s: %w", excerpt(line), err)
	}
	return value, failed, nil
}

func parseValue(s string) (any, error) {
	if s == "" {
		return nil, errors.New("there is no value")
	}
	letter, text := s[0], s[1:]
	switch letter {
	case 's':
		return unescape(text), nil
	case 'i':
		n, err := strconv.ParseInt(text, 10, 32)
		return int32(n), err
	case 'L':
		n, err := strconv.ParseInt(text, 10, 64)
		return n, err
	case 'd':
		f, err := strconv.ParseFloat(text, 64)
		return f, err
	case 'b':
		return parseBool(text)
	case 'n', 'v', byte(Package), byte(NoMember):
		if text != "" {
			return nil, fmt.Errorf("a value of kind %q has no text", letter)
		}
		switch letter {
		case 'n':
			return nil, nil
		case 'v':
			return Void{}, nil
		}
		return Ref{Kind: Kind(letter)}, nil
	case byte(Object), byte(List), byte(Map), byte(Set), byte(Array), byte(Iterator), byte(Class):
		if text == "" {
			return nil, errors.New("a reference without an id")
		}
		return Ref{Kind(letter), text}, nil
	}
	return nil, fmt.Errorf("there is no kind of value %q", letter)
}

func parseBool(s string) (any, error) {
	switch {
	case strings.EqualFold(s, "true"):
		return true, nil
	case strings.EqualFold(s, "false"):
		return false, nil
	}
	return nil, errors.New("neither true nor false")
}

var escaper = strings.NewReplacer(`\`, `\\`, "\r", `\r`, "\n", `\n`)

// escape writes a string so that it fits into a line.
func escape(s string) string { return escaper.Replace(s) }

// unescape undoes escape: \n, \r, and a backslash before any other character is that one.
func unescape(s string) string {
	first := strings.IndexByte(s, '\\')
	if first < 0 {
		return s
	}
	b := make([]byte, first, len(s))
	copy(b, s)
	for i := first; i < len(s); i++ {
		ch := s[i]
		if ch == '\\' && i+1 < len(s) {
			i++
			switch ch = s[i]; ch {
			case 'n':
				ch = '\n'
			case 'r':
				ch = '\r'
			}
		}
		b = append(b, ch)
	}
	return string(b)
}

func excerpt(s string) string {
	const most = 80
	if len(s) > most {
		return strconv.Quote(s[:most]) + "…"
	}
	return strconv.Quote(s)
}
