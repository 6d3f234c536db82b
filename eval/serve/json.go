package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
)

// writeJSON answers with compact JSON, in which < and & are not escaped.
func writeJSON(w http.ResponseWriter, code int, v any) {
	b, err := compact(v)
	if err != nil {
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
		return
	}
	writeRaw(w, code, b)
}

// strictly reads the JSON of an object that has no other members than v.
func strictly(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if d.More() {
		return errors.New("something follows the object")
	}
	return nil
}

// writeRaw answers with JSON that is ready.
func writeRaw(w http.ResponseWriter, code int, b []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(code)
	_, _ = w.Write(b) // the client may be gone
}

// compact returns the JSON of v without blanks, and without HTML's escapes.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
