package synth

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestReadReply(t *testing.T) {
	for _, c := range []struct {
		reply  string
		open   byte
		want   string
		mended bool
		err    string
	}{
		{` {"a": 1} `, '{', `{"a": 1}`, false, ""},
		{`[1]`, '[', `[1]`, false, ""},
		{"Here:\n```json\n{\"a\": 1}\n```\nDone {really}.", '{', `{"a": 1}`, true, ""},
		{"```\n[1, 2,]\n```", '[', `[1, 2]`, true, ""},
		{`The list is [1, 2] as you see`, '[', `[1, 2]`, true, ""},
		{`{"a": [1, 2,],}`, '{', `{"a": [1, 2]}`, true, ""},
		{`[{"a": 1}]`, '{', `{"a": 1}`, true, ""},
		{`{"a": 1`, '{', "", false, "the reply is no JSON object: at its byte 7: unexpected end of JSON input"},
		{`no`, '{', "", false, "the reply has no JSON object"},
		{``, '[', "", false, "the reply has no JSON list"},
		{`] [`, '[', "", false, "the reply is no JSON list"},
		{"```", '[', "", false, "no JSON list"},
		{`"{}"`, '{', "{}", true, ""},
	} {
		got, mended, err := ReadReply(c.reply, c.open)
		if string(got) != c.want || mended != c.mended || (err == nil) != (c.err == "") || err != nil &&
			!strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %q, %v, %v", c.reply, got, mended, err)
		}
	}
}

func FuzzReadReply(f *testing.F) {
	f.Add(`{"a": [1,]}`, true)
	f.Add("x ```json\n[1]\n``` y", false)
	f.Fuzz(func(t *testing.T, reply string, object bool) {
		open := byte('[')
		if object {
			open = '{'
		}
		value, mended, err := ReadReply(reply, open)
		switch {
		case err != nil && value != nil:
			t.Errorf("%q and %v", value, err)
		case err == nil && (len(value) == 0 || value[0] != open || !json.Valid(value)):
			t.Errorf("%q is read as %q", reply, value)
		case err == nil && !mended && string(value) != strings.TrimSpace(reply):
			t.Errorf("%q is not the whole of %q", value, reply)
		}
	})
}
