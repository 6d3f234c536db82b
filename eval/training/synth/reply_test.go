package synth

import (
	"encoding/json"
	"strings"
	"testing"

	"heldout/envs/sharedtest"
)

// What a reply holds is found wherever it stands, and a fault is shown with its place.
func TestReadReply(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Reply, Open string
		Want        string // the values, joined by blanks
		Mended      bool
		Err         string
	}](t, "replies.yaml") {
		values, mended, err := readAny(c.Reply, c.Open[0])
		got := strings.Join(values, " ")
		if got != c.Want || mended != c.Mended && err == nil || (err == nil) != (c.Err == "") || err != nil &&
			!strings.Contains(err.Error(), c.Err) {
			t.Errorf("%q: %q, %v, %v", c.Reply, got, mended, err)
		}
	}
}

// readAny reads an object or a list.
func readAny(reply string, open byte) (values []string, mended bool, err error) {
	if open == '{' {
		value, mended, err := ReadObject(reply)
		if value != nil {
			values = []string{string(value)}
		}
		return values, mended, err
	}
	list, mended, err := ReadList(reply)
	for _, v := range list {
		values = append(values, string(v))
	}
	return values, mended, err
}

// Whatever a reply is, what is read of it is JSON, and a list is read up to its fault: cut
// anywhere, it gives the values that are whole.
func FuzzReadReply(f *testing.F) {
	f.Add(`{"a": [1,]}`, true)
	f.Add("x ```json\n[1]\n``` y", false)
	f.Add(`[{"a": 1}, {"b": 2} {"c": "]"}`, false)
	f.Fuzz(func(t *testing.T, reply string, object bool) {
		open := byte('[')
		if object {
			open = '{'
		}
		values, mended, err := readAny(reply, open)
		for _, v := range values {
			if !json.Valid([]byte(v)) {
				t.Errorf("%q is read as %q", reply, v)
			}
		}
		switch whole := strings.TrimSpace(reply); {
		case object && err == nil && (len(values) != 1 || values[0][0] != open):
			t.Errorf("%q is read as %q", reply, values)
		case err == nil && !mended && !json.Valid([]byte(whole)):
			t.Errorf("%q is read as it is", reply)
		case json.Valid([]byte(whole)) && strings.HasPrefix(whole, string(open)) && err != nil:
			t.Errorf("%q: %v", reply, err)
		}
	})
}
