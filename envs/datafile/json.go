package datafile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
)

var strictness = jsonv2.JoinOptions(jsonv1.DefaultOptionsV1(), jsonv1.ReportErrorsWithLegacySemantics(false),
	jsontext.AllowDuplicateNames(false))

// Lenient takes the last one of equal keys, as Python does.
var Lenient = jsontext.AllowDuplicateNames(true)

// Closed refuses keys that a struct has no field for.
var Closed = jsonv2.RejectUnknownMembers(true)

// JSONError is what is wrong in a text of JSON, in plain words.
type JSONError struct {
	// Line is where, counted from 1.
	Line int
	// Message names the value by the keys that lead to it, and says what is wanted.
	Message string
}

func (f *JSONError) Error() string { return f.Message }

// JSON decodes the JSON of a file as encoding/json does, but refuses a key that stands there
// twice. Errors begin with the name and the line.
func JSON(name string, b []byte, v any, options ...jsonv2.Options) error {
	return inFile(name, Unmarshal(b, v, options...))
}

func inFile(name string, err error) error {
	if f, ok := errors.AsType[*JSONError](err); ok {
		err = fmt.Errorf("%s:%d: %w", name, f.Line, err)
	}
	return err
}

// Named puts the name of a file before an error that does not begin with it.
func Named(name string, err error) error {
	if err == nil || strings.HasPrefix(err.Error(), name+":") {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Marshal is json.Marshal that leaves <, > and & as they are.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Unmarshal is JSON for a text without a name. Its errors are faults.
func Unmarshal(b []byte, v any, options ...jsonv2.Options) error {
	if err := jsonv2.Unmarshal(b, v, append([]jsonv2.Options{strictness}, options...)...); err != nil {
		return faultOf(b, err)
	}
	return nil
}

// EachValue visits the values of a file of JSON that follow each other, as in JSON Lines.
// Errors begin with the name and the line where the value begins.
func EachValue(name string, b []byte, visit func(value []byte) error) error {
	d := jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true))
	for {
		value, err := d.ReadValue()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return inFile(name, faultOf(b, err))
		}
		if err := visit(value); err != nil {
			return fmt.Errorf("%s:%d: %w", name, lineAt(b, d.InputOffset()-int64(len(value))), err)
		}
	}
}

func lineAt(b []byte, offset int64) int { return 1 + bytes.Count(b[:offset], []byte("\n")) }

// faultOf is an error of the decoder of a text in plain words.
func faultOf(b []byte, err error) *JSONError {
	place, offset := jsontext.Pointer(""), int64(0)
	var semantic *jsonv2.SemanticError
	var syntax *jsontext.SyntacticError
	if errors.As(err, &semantic) {
		offset, place = semantic.ByteOffset, semantic.JSONPointer
	} else if errors.As(err, &syntax) {
		offset, place = syntax.ByteOffset, syntax.JSONPointer
	}
	offset = min(max(0, offset), int64(len(b)))
	plain := Plain(err)
	if semantic == nil && syntax != nil && !errors.Is(err, io.ErrUnexpectedEOF) &&
		!errors.Is(err, jsontext.ErrDuplicateName) {
		plain = misplaced(b, int(offset), err.Error())
	}
	f := &JSONError{lineAt(b, offset), plain.Error()}
	if form := Foreign(b); form != "" {
		return &JSONError{1, "it is " + form}
	}
	if path := path(b, place); path != "" {
		f.Message = path + ": " + f.Message
	}
	return f
}

// path names a value by the keys and the positions that lead to it, counted from 1.
func path(b []byte, place jsontext.Pointer) string {
	var parts []string
	d := jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for token := range place.Tokens() {
		kind := d.PeekKind()
		d.ReadToken()
		if kind == '[' {
			n := 0
			for fmt.Sprint(n) != token && d.SkipValue() == nil {
				n++
			}
			parts = append(parts, fmt.Sprintf("entry %d", n+1))
			continue
		}
		for {
			name, err := d.ReadToken()
			if err != nil || name.Kind() != '"' || name.String() == token || d.SkipValue() != nil {
				break
			}
		}
		parts = append(parts, fmt.Sprintf("%.60q", token))
	}
	return strings.Join(parts, ", ")
}

// Plain returns an error of a reader of JSON or of numbers in plain words; others as they are.
func Plain(err error) error {
	var semantic *jsonv2.SemanticError
	var syntax *jsontext.SyntacticError
	var oldType *json.UnmarshalTypeError
	var oldSyntax *json.SyntaxError
	var number *strconv.NumError
	switch {
	case errors.As(err, &oldType):
		return fmt.Errorf("want %s, not %s", TypeText(oldType.Type), kindNamed(oldType.Value))
	case errors.Is(err, jsontext.ErrDuplicateName):
		return errors.New("the key stands there twice")
	case errors.Is(err, jsonv2.ErrUnknownName):
		return errors.New("the key is unknown")
	case errors.As(err, &semantic) && len(semantic.JSONValue) > 0:
		return fmt.Errorf("want %s, not %.60s", TypeText(semantic.GoType), semantic.JSONValue)
	case errors.As(err, &semantic) && semantic.Err == nil:
		return fmt.Errorf("want %s, not %s", TypeText(semantic.GoType), kinds[semantic.JSONKind])
	case errors.As(err, &semantic):
		return Plain(semantic.Err)
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("it ends in the middle of a value: the file is not complete")
	case errors.As(err, &syntax) || errors.As(err, &oldSyntax):
		return errors.New("this is not JSON")
	case errors.As(err, &number):
		return fmt.Errorf("want a number, not %.40q", number.Num)
	}
	return err
}

// kinds are what JSON values are called.
var kinds = map[jsontext.Kind]string{'{': "an object {…}", '[': "a list […]", '"': "a text", '0': "a number",
	't': "true", 'f': "false", 'n': "null"}

// kindNamed is encoding/json's name of a value in our words.
func kindNamed(value string) string {
	word, detail, _ := strings.Cut(value, " ")
	for kind, old := range map[jsontext.Kind]string{'{': "object", '[': "array", '"': "string", '0': "number"} {
		if word == old {
			return strings.TrimSpace(kinds[kind] + " " + detail)
		}
	}
	return value
}

// TypeText says which JSON values a type takes.
func TypeText(t reflect.Type) string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return "another value"
	}
	return cmp.Or(faults().Wanted[t.Kind().String()], "a whole number")
}

// misplaced says what is wrong where JSON cannot go on; found is what the decoder says.
func misplaced(b []byte, offset int, found string) error {
	if strings.Contains(found, "after top-level value") {
		return fmt.Errorf("there is more after the end of the value, from %.20q on", b[offset:])
	}
	if strings.Contains(found, "max depth") {
		return errors.New("values are nested too deep")
	}
	inText := strings.Contains(found, "in string (") || strings.Contains(found, "escape")
	for offset > 0 && !inText && inWord(b[offset-1]) {
		offset--
	}
	place := ""
	if context := strings.TrimSpace(strings.ToValidUTF8(string(b[max(0, offset-24):offset]), "")); context != "" {
		place = fmt.Sprintf(", after %q", context)
	}
	for _, slip := range faults().Slips {
		if text := regexp.MustCompile(slip.Pattern).Find(b[offset:]); text != nil {
			return fmt.Errorf(slip.Says+"%s", text[:min(len(text), 40)], place)
		}
	}
	return errors.New("this is not JSON" + place)
}

func inWord(c byte) bool {
	return strings.IndexByte("+-._", c) >= 0 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
