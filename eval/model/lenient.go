package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// count is a number of tokens. It is 0 unless the server told a whole number, as a
// number or a text: nothing is made up of anything else.
type count int

// UnmarshalJSON implements json.Unmarshaler. It refuses nothing.
func (c *count) UnmarshalJSON(text []byte) error {
	number, err := strconv.ParseFloat(string(bytes.Trim(text, `"`)), 64)
	if *c = 0; err == nil && number == math.Trunc(number) && number > 0 && number <= math.MaxInt32 {
		*c = count(number)
	}
	return nil
}

// readJSON reads a value leniently: parts of another type than expected count as not
// told, numbers that JSON does not have are null, and something may follow the value.
func readJSON(text []byte, into any) error {
	text = bytes.TrimPrefix(text, byteOrderMark)
	err := json.Unmarshal(text, into)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		err = json.NewDecoder(finite(text)).Decode(into)
	}
	if err == nil || errors.As(err, new(*json.UnmarshalTypeError)) {
		return nil
	}
	return errMisread
}

// finite writes null in place of the numbers that Python puts into JSON: NaN and the infinities.
func finite(text []byte) *bytes.Buffer {
	var out bytes.Buffer
	quoted := false
	for i := 0; i < len(text); i++ {
		switch name := notFinite(text[i:]); {
		case text[i] == '"':
			quoted = !quoted
		case quoted && text[i] == '\\' && i+1 < len(text):
			out.WriteByte(text[i])
			i++
		case !quoted && name != "":
			out.WriteString("null")
			i += len(name) - 1
			continue
		}
		out.WriteByte(text[i])
	}
	return &out
}

// hollow reports whether a value tells nothing: it is null, false, 0 or empty, or has nothing else.
func hollow(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case bool:
		return !value
	case float64:
		return value == 0
	case string:
		return strings.TrimSpace(value) == ""
	case []any:
		return !slices.ContainsFunc(value, func(v any) bool { return !hollow(v) })
	case map[string]any:
		return hollow(slices.Collect(maps.Values(value)))
	}
	return false
}

// notFinite is the number at the beginning of a text that JSON does not have; empty for none.
func notFinite(text []byte) string {
	for _, name := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text, []byte(name)) {
			return name
		}
	}
	return ""
}
