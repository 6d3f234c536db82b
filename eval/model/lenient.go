package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
)

// count is a number of tokens. It is 0 unless the server told a whole number, as a
// number or a text: nothing is made up of anything else.
type count int

// UnmarshalJSON implements json.Unmarshaler. It refuses nothing.
func (c *count) UnmarshalJSON(told []byte) error {
	number, err := strconv.ParseFloat(string(bytes.Trim(told, `"`)), 64)
	if *c = 0; err == nil && number == math.Trunc(number) && number > 0 && number <= math.MaxInt32 {
		*c = count(number)
	}
	return nil
}

// readJSON reads a value leniently: what is of another type than expected counts as not
// told, numbers that JSON does not have are null, and something may follow the value.
func readJSON(told []byte, into any) error {
	err := json.Unmarshal(told, into)
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		err = json.NewDecoder(finite(told)).Decode(into)
	}
	if err == nil || errors.As(err, new(*json.UnmarshalTypeError)) {
		return nil
	}
	return errMisread
}

// finite writes null in place of the numbers that Python puts into JSON: NaN and the
// infinities.
func finite(told []byte) io.Reader {
	var out bytes.Buffer
	quoted := false
	for i := 0; i < len(told); i++ {
		switch name := notFinite(told[i:]); {
		case told[i] == '"':
			quoted = !quoted
		case quoted && told[i] == '\\' && i+1 < len(told):
			out.WriteByte(told[i])
			i++
		case !quoted && name != "":
			out.WriteString("null")
			i += len(name) - 1
			continue
		}
		out.WriteByte(told[i])
	}
	return &out
}

// notFinite is the number at the beginning of a text that JSON does not have; empty for
// none.
func notFinite(told []byte) string {
	for _, name := range []string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(told, []byte(name)) {
			return name
		}
	}
	return ""
}
