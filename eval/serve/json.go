package serve

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"strconv"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// jsonObject is a JSON object whose values have not been read.
type jsonObject map[string]json.RawMessage

// asPython writes JSON as the servers in Python do, with no escapes but those that JSON
// needs. What clients sent is repeated as it was.
var asPython = jsonv2.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true),
	jsontext.PreserveRawStrings(true), jsonv2.FormatNilSliceAsNull(true), jsonv2.FormatNilMapAsNull(true),
	jsonv2.Deterministic(true))

// marshal returns the JSON of v without blanks, as Python's servers write it.
func marshal(v any) ([]byte, error) { return jsonv2.Marshal(v, asPython) }

// refusal answers a request that cannot be carried out.
type refusal struct {
	Error string `json:"error"`
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	b, err := marshal(v)
	if err != nil {
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(code)
	_, _ = w.Write(b) // the client may be gone
}

// strictly reads the JSON of an object that has no other members than v.
func strictly(b []byte, v any) error {
	return jsonv2.Unmarshal(b, v, asPython, jsonv2.RejectUnknownMembers(true), jsonv2.MatchCaseInsensitiveNames(true))
}

// integer is a whole number, which clients may write as a string.
type integer int

// UnmarshalJSON implements json.Unmarshaler.
func (n *integer) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	number, err := strconv.Atoi(string(bytes.Trim(b, `"`)))
	*n = integer(number)
	return err
}

// or returns the number, or another one if there is none.
func (n *integer) or(otherwise int) int {
	if n == nil {
		return otherwise
	}
	return int(*n)
}

// pythonFloat is a number of size 1e6 at most as Python writes a float: with a point or an exponent.
type pythonFloat float64

// MarshalJSONTo implements jsonv2.MarshalerTo.
func (f pythonFloat) MarshalJSONTo(e *jsontext.Encoder) error {
	if x := float64(f); x != math.Trunc(x) {
		return e.WriteValue(strconv.AppendFloat(e.AvailableBuffer(), x, 'g', -1, 64))
	}
	return e.WriteValue(strconv.AppendFloat(e.AvailableBuffer(), float64(f), 'f', 1, 64))
}

// maxDepth is the deepest nesting of JSON that is read.
const maxDepth = 16

// tooDeep reports whether JSON is nested deeper than that.
func tooDeep(b []byte) bool {
	for d := newDecoder(b); d.StackDepth() <= maxDepth; {
		if _, err := d.ReadToken(); err != nil {
			return false
		}
	}
	return true
}

// newDecoder returns a decoder of what encoding/json accepts.
func newDecoder(b []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(b), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// keysOf returns the keys of a JSON object in their order, each once.
func keysOf(raw []byte) (keys []string) {
	d := newDecoder(raw)
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil
	}
	found := map[string]bool{}
	for d.PeekKind() == '"' {
		t, err := d.ReadToken()
		if err != nil {
			return keys
		}
		if key := t.String(); !found[key] {
			found[key] = true
			keys = append(keys, key)
		}
		if d.SkipValue() != nil {
			return keys
		}
	}
	return keys
}

// kind returns the kind of a JSON value; 0 without a value.
func kind(raw json.RawMessage) jsontext.Kind { return jsontext.Value(raw).Kind() }

func quoted(s string) json.RawMessage {
	b, _ := jsontext.AppendQuote(nil, s) // the error says that bytes are not UTF-8: they become U+FFFD
	return b
}
