package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// throughPipe returns the answers to lines.
func throughPipe(t *testing.T, lines ...string) []string {
	t.Helper()
	s, _ := testServer(t, func(o *Options) { o.MaxPerAddress = 1 })
	var out strings.Builder
	if err := s.ServePipe(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func TestPipe(t *testing.T) {
	s, _ := testServer(t, func(o *Options) { o.MaxPerAddress = 1 }) // no limit of a pipe
	requests, in := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.ServePipe(t.Context(), requests, out) }()
	decoder := json.NewDecoder(answers)
	ask := func(line string) (reply map[string]json.RawMessage) {
		t.Helper()
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if err := decoder.Decode(&reply); err != nil {
			t.Fatal(err)
		}
		return reply
	}
	var ids []string
	reply := ask(`{"id":7,"open":{"env":"echo","count":2}}`)
	if err := json.Unmarshal(reply["sessions"], &ids); err != nil || len(ids) != 2 || string(reply["id"]) != "7" {
		t.Fatalf("%s, %v", reply, err)
	}
	reply = ask(fmt.Sprintf(`{"id":"a","steps":[{"session":%q,"reset":{"index":0}},{"session":%q,"action":"one"}]}`,
		ids[0], ids[0]))
	for _, want := range []string{`"text":"this is echo/0"`, `"text":"echo one"`} {
		if !strings.Contains(string(reply["results"]), want) {
			t.Errorf("%s, want %s", reply, want)
		}
	}
	if reply = ask(fmt.Sprintf(`{"close":[%q,"nope"]}`, ids[1])); string(reply["closed"]) != "1" {
		t.Errorf("%s", reply)
	}
	if n := s.Table().Len(); n != 1 {
		t.Errorf("%d sessions are open, want 1", n)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := s.Table().Len(); n != 0 {
		t.Errorf("%d sessions are open after the end", n)
	}
}

func TestPipeLists(t *testing.T) {
	got := throughPipe(t, `{"envs":{}}`, ``, `{"tasks":{"env":"echo"},"id":1}`, `{"tasks":{"env":"echo","split":"none"}}`,
		`{"tasks":{"env":"nope"}}`)
	for i, want := range []string{`"name":"echo"`, `{"id":1,"env":"echo"`, `{"error":"there is no split`,
		`{"error":"there is no environment`} {
		if !strings.Contains(got[i], want) {
			t.Errorf("%s, want %s", got[i], want)
		}
	}
}

// A bad line is answered, and the next one too.
func TestBadLines(t *testing.T) {
	lines := []string{`x`, `{}`, `[]`, `{"steps":[]}`, `{"steps":[1],"close":[]}`, `{"fork":{}}`, `{"open":{"env":"nope"}}`,
		`{"open":{"env":"echo","from":1}}`, `{"open":{"env":"echo","count":0}}`, `{"envs":{}} x`,
		`{"id":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `,"envs":{}}`}
	for i, got := range throughPipe(t, append(lines, `{"id":[1],"envs":{}}`)...) {
		var reply struct{ Error string }
		if err := json.Unmarshal([]byte(got), &reply); err != nil {
			t.Errorf("%s: %s: %v", lines[i], got, err)
		}
		if bad := i < len(lines); bad != strings.HasPrefix(reply.Error, "want") {
			t.Errorf("line %d is answered with %s", i, got)
		}
	}
}

func TestPipeEnds(t *testing.T) {
	s, _ := testServer(t, nil)
	if err := s.ServePipe(t.Context(), strings.NewReader(strings.Repeat("x", MaxLine+1)), io.Discard); err == nil {
		t.Error("a line without end is read")
	}
	s, _ = testServer(t, nil)
	gone, out := io.Pipe()
	gone.Close()
	if err := s.ServePipe(t.Context(), strings.NewReader("x\n"), out); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%v, want that the reader is gone", err)
	}
	s, _ = testServer(t, nil)
	waits, _ := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := s.ServePipe(ctx, waits, io.Discard); err != nil {
		t.Error(err)
	}
}

// A pipe's sessions do not end while their user does something else.
func TestPipeIsNeverIdle(t *testing.T) {
	s, clock := testServer(t, nil)
	if _, err := s.openMany(json.RawMessage(`{"env":"echo"}`), Owner{Protocol: pipeProtocol, Idle: pipeIdle}); err != nil {
		t.Fatal(err)
	}
	clock.pass(365 * 24 * time.Hour)
	if s.Table().Sweep(); s.Table().Len() != 1 {
		t.Error("the session has ended")
	}
}

func FuzzPipe(f *testing.F) {
	for _, line := range []string{`{"envs":{}}`, `{"steps":[{"session":"x","action":"y"}]}`, `{"close":["x"],"id":null}`,
		`{"open":{"env":"echo","count":3}}`, `{"tasks":{"env":"echo"}}`} {
		f.Add(line)
	}
	s, _ := testServer(f, nil)
	f.Fuzz(func(t *testing.T, line string) {
		if answer := s.answerLine([]byte(line)); !json.Valid(answer) || answer[0] != '{' {
			t.Errorf("%q is answered with %s", line, answer)
		}
		s.Table().CloseAll()
		s.Table().closed.Store(false)
	})
}
