package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
)

// throughPipe returns the answers to lines.
func throughPipe(t *testing.T, lines ...string) []string {
	t.Helper()
	s, _ := testServer(t, func(o *Options) { o.MaxPerAddress = 1 })
	var out strings.Builder
	sharedtest.OK(t, s.ServePipe(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out))
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// pipeTo serves a pipe, and returns what asks it a line. The end of the test closes it.
func pipeTo(t *testing.T, s *Server) (ask func(line string) string) {
	t.Helper()
	requests, in := io.Pipe()
	answers, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.ServePipe(t.Context(), requests, out) }()
	t.Cleanup(func() {
		in.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		sharedtest.Equal(t, s.Table().Len(), 0, "sessions are open after the end")
	})
	lines := bufio.NewReader(answers)
	return func(line string) string {
		t.Helper()
		sharedtest.OK(t, sharedtest.Err(io.WriteString(in, line+"\n")))
		answer := sharedtest.Must(lines.ReadString('\n'))(t)
		return strings.TrimSuffix(answer, "\n")
	}
}

func TestPipe(t *testing.T) {
	s, _ := testServer(t, func(o *Options) { o.MaxPerAddress = 1 }) // no limit of a pipe
	ask := pipeTo(t, s)
	for _, c := range sharedtest.Cases[struct{ Line, Want string }](t, "pipe.yaml") {
		sharedtest.Same(t, ask(c.Line), c.Want, c.Line)
	}
	sharedtest.Equal(t, s.Table().Len(), 2, "sessions are open")
}

// Sessions of a line run side by side, also with a panic or an error among them.
func TestPipeOfMany(t *testing.T) {
	const n = 100
	s, _ := testServer(t, func(o *Options) { o.MaxSessions = n })
	ask := pipeTo(t, s)
	ask(fmt.Sprintf(`{"open":{"count":%d}}`, n))
	var entries, want []string
	for i := range n {
		action := [...]string{"look", "boom", "break"}[i%3]
		entries = append(entries, fmt.Sprintf(`[%d,{"index":0}],[%d,%q]`, i, i, action))
		want = append(want, [...]string{"echo look", "panicked", "the echo broke"}[i%3])
	}
	for range 3 { // whoever answers a line reads the next one
		var got struct{ Results []json.RawMessage }
		sharedtest.OK(t, json.Unmarshal([]byte(ask(`{"steps":[`+strings.Join(entries, ",")+`]}`)), &got))
		for i := range n {
			if answer := string(got.Results[2*i+1]); i%3 != 1 && !strings.Contains(answer, want[i]) {
				t.Errorf("%d: %s, want %s", i, answer, want[i])
			}
		}
	}
}

// A step that goes on and on ends its session, even one that nothing stops; the other
// sessions of the line and the next lines are answered.
func TestPipeWithSlowSteps(t *testing.T) {
	for _, action := range []string{"wait", "hang"} {
		synctest.Test(t, func(t *testing.T) {
			s, _ := testServer(t, func(o *Options) { o.Now, o.MaxSessions = time.Now, 100 })
			ask := pipeTo(t, s)
			ask(`{"open":{"count":99}}`)
			var resets, steps, want []string
			for i := range 99 {
				text, answer := "look", `["echo look",0.0,false,0.1,false,true,false]`
				if i%2 == 0 { // more than are stepped at the same time
					text, answer = action, `{"error":"the session has ended: a step took longer than 30s"}`
				}
				resets = append(resets, fmt.Sprintf(`[%d,{}]`, i))
				steps, want = append(steps, fmt.Sprintf(`[%d,%q]`, i, text)), append(want, answer)
			}
			steps, want = append(steps, `[0,"look"]`), append(want, want[0])
			ask(`{"steps":[` + strings.Join(resets, ",") + `]}`)
			sharedtest.Same(t, ask(`{"steps":[`+strings.Join(steps, ",")+`]}`),
				`{"results":[`+strings.Join(want, ",")+`]}`)
			sharedtest.Equal(t, ask(`{"steps":[[1,"win"]]}`), `{"results":[["echo win",1.0,true,1.0,true,true,false]]}`)
			if answer := ask(`{"steps":[[0,"win"]]}`); answer !=
				`{"results":[{"error":"the session has ended: a step took longer than 30s"}]}` {
				t.Error(answer)
			}
			set := sharedtest.Must(s.options.Mounts[0].Set(""))(t)
			close(set.Env.(*echo).closed) // the steps that hang end now, and nobody hears of it
		})
	}
}

func TestPipeLists(t *testing.T) {
	got := throughPipe(t, `{"envs":{}}`, ``, `{"tasks":{"env":"echo"}}`, `{"tasks":{"env":"echo","split":"none"}}`,
		`{"tasks":{"env":"nope"}}`)
	for i, want := range []string{`"name":"echo"`, `{"env":"echo"`, `{"error":"unknown split`,
		`{"error":"unknown environment`} {
		sharedtest.Contains(t, got[i], want)
	}
}

// Sessions that cannot be opened are refused with what can be.
func TestWrongOpen(t *testing.T) {
	got := throughPipe(t, `{"open":{"env":"nope"}}`, `{"open":{"env":"ecko"}}`, `{"open":{"env":"echo","count":0}}`,
		`{"open":{"count":4097}}`)
	want := []string{`{"error":"unknown environment \"nope\"; there are echo"}`,
		`{"error":"unknown environment \"ecko\" (did you mean echo?); there are echo"}`,
		`{"error":"count is 0, want 1 to 4096"}`, `{"error":"count is 4097, want 1 to 4096"}`}
	sharedtest.Equal(t, cmp.Diff(want, got), "")
}

// A bad line is answered, and the next one too.
func TestBadLines(t *testing.T) {
	lines := []string{`x`, `{}`, `[]`, `{"steps":[]}`, `{"steps":[1]}`, `{"steps":[[0,"x"]],"close":[]}`,
		`{"steps":[[0,"x",1]]}`, `{"steps":[[0]]}`, `{"steps":[[0.5,"x"]]}`, `{"steps":[["0","x"]]}`, `{"steps":[[0,null]]}`,
		`{"steps":[[0,"x"}]}`, `{"id":1,"envs":{}}`, `{"fork":{}}`,
		`{"open":{"env":"echo","from":1}}`, `{"envs":{}} x`,
		`{"steps":[[0,` + strings.Repeat("[", 100000) + strings.Repeat("]", 100000) + `]]}`}
	for i, got := range throughPipe(t, append(lines, `{"envs":{}}`)...) {
		var reply struct{ Error string }
		if err := json.Unmarshal([]byte(got), &reply); err != nil {
			t.Errorf("%s: %s: %v", lines[i], got, err)
		}
		sharedtest.Equal(t, i < len(lines), strings.HasPrefix(reply.Error, "want"), "line is answered with", i, got)
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
	p := &pipe{Server: s}
	sharedtest.OK(t, sharedtest.Err(p.open(sessionsWanted{})))
	clock.pass(365 * 24 * time.Hour)
	if s.Table().Sweep(); s.Table().Len() != 1 {
		t.Error("the session has ended")
	}
}

func FuzzPipe(f *testing.F) {
	for _, line := range []string{`{"envs":{}}`, `{"steps":[[0,"y"],[0,{"index":1}],[0,"z"]]}`, `{"close":[0,-5]}`,
		`{"open":{"env":"echo","count":3}}`, `{"tasks":{"env":"echo"}}`, `{"sync":1}`} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		s, _ := testServer(t, nil)
		var out strings.Builder
		lines := `{"open":{"count":2}}` + "\n" + strings.ReplaceAll(line, "\n", " ") + "\n"
		if err := s.ServePipe(t.Context(), strings.NewReader(lines), &out); err != nil && len(line) < MaxLine {
			t.Fatal(err)
		}
		for answer := range strings.Lines(out.String()) {
			if !json.Valid([]byte(answer)) || answer[0] != '{' {
				t.Errorf("%q is answered with %s", line, answer)
			}
		}
	})
}
