package outside

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"heldout/envs/datafile"
)

// Misread is what is wrong with JSON that others wrote, in the words of its authors.
type Misread struct {
	// Field is where, such as "observation.won"; empty for the whole.
	Field string
	// Fault says what is wrong there, such as "is NaN, want a number".
	Fault string
}

// Error implements error.
func (m *Misread) Error() string {
	if m.Field == "" {
		return "it " + m.Fault
	}
	return m.Field + " " + m.Fault
}

// Unmarshal reads JSON that others wrote. Its errors are a *Misread.
func Unmarshal(text []byte, into any, options ...jsonv2.Options) error {
	err := jsonv2.Unmarshal(text, into, options...)
	var form *jsontext.SyntacticError
	var kind *jsonv2.SemanticError
	switch {
	case errors.As(err, &form):
		return &Misread{named(form.JSONPointer), malformed(form, text)}
	case errors.As(err, &kind):
		return &Misread{named(kind.JSONPointer), mistyped(kind, text[kind.ByteOffset:])}
	case err != nil:
		return &Misread{Fault: "cannot be read: " + Quoted(err.Error())}
	}
	return nil
}

// named is a place as a user would write it.
func named(place jsontext.Pointer) string {
	var names []string
	for name := range place.Tokens() {
		names = append(names, name)
	}
	return quoted(strings.Join(names, "."), longestName)
}

const (
	longestName  = 60
	longestValue = 40 // that an error quotes, in bytes
)

// malformed says what is wrong with the form of a JSON text.
func malformed(err *jsontext.SyntacticError, text []byte) string {
	reason := err.Err.Error()
	prefix := strings.TrimRight(string(text[:err.ByteOffset]), "-abcdefghijklmnopqrstuvwxyz") // of a word begun
	word := strings.TrimLeft(string(text[len(prefix):]), " \t\r\n:,")
	switch number := constant(word); {
	case number != "":
		return "is " + number + ", want a number"
	case errors.Is(err.Err, jsontext.ErrDuplicateName):
		return "is there twice"
	case strings.Contains(reason, "UTF-8"):
		return "has bytes that are not UTF-8"
	case strings.Contains(reason, "surrogate"):
		return "has half of a surrogate pair, which no text has"
	case strings.TrimSpace(string(text)) == "":
		return "is empty"
	case errors.Is(err.Err, io.ErrUnexpectedEOF):
		return "ends in the middle"
	case strings.Contains(reason, "after top-level"):
		return "is followed by " + quoted(word, longestValue)
	}
	return "is no JSON at " + quoted(word, longestValue)
}

// constant is a number that Python and JavaScript know and JSON does not, at the beginning of a text.
func constant(text string) string {
	for _, name := range []string{"NaN", "Infinity", "-Infinity", "nan", "inf", "-inf"} {
		if rest, ok := strings.CutPrefix(text, name); ok && strings.Trim(rest[:min(len(rest), 1)], ",]} \r\n") == "" {
			return name
		}
	}
	return ""
}

// mistyped says what is wrong with the value at the beginning of rest.
func mistyped(err *jsonv2.SemanticError, rest []byte) string {
	value := string(bytes.TrimLeft(rest, " \t\r\n:,"))
	switch {
	case errors.Is(err.Err, jsonv2.ErrUnknownName):
		return "is not a field that heldout knows"
	case errors.Is(err.Err, strconv.ErrRange):
		return "is " + quoted(string(err.JSONValue), longestValue) + ", which is too large"
	case err.JSONKind == ']':
		return "has " + err.Err.Error()
	}
	found := map[jsontext.Kind]string{'{': "an object", '[': "a list", 'n': "null", 't': "true",
		'f': "false"}[err.JSONKind]
	if found == "" {
		raw, _ := jsontext.NewDecoder(strings.NewReader(value)).ReadValue() // it was read before
		found = quoted(string(raw), longestValue)
	}
	if err.JSONKind == '"' {
		found = "the text " + found
	}
	return "is " + found + ", want " + typeName(err.GoType)
}

// typeName is a type in words.
func typeName(t reflect.Type) string {
	return strings.NewReplacer(" […]", "", " {…}", "").Replace(datafile.TypeText(t))
}

// longestQuote is how much of a text from outside an error has, in bytes.
const longestQuote = 300

// Quoted is a text from outside in one printable line. Of a long one, the beginning and the end are left: what
// went wrong stands in the last line of a traceback.
func Quoted(text string) string { return quoted(text, longestQuote) }

func quoted(text string, longest int) string {
	if len(text) > longest {
		half := longest / 2
		text = strings.ToValidUTF8(text[:half], "") + "…" + strings.ToValidUTF8(text[len(text)-half:], "")
	}
	for _, r := range text {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return strconv.Quote(text)
		}
	}
	return text
}
