package py4j

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// exchange is what a gateway is asked and what it answers, byte for byte.
type exchange struct{ request, reply string }

// scripted returns a connection to a gateway that expects these exchanges and
// then ends the connection.
func scripted(t *testing.T, script ...exchange) *Conn {
	t.Helper()
	near, far := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer far.Close()
		in := bufio.NewReader(far)
		for _, x := range script {
			got := make([]byte, len(x.request))
			if _, err := io.ReadFull(in, got); err != nil || string(got) != x.request {
				t.Errorf("the gateway was asked %q, want %q (%v)", got, x.request, err)
				return
			}
			io.WriteString(far, x.reply)
		}
	}()
	c := newConn(near, time.Minute)
	t.Cleanup(func() { c.Close(); <-done })
	return c
}

// Every kind of value, both ways (§1.2, §1.3).
func TestCall(t *testing.T) {
	object := Ref{Object, "o0"}
	for _, c := range []struct {
		name  string
		args  []any
		sent  string
		reply string
		want  any
	}{
		{"text", []any{"look around"}, "slook around\n", "!ysA room:\\n\tthe agent", "A room:\n\tthe agent"},
		{"escapes", []any{"a\\b\r\nc\td"}, "sa\\\\b\\r\\nc\td\n", `!ysa\\b\r\nc\qd\`, "a\\b\r\ncqd\\"},
		{"empty text", []any{""}, "s\n", "!ys", ""},
		{"beyond ASCII", []any{"é😀"}, "sé😀\n", "!ysé😀", "é😀"},
		{"int", []any{-7, int32(8)}, "i-7\ni8\n", "!yi-2147483648", int32(-2147483648)},
		{"long", []any{int64(1 << 40)}, "L1099511627776\n", "!yL-9223372036854775808", int64(-1 << 63)},
		{"double", []any{0.25, 1e-5}, "d0.25\nd1e-05\n", "!yd1.0E-5", 1e-5},
		{"bool", []any{true, false}, "btrue\nbfalse\n", "!ybTrue", true},
		{"false", nil, "", "!ybfalse", false},
		{"null", []any{nil}, "n\n", "!yn", nil},
		{"void", nil, "", "!yv", Void{}},
		{"object", []any{Ref{List, "o3"}}, "ro3\n", "!yro7", Ref{Object, "o7"}},
		{"list", nil, "", "!ylo1", Ref{List, "o1"}},
		{"map", nil, "", "!yao1", Ref{Map, "o1"}},
		{"set", nil, "", "!yho1", Ref{Set, "o1"}},
		{"array", nil, "", "!yto1", Ref{Array, "o1"}},
		{"iterator", nil, "", "!ygo1", Ref{Iterator, "o1"}},
		{"class", nil, "", "!ycjava.lang.String", Ref{Class, "java.lang.String"}},
		{"package", nil, "", "!yp", Ref{Kind: Package}},
		{"no member", nil, "", "!yo", Ref{Kind: NoMember}},
	} {
		conn := scripted(t, exchange{"c\no0\nm\n" + c.sent + "e\n", c.reply + "\n"})
		got, err := conn.Call(context.Background(), object, "m", c.args...)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
	}
}

func TestInfinities(t *testing.T) {
	for _, reply := range []string{"Infinity", "-Infinity", "NaN"} {
		v, failed, err := parseReply("!yd" + reply)
		f, ok := v.(float64)
		if err != nil || failed || !ok || formatDouble(f) != reply {
			t.Errorf("%s: %v, %v", reply, v, err)
		}
	}
}

func TestCommands(t *testing.T) {
	ctx := context.Background()
	conn := scripted(t,
		exchange{"i\na.B\ni5\ne\n", "!yro0\n"},
		exchange{"c\nz:java.lang.String\njoin\ns\\n\nro1\ne\n", "!ysx\\ny\n"},
		exchange{"m\nd\no1\ne\n", "!yv\n"},
	)
	r, err := conn.New(ctx, "a.B", 5)
	if err != nil || r != (Ref{Object, "o0"}) {
		t.Fatal(r, err)
	}
	v, err := conn.CallStatic(ctx, "java.lang.String", "join", "\n", Ref{List, "o1"})
	if err != nil || v != "x\ny" {
		t.Fatal(v, err)
	}
	if err := conn.Free(ctx, Ref{List, "o1"}); err != nil {
		t.Fatal(err)
	}
}

// Errors of the other side carry its stack trace and leave the connection whole.
func TestJavaErrors(t *testing.T) {
	ctx := context.Background()
	conn := scripted(t,
		exchange{"c\no0\nnone\ne\n", "!xspy4j.Py4JException: Method none([]) does not exist\\n\tat x\n"},
		exchange{"c\no0\nthrows\ne\n", "!xro1\n"},
		exchange{"p\nro1\ne\n", "!ysjava.lang.Boom: bang\\n\tat y\n"},
		exchange{"m\nd\no1\ne\n", "!yv\n"},
		exchange{"c\no0\nbare\ne\n", "!x\n"},
		exchange{"c\no0\nfine\ne\n", "!yi1\n"},
	)
	object := Ref{Object, "o0"}
	for _, c := range []struct {
		method, text string
		want         JavaError
	}{
		{"none", "java: py4j.Py4JException: Method none([]) does not exist",
			JavaError{Trace: "py4j.Py4JException: Method none([]) does not exist\n\tat x"}},
		{"throws", "java: exception: java.lang.Boom: bang",
			JavaError{Thrown: true, Trace: "java.lang.Boom: bang\n\tat y"}},
		{"bare", "java: an error without a description", JavaError{}},
	} {
		_, err := conn.Call(ctx, object, c.method)
		var failed *JavaError
		if !errors.As(err, &failed) || *failed != c.want || err.Error() != c.text || errors.Is(err, ErrBroken) {
			t.Errorf("%s: %v", c.method, err)
		}
	}
	if v, err := conn.Call(ctx, object, "fine"); err != nil || v != int32(1) {
		t.Error(v, err)
	}
}

// What is not the protocol's ends the use of a connection.
func TestGarbage(t *testing.T) {
	for _, reply := range []string{
		"\n", "HTTP/1.1 400\n", "!\n", "!z\n", "!y\n", "!y?\n", "!yione\n", "!yi99999999999\n", "!yL\n", "!ydx\n",
		"!ybmaybe\n",
		"!ynx\n", "!yvx\n", "!yl\n", "!yr\n", "!yc\n", "!ypx\n", "!xq\n", "!ys and then nothing",
	} {
		conn := scripted(t, exchange{"c\no0\nm\ne\n", reply})
		_, err := conn.Call(context.Background(), Ref{Object, "o0"}, "m")
		if !errors.Is(err, ErrBroken) {
			t.Errorf("%q: %v", reply, err)
		}
		if _, again := conn.Call(context.Background(), Ref{Object, "o0"}, "m"); !errors.Is(again, ErrBroken) {
			t.Errorf("%q, then: %v", reply, again)
		}
	}
}

// What cannot be sent is refused before anything is.
func TestArguments(t *testing.T) {
	conn := scripted(t, exchange{"c\no0\nm\ne\n", "!yv\n"})
	ctx := context.Background()
	object := Ref{Object, "o0"}
	for _, arg := range []any{1 << 31, -1<<31 - 1, []byte("x"), Ref{}, Ref{Object, "o\n1"}, uint(1), float32(1)} {
		if v, err := conn.Call(ctx, object, "m", arg); err == nil {
			t.Errorf("%v: %v", arg, v)
		}
	}
	for _, method := range []string{"", "a\nb", "a\rb"} {
		if v, err := conn.Call(ctx, object, method); err == nil {
			t.Errorf("%q: %v", method, v)
		}
	}
	if _, err := conn.Call(ctx, object, "m"); err != nil {
		t.Error(err)
	}
}

// silent returns a connection to a gateway that reads everything and says only
// what is given.
func silent(t *testing.T, says string, timeout time.Duration) *Conn {
	t.Helper()
	near, far := net.Pipe()
	go func() {
		far.Read(make([]byte, 1<<10))
		io.WriteString(far, says)
		io.Copy(io.Discard, far)
	}()
	c := newConn(near, timeout)
	t.Cleanup(func() { c.Close(); far.Close() })
	return c
}

// Every read ends: by the timeout, or when the caller loses interest.
func TestNoAnswer(t *testing.T) {
	for _, says := range []string{"", "!ys half an ans"} {
		_, err := silent(t, says, time.Millisecond).Call(context.Background(), Ref{Object, "o0"}, "m")
		if !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), "no answer within 1ms") {
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		go cancel()
		_, err = silent(t, says, time.Hour).Call(ctx, Ref{Object, "o0"}, "m")
		if !errors.Is(err, ErrBroken) || !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}

func TestDialNobody(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	if _, err := Dial(context.Background(), port, 0); !errors.Is(err, ErrBroken) {
		t.Error(err)
	}
}

// A reply of any content ends in a value or an error, and a value is sent as it
// was read.
func FuzzReply(f *testing.F) {
	for _, s := range []string{"!ysa\\nb", "!yi5", "!yd1.0E-5", "!ylo1", "!xro1", "!x", "!yv", "!ybTrue", "!yL9", "!yo",
		"!yn"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		value, _, err := parseReply(line)
		if err != nil {
			return
		}
		switch v := value.(type) {
		case string:
			if got := unescape(escape(v)); got != v || strings.ContainsAny(escape(v), "\r\n") {
				t.Errorf("%q becomes %q", v, got)
			}
		case Ref, Void:
		default:
			var b strings.Builder
			if err := encode(&b, v); err != nil {
				t.Error(err)
			}
		}
	})
}
