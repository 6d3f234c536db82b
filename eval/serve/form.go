package serve

import (
	"encoding/json"
	"math"
	"math/big"
	"net/http"
	"regexp"
	"strings"
)

// formBody is the JSON object in the body of a request, or its query, as servers in
// Python read it. Fields that are missing or have the wrong type are errors.
type formBody struct {
	source string // "body" or "query"
	raw    json.RawMessage
	fields
}

// readForm reads the body of a request. If that fails, it answers the request and returns false.
func readForm(w http.ResponseWriter, r *http.Request) (*formBody, bool) {
	b, ok := readBody(w, r)
	f := &formBody{source: "body", raw: b}
	switch {
	case !ok:
	case b == nil:
		invalidBody(w, fieldError{Type: "missing", Loc: []string{"body"}, Msg: "Field required", Input: orNull(nil)})
	case kind(b) != '{' || json.Unmarshal(b, &f.values) != nil:
		invalidBody(w, noObject(b))
	default:
		return f, true
	}
	return nil, false
}

// queryForm reads the query of a request. All values are texts.
func queryForm(r *http.Request) *formBody {
	f := &formBody{source: "query", raw: orNull(nil), fields: fields{values: jsonObject{}}}
	for name, values := range r.URL.Query() {
		f.values[name] = quoted(values[len(values)-1])
	}
	return f
}

// ok reports whether there are no errors. If there are, it answers the request.
func (f *formBody) ok(w http.ResponseWriter) bool {
	if len(f.errs) > 0 {
		invalidBody(w, located(f.source, f.errs)...)
	}
	return len(f.errs) == 0
}

// contains reports whether there is a field; if not, that is an error.
func (f *formBody) contains(name string) (ok bool) {
	if _, ok = f.values[name]; !ok {
		f.errs = append(f.errs, missing(name, f.raw))
	}
	return ok
}

// text returns a field that is a text.
func (f *formBody) text(name string) string {
	if !f.contains(name) {
		return ""
	}
	return f.fields.text(name, math.MaxInt)
}

// The texts and numbers of JSON that stand for whole numbers.
var (
	wholeText   = regexp.MustCompile(`^([+-]?)([0-9]+(?:_[0-9]+)*)(?:\.0+)?$`)
	wholeNumber = regexp.MustCompile(`^-?[0-9]+$`)
)

// maxDigits is the largest number of digits of a whole number.
const maxDigits = 4300

// integer returns a field that is a whole number, of any size. As in Python's servers, texts and floats with a
// whole value count as one, and so do booleans. It is 0 if there is an error.
func (f *formBody) integer(name string) *big.Int {
	if f.contains(name) {
		n, kind, text := wholeOf(f.values[name])
		if n != nil {
			return n
		}
		f.errs = append(f.errs, wrong(kind, name, text, f.values[name]))
	}
	return new(big.Int)
}

// wholeOf reads a whole number, or says what is wrong.
func wholeOf(v json.RawMessage) (n *big.Int, kind, problem string) {
	const (
		tooLong  = "Unable to parse input string as an integer, exceeded maximum size"
		noWhole  = "Input should be a valid integer"
		fraction = noWhole + ", got a number with a fractional part"
		noText   = noWhole + ", unable to parse string as an integer"
		infinite = "Input should be a finite number"
	)
	var value any
	if wholeNumber.Match(v) {
		value = string(v)
	} else if json.Unmarshal(v, &value) != nil { // a float that is too large
		return nil, "finite_number", infinite
	}
	switch value := value.(type) {
	case bool:
		if value {
			return big.NewInt(1), "", ""
		}
		return new(big.Int), "", ""
	case float64:
		if value != math.Trunc(value) {
			return nil, "int_from_float", fraction
		}
		n, _ := big.NewFloat(value).Int(nil)
		return n, "", ""
	case string:
		m := wholeText.FindStringSubmatch(strings.TrimSpace(value))
		if m == nil {
			return nil, "int_parsing", noText
		}
		digits := strings.ReplaceAll(m[2], "_", "")
		if len(digits) > maxDigits {
			return nil, "int_parsing_size", tooLong
		}
		n, _ := new(big.Int).SetString(strings.TrimPrefix(m[1], "+")+digits, 10) // digits always parse
		return n, "", ""
	}
	return nil, "int_type", noWhole
}
