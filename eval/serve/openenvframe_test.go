package serve

import (
	"encoding/json"
	"reflect"
	"testing"
)

// replies are frames of clients with the replies that the reference gives, recorded
// with its release 0.10.0. Only the texts of JSON errors and of the two frames that
// end a session are our own.
var recordedFrames = []struct{ frame, reply string }{
	{
		`{"type":"reset","data":[]}`,
		`{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"dict_type","loc":["data"],"msg":"Input should be a valid dictionary","input":[],"url":"https://errors.pydantic.dev/2.14/v/dict_type"}]}}`},
	{
		`{"type":"reset","data":null}`,
		`{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"dict_type","loc":["data"],"msg":"Input should be a valid dictionary","input":null,"url":"https://errors.pydantic.dev/2.14/v/dict_type"}]}}`},
	{
		`{"type":"reset","data":{},"foo":1}`,
		`{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"extra_forbidden","loc":["foo"],"msg":"Extra inputs are not permitted","input":1,"url":"https://errors.pydantic.dev/2.14/v/extra_forbidden"}]}}`},
	{
		`{"type": "step", "data": {"message": 5}}`,
		`{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"string_type","loc":["message"],"msg":"Input should be a valid string","input":5,"url":"https://errors.pydantic.dev/2.14/v/string_type"}]}}`},
	{
		`{"type": "step", "data": {}}`,
		`{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"missing","loc":["message"],"msg":"Field required","input":{},"url":"https://errors.pydantic.dev/2.14/v/missing"}]}}`},
	{
		`{"type": "step"}`,
		`{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"missing","loc":["data"],"msg":"Field required","input":{"type":"step"},"url":"https://errors.pydantic.dev/2.14/v/missing"}]}}`},
	{
		`{"type": "step", "data": {"msg": "x"}}`,
		`{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"missing","loc":["message"],"msg":"Field required","input":{"msg":"x"},"url":"https://errors.pydantic.dev/2.14/v/missing"},{"type":"extra_forbidden","loc":["msg"],"msg":"Extra inputs are not permitted","input":"x","url":"https://errors.pydantic.dev/2.14/v/extra_forbidden"}]}}`},
	{`{"type": "step", "data": {"zz":1,"message": 5,"aa":[1, 2]}}`,
		`{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"string_type","loc":["message"],"msg":"Input should be a valid string","input":5,"url":"https://errors.pydantic.dev/2.14/v/string_type"},{"type":"extra_forbidden","loc":["zz"],"msg":"Extra inputs are not permitted","input":1,"url":"https://errors.pydantic.dev/2.14/v/extra_forbidden"},{"type":"extra_forbidden","loc":["aa"],"msg":"Extra inputs are not permitted","input":[1,2],"url":"https://errors.pydantic.dev/2.14/v/extra_forbidden"}]}}`},
	{`{"type": "step", "data": {"message":"a","metadata":5}}`,
		`{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"dict_type","loc":["metadata"],"msg":"Input should be a valid dictionary","input":5,"url":"https://errors.pydantic.dev/2.14/v/dict_type"}]}}`},
	{`{"type": "step", "data": {"message": "x"}, "extra": {"a": 1}}`,
		`{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"extra_forbidden","loc":["extra"],"msg":"Extra inputs are not permitted","input":{"a":1},"url":"https://errors.pydantic.dev/2.14/v/extra_forbidden"}]}}`},
	{
		`{"type": "step", "extra": 1}`,
		`{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"missing","loc":["data"],"msg":"Field required","input":{"type":"step","extra":1},"url":"https://errors.pydantic.dev/2.14/v/missing"},{"type":"extra_forbidden","loc":["extra"],"msg":"Extra inputs are not permitted","input":1,"url":"https://errors.pydantic.dev/2.14/v/extra_forbidden"}]}}`},
	{
		`{"type":"state","data":{}}`,
		`{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"extra_forbidden","loc":["data"],"msg":"Extra inputs are not permitted","input":{},"url":"https://errors.pydantic.dev/2.14/v/extra_forbidden"}]}}`},
	{`{"type":"nope"}`, `{"type":"error","data":{"message":"Unknown message type: nope","code":"UNKNOWN_TYPE"}}`},
	{`{"type":5}`, `{"type":"error","data":{"message":"Unknown message type: 5","code":"UNKNOWN_TYPE"}}`},
	{`{"type":null}`, `{"type":"error","data":{"message":"Unknown message type: None","code":"UNKNOWN_TYPE"}}`},
	{`{}`, `{"type":"error","data":{"message":"Unknown message type: ","code":"UNKNOWN_TYPE"}}`},
	{`{"type":"nope","data":1}`,
		`{"type":"error","data":{"message":"Unknown message type: nope","code":"UNKNOWN_TYPE"}}`},
	{
		`{"type":"mcp"}`,
		`{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"missing","loc":["data"],"msg":"Field required","input":{"type":"mcp"},"url":"https://errors.pydantic.dev/2.14/v/missing"}]}}`},
	{
		`{"type":"mcp","data":5}`,
		`{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"dict_type","loc":["data"],"msg":"Input should be a valid dictionary","input":5,"url":"https://errors.pydantic.dev/2.14/v/dict_type"}]}}`},
	{
		`{"type":"close","x":1}`,
		`{"type":"error","data":{"message":"Invalid message","code":"VALIDATION_ERROR","errors":[{"type":"extra_forbidden","loc":["x"],"msg":"Extra inputs are not permitted","input":1,"url":"https://errors.pydantic.dev/2.14/v/extra_forbidden"}]}}`},
}

// text is the JSON of v, which must be valid.
func text(t *testing.T, v any) string {
	t.Helper()
	b, err := marshal(v)
	if err != nil || !json.Valid(b) {
		t.Fatalf("%s, %v", b, err)
	}
	return string(b)
}

func TestRecordedErrors(t *testing.T) {
	for _, c := range recordedFrames {
		_, err := readFrame([]byte(c.frame))
		if err == nil {
			t.Errorf("%s is accepted", c.frame)
			continue
		}
		if got := text(t, errorReply(err)); got != c.reply {
			t.Errorf("%s\n got %s\nwant %s", c.frame, got, c.reply)
		}
	}
}

func TestFramesThatEndASession(t *testing.T) {
	for _, frame := range []string{`[1]`, `5`, `"x"`, `null`, `true`} {
		if _, err := readFrame([]byte(frame)); err != errBroken {
			t.Errorf("%s: %v", frame, err)
		}
	}
	for _, frame := range []string{``, ` `, `not json`, `{"a":`, `{"type":"step"}}`} {
		if _, err := readFrame([]byte(frame)); err == nil || errorFrame(err).Code != invalidJSON {
			t.Errorf("%s: %v", frame, err)
		}
	}
}

func FuzzFrame(f *testing.F) {
	for _, c := range recordedFrames {
		f.Add([]byte(c.frame))
	}
	f.Add([]byte(`{"type":"step","data":{"message":"look"}}`))
	f.Add([]byte(` { "type" : "step" , "data" : { "message" : "a\"é" } } `))
	f.Add([]byte(`{"type":"reset","data":{"seed":1e3,"actions":true,"max_steps":5,"level":"x","task_id":"echo/1"}}`))
	m := echoMount(3)
	f.Fuzz(func(t *testing.T, frame []byte) {
		q, err := readFrame(frame)
		if err != nil && err != errBroken {
			text(t, errorReply(err))
		}
		if err == nil && q.kind == "reset" {
			if _, bad, err := m.readReset(q.data); err != nil {
				t.Fatalf("%q: %v", frame, err)
			} else if len(bad) > 0 {
				text(t, errorReply(invalid(bad...)))
			}
		}
		if err == nil && q.kind == "mcp" {
			text(t, answerMCP(q.data))
		}
	})
}

func FuzzString(f *testing.F) {
	f.Add("a\"\\\n\x01\x7fé\u2028\xff<&>")
	f.Fuzz(func(t *testing.T, s string) {
		var got, want string
		if err := json.Unmarshal([]byte(text(t, s)), &got); err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &want); err != nil || got != want {
			t.Fatalf("%q becomes %q", s, got)
		}
	})
}

func TestNumbers(t *testing.T) {
	for f, want := range map[float64]string{0: "0.0", 1: "1.0", -1: "-1.0", 0.5: "0.5", 1.0 / 3: "0.3333333333333333",
		1e-5: "1e-05", 0.0001: "0.0001"} {
		if got := text(t, pythonFloat(f)); got != want {
			t.Errorf("%v is written as %s, want %s", f, got, want)
		}
	}
}

func TestKeysKeepTheirOrder(t *testing.T) {
	if got := keysOf([]byte(`{"b":{"x":[1]},"a":2,"b":3}`)); !reflect.DeepEqual(got, []string{"b", "a"}) {
		t.Errorf("got %q", got)
	}
}
