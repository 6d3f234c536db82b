package model_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"

	"heldout/eval/model"
)

// hijacked answers with raw bytes, and then closes the connection.
func hijacked(t *testing.T, raw string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Errorf("hijack: %v", err)
			return
		}
		_, _ = io.WriteString(conn, raw)
		_ = conn.Close()
	}
}

// passing are the ways to fail that another attempt may not.
func passing(t *testing.T) map[string]struct {
	handler http.HandlerFunc
	want    string
	status  int
} {
	type failure = struct {
		handler http.HandlerFunc
		want    string
		status  int
	}
	return map[string]failure{
		"429": {say(429, `{"error":{"message":"slow down"}}`), "429 Too Many Requests: slow down", 429},
		"408": {say(408, ``), "408 Request Timeout", 408},
		"500": {say(500, `{"error":"boom"}`), "500 Internal Server Error: boom", 500},
		"vLLM": {
			say(500,
				`{"error":{"message":"EngineCore encountered an issue. See stack trace (above) for the root cause.","type":"InternalServerError","param":null,"code":500}}`), "500 Internal Server Error: EngineCore encountered", 500},
		"llama.cpp": {say(503, `{"error":{"message":"Loading model","type":"unavailable_error","code":503}}`),
			"503 Service Unavailable: Loading model", 503},
		"Ollama, full": {say(503, `{"error":"server busy, please try again.  maximum pending requests exceeded"}`),
			"503 Service Unavailable: server busy, please try again. maximum", 503},
		"Ollama": {say(500, `{"error":"an error was encountered while running the model: unexpected EOF"}`),
			"500 Internal Server Error: an error was encountered", 500},
		"500 on a field": {say(500, `{"error":{"message":"sampler died at min_p","param":"min_p"}}`),
			"500 Internal Server Error: sampler died", 500},
		"502 html": {say(502, "<html><h1>Bad\nGateway</h1></html>"),
			"502 Bad Gateway: <html><h1>Bad Gateway</h1></html>", 502},
		"529":        {say(529, ``), "529", 529},
		"closed":     {hijacked(t, ""), "EOF", 0},
		"not HTTP":   {hijacked(t, "hello\n"), "malformed HTTP", 0},
		"garbage":    {say(200, `<html>hello</html>`), "not what was asked for: <html>hello</html>", 200},
		"empty body": {say(200, ``), "the reply", 200},
		"no content": {say(204, ``), "the reply", 204},
		"cut JSON":   {say(200, vllmReply[:100]), "the reply", 200},
		"cut body":   {say(200, vllmReply[:100], "Content-Length", "5000"), "breaks off", 200},
		"cut chunks": {hijacked(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"cho\r\n"),
			"breaks off", 200},
		"cut gzip": {say(200, "\x1f\x8b\x08\x00", "Content-Encoding", "gzip"), "", 200},
		"error with 200": {say(200, `{"error":{"message":"engine died","code":500}}`),
			"it reports an error: engine died", 200},
		"error and reply": {say(200, `{"error":{"message":"engine died"},"choices":[{"message":{"content":"half"}}]}`),
			"it reports an error: engine died", 200},
		"error as string": {say(200, `{"error":"engine died"}`), "it reports an error: engine died", 200},
		"old vLLM error": {say(200, `{"object":"error","message":"engine died"}`),
			"it reports an error: engine died", 200},
		"a list":       {say(200, `[]`), "the reply", 200},
		"null":         {say(200, `null`), "the reply", 200},
		"no choices":   {say(200, `{"usage":{"prompt_tokens":1},"done":false}`), "the reply", 200},
		"choices null": {say(200, `{"choices":null}`), "the reply", 200},
		"mistyped": {say(200, `{"choices":[{"message":{"content":5}}],"message":{"content":5},"done":true}`),
			"the reply", 200},
		"loaded": {
			say(200, `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"load"}`),
			"the reply", 200},
	}
}

func TestPassingFailuresAreTriedAgain(t *testing.T) {
	for name, failure := range passing(t) {
		for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
			t.Run(fmt.Sprintf("%s from %s", name, spec.Provider), func(t *testing.T) {
				good := say(200, vllmReply)
				if spec == ollamaSpec {
					good = say(200, ollamaReply)
				}
				server := recording(t, failure.handler, failure.handler, good)
				reply, err := open(t, model.Options{Spec: spec, BaseURL: server.URL, ContextLimit: 1000}).Chat(
					t.Context(), hello)
				if err != nil || reply.Text != "Action: go" || reply.Attempts != 3 || len(server.all()) != 3 {
					t.Errorf("Chat = %+v, %v after %d requests; want the reply of the third", reply, err,
						len(server.all()))
				}

				server = recording(t, failure.handler)
				_, err = open(t, model.Options{Spec: spec, BaseURL: server.URL, ContextLimit: 1000}).Chat(t.Context(),
					hello)
				got := as[*model.UnavailableError](t, err)
				if got.Attempts != 4 || got.Status != failure.status || len(server.all()) != 4 {
					t.Errorf("error is %#v after %d requests, want status %d after 4", got, len(server.all()),
						failure.status)
				}
				if !strings.Contains(err.Error(), failure.want) ||
					!strings.Contains(err.Error(), "4 attempts, the last: ") ||
					!strings.HasPrefix(got.URL, server.URL) {
					t.Errorf("error is %q, want %q in it", err, failure.want)
				}
				for _, other := range []error{context.Canceled, context.DeadlineExceeded, io.EOF} {
					if errors.Is(err, other) {
						t.Errorf("error passes for %v", other)
					}
				}
			})
		}
	}
}

func TestOneAttemptIsNoRetry(t *testing.T) {
	server := recording(t, say(500, ""))
	c := open(t, model.Options{BaseURL: server.URL, Retry: model.Retry{Attempts: 1, FirstWait: time.Hour}})
	_, err := c.Chat(t.Context(), hello)
	if got := as[*model.UnavailableError](t, err); got.Attempts != 1 ||
		!strings.Contains(err.Error(), "in 1 attempt: ") {
		t.Errorf("error is %v, want one after 1 attempt", err)
	}
	// A refusal on what would be the last attempt stays a refusal.
	server = recording(t, say(400, "no"))
	c = open(t, model.Options{BaseURL: server.URL, Retry: model.Retry{Attempts: 1}})
	if _, err = c.Chat(t.Context(), hello); err != error(as[*model.RequestError](t, err)) {
		t.Errorf("error is %T, want a bare *model.RequestError", err)
	}
}

// endless is a body without an end.
type endless struct{ closed *atomic.Bool }

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func (e endless) Close() error {
	e.closed.Store(true)
	return nil
}

func TestEndlessReplyIsCutOff(t *testing.T) {
	var closed atomic.Bool
	c := open(t, model.Options{
		Retry: model.Retry{Attempts: 1},
		Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: endless{&closed}}, nil
		}),
	})
	_, err := c.Chat(t.Context(), hello)
	if as[*model.UnavailableError](t, err); !strings.Contains(err.Error(), "longer than 256 KiB") {
		t.Errorf("error is %v, want one about the length", err)
	}
	if !closed.Load() {
		t.Error("the body was not closed")
	}
}

// waits calls a server that always fails with that answer, and returns the
// times between its requests.
func waits(t *testing.T, retry model.Retry, answer func() *http.Response) []time.Duration {
	var at []time.Time
	c := open(t, model.Options{Retry: retry, Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		at = append(at, time.Now())
		return answer(), nil
	})})
	_, err := c.Chat(t.Context(), hello)
	as[*model.UnavailableError](t, err)
	var between []time.Duration
	for i := range at[1:] {
		between = append(between, at[i+1].Sub(at[i]))
	}
	return between
}

func TestWaitsDouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The zero Retry of Options, which open would replace.
		defaults := model.Retry{Attempts: 8, FirstWait: time.Second, MaxWait: time.Minute}
		got := waits(t, defaults, func() *http.Response { return respond(503, "") })
		nominal := []time.Duration{1, 2, 4, 8, 16, 32, 60}
		if len(got) != len(nominal) {
			t.Fatalf("%d waits, want %d", len(got), len(nominal))
		}
		for i, n := range nominal {
			n *= time.Second
			if got[i] < n/2 || got[i] > n*3/2+1 {
				t.Errorf("wait %d is %v, want %v, half more or less", i, got[i], n)
			}
		}
	})
}

func TestDefaultsAreGenerous(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := 0
		c, err := model.Open(model.Options{Spec: vllmSpec, Now: time.Now,
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				requests++
				deadline, ok := r.Context().Deadline()
				if !ok || time.Until(deadline) != 5*time.Minute {
					t.Errorf("an attempt has %v, want 5 minutes", time.Until(deadline))
				}
				return respond(500, ""), nil
			})})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = c.Chat(t.Context(), hello)
		as[*model.UnavailableError](t, err)
		if took := time.Since(start); requests != 8 || took < time.Minute || took > 4*time.Minute {
			t.Errorf("%d requests in %v, want 8 in about 2 minutes", requests, took)
		}
	})
}

func TestRetryAfterIsAdded(t *testing.T) {
	tests := []struct {
		name   string
		header func() string
		status int
		least  time.Duration
		slack  time.Duration
	}{
		{"seconds", func() string { return "17" }, 429, 17 * time.Second, 0},
		{"fraction", func() string { return "0.25" }, 503, 250 * time.Millisecond, 0},
		{"date, in whole seconds", func() string {
			return time.Now().Add(33 * time.Second).UTC().Format(http.TimeFormat)
		}, 429, 32 * time.Second, time.Second},
		{"capped", func() string { return "86400" }, 429, 10 * time.Minute, 0},
		{"date capped", func() string { return time.Now().Add(24 * time.Hour).UTC().Format(http.TimeFormat) }, 429,
			10 * time.Minute, 0},
		{"date past", func() string { return time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat) }, 429, 0, 0},
		{"negative", func() string { return "-5" }, 429, 0, 0},
		{"nonsense", func() string { return "soon" }, 429, 0, 0},
		{"not a number", func() string { return "NaN" }, 429, 0, 0},
		{"with an error that is no refusal", func() string { return "3" }, 200, 3 * time.Second, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				retry := model.Retry{Attempts: 3, FirstWait: time.Millisecond, MaxWait: time.Millisecond}
				got := waits(t, retry, func() *http.Response {
					return respond(test.status, "{", "Retry-After", test.header())
				})
				for i, wait := range got {
					// A millisecond, half more or less, lies on top.
					if wait < test.least+time.Millisecond/2 || wait > test.least+test.slack+2*time.Millisecond {
						t.Errorf("wait %d is %v, want at least %v and hardly more", i, wait, test.least)
					}
				}
			})
		})
	}
}

func TestRetryAfterLastsOneWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		retry := model.Retry{Attempts: 3, FirstWait: time.Millisecond, MaxWait: time.Millisecond}
		got := waits(t, retry, func() *http.Response {
			if n++; n == 1 {
				return respond(429, "", "Retry-After", "60")
			}
			return respond(500, "")
		})
		if got[0] < time.Minute || got[1] > time.Second {
			t.Errorf("waits are %v, want a minute and then hardly any", got)
		}
	})
}

func TestSlowAttemptIsTriedAgain(t *testing.T) {
	for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
		synctest.Test(t, func(t *testing.T) {
			attempts := 0
			c := open(t, model.Options{
				Spec: spec, ContextLimit: 1000, Timeout: time.Minute,
				Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					if attempts++; attempts < 3 {
						<-r.Context().Done()
						return nil, r.Context().Err()
					}
					time.Sleep(2 * time.Second)
					return respond(200, map[model.Provider]string{
						model.VLLM: vllmReply, model.Ollama: ollamaReply}[spec.Provider]), nil
				}),
			})
			start := time.Now()
			reply, err := c.Chat(t.Context(), hello)
			if err != nil || reply.Attempts != 3 || reply.Latency != 2*time.Second {
				t.Errorf("%s: Chat = %+v, %v; want a reply within 2 s after 3 attempts", spec.Provider, reply, err)
			}
			if took := time.Since(start).Round(time.Second); took != 2*time.Minute+2*time.Second {
				t.Errorf("%s: took %v, want two time-outs of a minute", spec.Provider, took)
			}

			attempts = -100
			_, err = c.Chat(t.Context(), hello)
			if got := as[*model.UnavailableError](t, err); got.Attempts != 4 || got.Message != "no reply within 1m0s" {
				t.Errorf("%s: error is %v, want 4 time-outs", spec.Provider, err)
			}
			if errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: the time-out of an attempt passes for the caller's", spec.Provider)
			}
		})
	}
}

func TestSlowBodyTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, model.Options{Timeout: time.Minute,
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				body := io.MultiReader(strings.NewReader(`{"choices"`), waiting{r.Context()})
				return &http.Response{StatusCode: 200, Body: io.NopCloser(body)}, nil
			})})
		_, err := c.Chat(t.Context(), hello)
		if got := as[*model.UnavailableError](t, err); got.Message != "no reply within 1m0s" || got.Status != 200 {
			t.Errorf("error is %v, want a time-out", err)
		}
	})
}

// waiting is a body that never comes.
type waiting struct{ ctx context.Context }

func (w waiting) Read([]byte) (int, error) {
	<-w.ctx.Done()
	return 0, w.ctx.Err()
}

func TestCallersDeadlineIsTheCallersOwn(t *testing.T) {
	for name, transport := range map[string]roundTrip{
		"while it waits for a reply": func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		},
		"while it waits to come again": func(*http.Request) (*http.Response, error) {
			return respond(503, "", "Retry-After", "60"), nil
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			start := time.Now()
			_, err := open(t, model.Options{Transport: transport}).Chat(ctx, hello)
			if err != context.DeadlineExceeded || time.Since(start) != 10*time.Second {
				t.Errorf("%s: error is %v after %v, want the caller's own after 10 s", name, err, time.Since(start))
			}
		})
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() { time.Sleep(time.Second); cancel(errors.New("a reason")) }()
			start := time.Now()
			_, err := open(t, model.Options{Transport: transport}).Chat(ctx, hello)
			if err != context.Canceled || time.Since(start) != time.Second {
				t.Errorf("%s: error is %v after %v, want context.Canceled at once", name, err, time.Since(start))
			}
		})
	}
}

// A server that fails one request in five, in every way there is, loses no call.
func TestStorm(t *testing.T) {
	const calls, inFlight = 400, 64
	for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
		t.Run(string(spec.Provider), func(t *testing.T) {
			var failures []http.HandlerFunc
			for _, f := range passing(t) {
				failures = append(failures, f.handler)
			}
			failures = append(failures, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				<-r.Context().Done()
			})
			good := say(200, vllmReply)
			if spec == ollamaSpec {
				good = fakeOllama(say(200, ollamaReply))
			}
			var requests, failed atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				// Every fifth fails, and each of those in the next way.
				if n := requests.Add(1); n%5 == 0 {
					failures[int(n/5)%len(failures)](w, r)
					failed.Add(1)
					return
				}
				good(w, r)
			}))
			defer server.Close()
			c := open(t, model.Options{
				Spec: spec, BaseURL: server.URL, Concurrency: inFlight, Timeout: time.Second,
				Retry: model.Retry{Attempts: 20, FirstWait: time.Microsecond, MaxWait: time.Microsecond},
			})
			var attempts atomic.Int64
			var group errgroup.Group
			group.SetLimit(inFlight)
			for range calls {
				group.Go(func() error {
					reply, err := c.Chat(t.Context(), hello)
					if err == nil && reply.Text != "Action: go" {
						err = fmt.Errorf("reply is %+v", reply)
					}
					attempts.Add(int64(reply.Attempts))
					return err
				})
			}
			if err := group.Wait(); err != nil {
				t.Error(err)
			}
			if failed.Load() == 0 || attempts.Load() <= calls {
				t.Errorf("%d of %d requests failed and %d attempts were counted: no storm", failed.Load(),
					requests.Load(), attempts.Load())
			}
		})
	}
}

// A question about the server that runs out of time says what went wrong before.
func TestQuestionSaysWhy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := open(t, model.Options{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return respond(503, "loading", "Retry-After", "60"), nil
		})}).Server(ctx)
		var stopped *model.StoppedError
		if !errors.As(err, &stopped) || !errors.Is(err, context.DeadlineExceeded) ||
			stopped.Last != "503 Service Unavailable: loading" {
			t.Errorf("%v", err)
		}
	})
}

// A call for which this machine has no open file left is not made again: waiting does not help.
func TestNoFileForACall(t *testing.T) {
	dials := 0
	dial := func(*http.Request) (*http.Response, error) {
		dials++
		return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}
	}
	_, err := open(t, model.Options{BaseURL: "http://h/v1", Transport: roundTrip(dial)}).Chat(t.Context(), hello)
	as[*model.MachineError](t, err)
	if dials != 1 || !errors.Is(err, syscall.EMFILE) {
		t.Errorf("%d dials, %v", dials, err)
	}
}
