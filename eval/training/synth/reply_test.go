package synth

import (
	"encoding/json"
	"strings"
	"testing"
)

// What a reply holds is found wherever it stands, and a fault is shown with its place.
func TestReadReply(t *testing.T) {
	for _, c := range []struct {
		reply  string
		open   byte
		want   string // the values, joined by blanks
		mended bool
		err    string
	}{
		{` {"a": 1} `, '{', `{"a": 1}`, false, ""},
		{`[1]`, '[', `1`, false, ""},
		{"Here:\n```json\n{\"a\": 1}\n```\nDone {really}.", '{', `{"a": 1}`, true, ""},
		{"```\n[1, 2,]\n```", '[', `1 2`, true, ""},
		{`The list is [1, 2] as you see`, '[', `1 2`, true, ""},
		{`{"a": [1, 2,],}`, '{', `{"a": [1, 2 ] }`, true, ""},
		{`{"a": "x,]", "b": [1, 2, ],}`, '{', `{"a": "x,]", "b": [1, 2  ] }`, true, ""},
		{`[{"a": 1}]`, '{', `{"a": 1}`, true, ""},
		{`"{}"`, '{', "{}", true, ""},
		{`With {item}: {"a": {"b": 1}} and {}`, '{', `{"a": {"b": 1}}`, true, ""},
		{`Turns [1 to 3]: [{"a": 1}, {"a": "[x]"}] [end]`, '[', `{"a": 1} {"a": "[x]"}`, true, ""},
		{`{"turns": [{"a": 1}]}`, '[', `{"a": 1}`, true, ""},
		{`{"a": 1, "a": 2}`, '{', `{"a": 1, "a": 2}`, false, ""},

		{`[{"a": 1}, {"b": 2} {"c": 3}]`, '[', `{"a": 1} {"b": 2}`, true,
			`the JSON has a fault where >>> stands (invalid character '{' after array element (expecting ',' or ']')): ` +
				`[{"a": 1}, {"b": 2} >>>{"c": 3}]`},
		{`[{"a": 1}, {"b": "it is "so" big"}]`, '[', `{"a": 1}`, true, `{"b": "it is ">>>so" big"}]`},
		{`[{"a": 1,}, {"b": 2}, {"c": `, '[', `{"a": 1 } {"b": 2}`, true, ErrUnfinished.Error()},
		{`[{"a": 1}, {"b": 2}`, '[', `{"a": 1} {"b": 2}`, true, ErrUnfinished.Error()},
		{`{"a": 1`, '{', "", false, ErrUnfinished.Error()},
		{`no`, '{', "", false, "the reply has no JSON object"},
		{``, '[', "", false, "the reply has no JSON list"},
		{`] [`, '[', "", true, ErrUnfinished.Error()},
		{"```", '[', "", false, "the reply has no JSON list"},
		{`{item}`, '{', "", false, `{>>>item}`},
	} {
		values, mended, err := readAny(c.reply, c.open)
		got := strings.Join(values, " ")
		if got != c.want || mended != c.mended && err == nil || (err == nil) != (c.err == "") || err != nil &&
			!strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %q, %v, %v", c.reply, got, mended, err)
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
