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
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/errgroup"

	"heldout/envs/sharedtest"
	"heldout/eval/fleet"
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

// passing are the ways to fail that another call may not.
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
	failures := map[string]failure{
		"cut gzip": {say(200, "\x1f\x8b\x08\x00", "Content-Encoding", "gzip"), "", 200},
	}
	for _, f := range sharedtest.Cases[struct {
		Name    string
		Handler fixed
		Want    string
		Status  int
	}](t, "failures.yaml") {
		failures[f.Name] = failure{f.Handler.handler(t), f.Want, f.Status}
	}
	return failures
}

// A failure that may pass is told after one request, and the next call finds the server again.
func TestPassingFailures(t *testing.T) {
	for name, failure := range passing(t) {
		for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
			t.Run(fmt.Sprintf("%s from %s", name, spec.Provider), func(t *testing.T) {
				good, requests := say(200, vllmReply), 1
				if spec == ollamaSpec {
					good = say(200, ollamaReply)
				}
				if name == "loaded" && spec == ollamaSpec {
					requests = 4 // a reply without a message is asked for again
				}
				server := recording(t, slices.Concat(slices.Repeat([]http.HandlerFunc{failure.handler}, requests),
					[]http.HandlerFunc{good})...)
				client := open(t, model.Options{Spec: spec, BaseURL: server.URL, ContextLimit: 1000})
				_, err := client.Chat(t.Context(), hello)
				got := as[*model.UnavailableError](t, err)
				if got.Attempts != requests || got.Status != failure.status || len(server.all()) != requests {
					t.Errorf("error is %#v after %d requests, want status %d after %d", got, len(server.all()),
						failure.status, requests)
				}
				if !strings.Contains(err.Error(), failure.want) || !strings.HasPrefix(got.URL, server.URL) {
					t.Errorf("error is %q, want %q in it", err, failure.want)
				}
				for _, other := range []error{context.Canceled, context.DeadlineExceeded, io.EOF} {
					if errors.Is(err, other) {
						t.Errorf("error passes for %v", other)
					}
				}
				if reply, err := client.Chat(t.Context(), hello); err != nil || reply.Text != "Action: go" {
					t.Errorf("then Chat = %+v, %v", reply, err)
				}
			})
		}
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

// waits asks a server about itself that always fails with that answer, and returns the
// times between the requests and the error.
func waits(t *testing.T, retry model.Retry, answer func() *http.Response) (between []time.Duration, err error) {
	var at []time.Time
	c := open(t, model.Options{Retry: retry, Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		at = append(at, time.Now())
		return answer(), nil
	})})
	_, err = c.Server(t.Context())
	for i := range at[1:] {
		between = append(between, at[i+1].Sub(at[i]))
	}
	return between, err
}

func TestWaitsDouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The zero Retry of Options, which open would replace.
		defaults := model.Retry{Attempts: 8, FirstWait: time.Second, MaxWait: time.Minute}
		got, err := waits(t, defaults, func() *http.Response { return respond(503, "") })
		sharedtest.Equal(t, as[*model.UnavailableError](t, err).Attempts, 8, err)
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

// A wait that is asked for is obeyed if it is short, and otherwise told as it was asked for.
func TestAskedWaits(t *testing.T) {
	const day = 24 * time.Hour
	date := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	tests := []struct {
		name   string
		header func() string
		status int
		want   time.Duration
	}{
		{"seconds", func() string { return "7" }, 429, 7 * time.Second},
		{"fraction", func() string { return "0.25" }, 503, 250 * time.Millisecond},
		{"date", func() string { return date(9 * time.Second) }, 429, 9 * time.Second},
		{"a day", func() string { return "86400" }, 429, day},
		{"a date far away", func() string { return date(day) }, 429, day},
		{"a huge number", func() string { return "1e300" }, 503, 100 * 365 * day},
		{"date past", func() string { return date(-time.Hour) }, 429, 0},
		{"negative", func() string { return "-5" }, 429, 0},
		{"nonsense", func() string { return "soon" }, 429, 0},
		{"not a number", func() string { return "NaN" }, 429, 0},
		{"with an error that is no refusal", func() string { return "3" }, 200, 3 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				retry := model.Retry{Attempts: 3, FirstWait: time.Millisecond, MaxWait: time.Millisecond}
				got, err := waits(t, retry, func() *http.Response {
					return respond(test.status, "{", "Retry-After", test.header())
				})
				refused := as[*model.UnavailableError](t, err)
				if diff := (refused.Wait - test.want).Abs(); diff > time.Second { // of a date, which has no fractions
					t.Errorf("it asks to wait %v, want %v", refused.Wait, test.want)
				}
				if test.want > model.LongWait {
					if len(got) > 0 {
						t.Errorf("it is asked again after %v", got)
					}
					return
				}
				if len(got) != 2 {
					t.Fatalf("%d waits", len(got))
				}
				for i, wait := range got {
					// A millisecond, half more or less, lies on top.
					if wait < test.want-time.Second || wait > test.want+2*time.Millisecond {
						t.Errorf("wait %d is %v, want %v and hardly more", i, wait, test.want)
					}
				}
			})
		})
	}
}

// Each reply that comes too late doubles the time for the next one, up to four times.
func TestTimeLimits(t *testing.T) {
	for _, spec := range []model.Spec{vllmSpec, ollamaSpec} {
		synctest.Test(t, func(t *testing.T) {
			c := open(t, model.Options{Spec: spec, ContextLimit: 1000, Transport: roundTrip(
				func(r *http.Request) (*http.Response, error) {
					<-r.Context().Done()
					return nil, r.Context().Err()
				})})
			for late, minutes := range []time.Duration{5, 10, 20, 20} {
				req := hello
				req.Late = late
				start := time.Now()
				_, err := c.Chat(t.Context(), req)
				got, want := as[*model.UnavailableError](t, err), minutes*time.Minute
				if time.Since(start) != want || got.Limit != want ||
					got.Message != fmt.Sprintf("no reply within %v", want) {
					t.Errorf("%s: after %v: %v, want %v", spec.Provider, time.Since(start), err, want)
				}
				if errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: the time-out of an attempt passes for the caller's", spec.Provider)
				}
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
	hangs := roundTrip(func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		_, err := open(t, model.Options{Transport: hangs}).Chat(ctx, hello)
		if err != context.DeadlineExceeded || time.Since(start) != 10*time.Second {
			t.Errorf("error is %v after %v, want the caller's own after 10 s", err, time.Since(start))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { time.Sleep(time.Second); cancel(errors.New("a reason")) }()
		start := time.Now()
		_, err := open(t, model.Options{Transport: hangs}).Chat(ctx, hello)
		if err != context.Canceled || time.Since(start) != time.Second {
			t.Errorf("error is %v after %v, want context.Canceled at once", err, time.Since(start))
		}
	})
}

// A server that fails one request in five, in every way there is, loses no call, and is not blamed.
func TestStorm(t *testing.T) {
	const calls, inFlight = 400, 64
	var failures []http.HandlerFunc
	for _, f := range passing(t) {
		failures = append(failures, f.handler)
	}
	failures = append(failures, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	good := map[model.Provider]http.HandlerFunc{model.VLLM: say(200, vllmReply),
		model.Ollama: fakeOllama(say(200, ollamaReply))}
	for _, spec := range sharedtest.Sample(t, []model.Spec{vllmSpec, ollamaSpec}, 1) {
		t.Run(string(spec.Provider), func(t *testing.T) {
			var requests, failed atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				// Every fifth fails, and each of those in the next way.
				if n := requests.Add(1); n%5 == 0 {
					failed.Add(1)
					failures[int(n/5)%len(failures)](w, r)
					return
				}
				good[spec.Provider](w, r)
			}))
			defer server.Close()
			f := sharedtest.Must(fleet.Open(fleet.Options{Servers: []string{server.URL}, Attempts: 20, Now: time.Now,
				Pace: time.Millisecond, Tell: func(line string) {
					if !strings.HasPrefix(line, "a reply took longer than --timeout 1s") {
						t.Error(line)
					}
				},
				Open: func(address string) (*model.Client, error) {
					return model.Open(model.Options{Spec: spec, BaseURL: address, Concurrency: inFlight, Retry: quick,
						Timeout: time.Second, Now: time.Now})
				}}))(t)
			defer f.Close()
			var attempts atomic.Int64
			var group errgroup.Group
			group.SetLimit(inFlight)
			for range calls {
				group.Go(func() error {
					reply, err := f.Chat(t.Context(), hello)
					if err == nil && reply.Text != "Action: go" {
						err = fmt.Errorf("reply is %+v", reply)
					}
					attempts.Add(int64(reply.Attempts))
					return err
				})
			}
			sharedtest.OK(t, group.Wait())
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
			return respond(503, "loading", "Retry-After", "8"), nil
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
