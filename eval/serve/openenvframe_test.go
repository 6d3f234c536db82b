package serve

import (
	"encoding/json"
	"reflect"
	"testing"

	"heldout/envs/sharedtest"
)

// recordedFrame is a frame of a client with the reply that the reference gives, recorded with its release 0.10.0.
// Only the texts of JSON errors and of the two frames that end a session are our own.
type recordedFrame struct{ Frame, Reply string }

func recordedFrames(t testing.TB) []recordedFrame {
	return sharedtest.Cases[recordedFrame](t, "frames.yaml")
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
	for _, c := range recordedFrames(t) {
		_, err := readFrame([]byte(c.Frame))
		if err == nil {
			t.Errorf("%s is accepted", c.Frame)
			continue
		}
		sharedtest.Equal(t, text(t, errorReply(err)), c.Reply, c.Frame)
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
	for _, c := range recordedFrames(f) {
		f.Add([]byte(c.Frame))
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
		sharedtest.OK(t, json.Unmarshal([]byte(text(t, s)), &got))
		b := sharedtest.Must(json.Marshal(s))(t)
		if err := json.Unmarshal(b, &want); err != nil || got != want {
			t.Fatalf("%q becomes %q", s, got)
		}
	})
}

func TestNumbers(t *testing.T) {
	for f, want := range map[float64]string{0: "0.0", 1: "1.0", -1: "-1.0", 0.5: "0.5", 1.0 / 3: "0.3333333333333333",
		1e-5: "1e-05", 0.0001: "0.0001"} {
		sharedtest.Equal(t, text(t, pythonFloat(f)), want, f, "is written as")
	}
}

func TestKeysKeepTheirOrder(t *testing.T) {
	if got := keysOf([]byte(`{"b":{"x":[1]},"a":2,"b":3}`)); !reflect.DeepEqual(got, []string{"b", "a"}) {
		t.Errorf("got %q", got)
	}
}
