package fleet

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"heldout/envs/sharedtest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// failing makes a host answer chats with a status while it is on; the text of a request decides as well.
type failing struct {
	on     atomic.Bool
	status int
	header http.Header
	// only are the requests that fail, by a part of their text.
	only string
	// failed counts the chats that failed.
	failed atomic.Int64
}

func (f *failing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if !f.on.Load() || !strings.Contains(string(body), f.only) {
		(&host{}).ServeHTTP(w, r)
		return
	}
	f.failed.Add(1)
	for key, values := range f.header {
		w.Header()[key] = values
	}
	http.Error(w, "broken", f.status)
}

func newFailing(t *testing.T, status int) (*host, *failing) {
	h, f := newHost(t, "r"), &failing{status: status}
	f.on.Store(true)
	h.chat = f.ServeHTTP
	return h, f
}

// A server that refuses every call is set aside with the reason, and gets calls again once it answers one.
func TestServerThatRefuses(t *testing.T) {
	for _, status := range []int{401, 404, 500, 503} {
		a, fails := newFailing(t, status)
		b := newHost(t, "r")
		f, n := open(t, Options{}, a, b)
		if reply := ask(t, f.Conversation()); reply.Server != b.url() {
			t.Errorf("%d: %+v", status, reply)
		}
		n.await(t, a.url()+" is set aside, its episodes continue elsewhere: ")
		fails.on.Store(false)
		n.await(t, a.url()+" is back")
	}
}

// If all servers refuse a call, the call is wrong.
func TestAllRefuse(t *testing.T) {
	a, _ := newFailing(t, 401)
	b, _ := newFailing(t, 401)
	f, _ := open(t, Options{}, a, b)
	_, err := f.Chat(context.Background(), request("hello"))
	var refused *model.RequestError
	if !errors.As(err, &refused) || refused.Status != 401 {
		t.Errorf("%v", err)
	}
}

// While every server answers with errors, calls wait and use one attempt up.
func TestErrorsEverywhere(t *testing.T) {
	a, fails := newFailing(t, 500)
	f, n := open(t, Options{}, a)
	const calls = 20
	replies := make(chan model.Reply, calls)
	for range calls {
		go func() { replies <- ask(t, f.Conversation()) }()
	}
	n.await(t, "no usable reply since")
	if f.Gone().IsZero() {
		t.Error("a server answers")
	}
	fails.on.Store(false)
	for range calls {
		if reply := <-replies; reply.Attempts > 2 {
			t.Errorf("%+v", reply)
		}
	}
	if since := f.Gone(); !since.IsZero() {
		t.Errorf("no server answers since %v", since)
	}
	if got := fails.failed.Load(); got > 3*calls {
		t.Errorf("%d calls failed", got)
	}
}

// What a fleet says of an outage counts from the last reply, not from when it is known that no other one comes.
func TestOutageCountsFromTheLastReply(t *testing.T) {
	a, fails := newFailing(t, 500)
	f, n := open(t, Options{}, a)
	fails.on.Store(false)
	earliest := time.Now()
	ask(t, f.Conversation())
	latest := time.Now()
	fails.on.Store(true)
	var waiting sync.WaitGroup
	waiting.Go(func() { ask(t, f.Conversation()) })
	n.await(t, "no usable reply since")
	if since := f.Gone(); since.Before(earliest) || since.After(latest) {
		t.Errorf("no usable reply since %v, want %v to %v", since, earliest, latest)
	}
	fails.on.Store(false)
	waiting.Wait()
}

// A call that fails on a server that answers others costs attempts, and the server stays in use.
func TestCallThatFails(t *testing.T) {
	a, fails := newFailing(t, 500)
	fails.only = "poison"
	f, n := open(t, Options{}, a)
	_, err := f.Chat(context.Background(), request("poison"))
	var unavailable *model.UnavailableError
	if !errors.As(err, &unavailable) || unavailable.Attempts != 3 {
		t.Errorf("%v", err)
	}
	if len(n.lines) > 0 {
		t.Errorf("told %q", n.lines)
	}
}

// A server that asks for a long wait is left alone so long.
func TestLongWait(t *testing.T) {
	a, fails := newFailing(t, 429)
	fails.header = http.Header{"Retry-After": {"3600"}}
	b := newHost(t, "r")
	f, n := open(t, Options{}, a, b)
	c := f.Conversation()
	for range 5 {
		if reply := ask(t, c); reply.Server != b.url() || reply.Attempts != 1 {
			t.Errorf("%+v", reply)
		}
	}
	n.await(t, "429 Too Many Requests: broken (it asks to wait 1h0m0s)")
	sharedtest.Equal(t, fails.failed.Load(), 1, "it was asked times")
	if got := f.Waits(); !got.IsZero() {
		t.Errorf("the calls wait until %v, though one server works", got)
	}
}

// While the only server asks for a wait, the fleet says until when.
func TestWaits(t *testing.T) {
	a, fails := newFailing(t, 429)
	fails.header = http.Header{"Retry-After": {"3600"}}
	f, n := open(t, Options{}, a)
	ctx, cancel := context.WithCancel(t.Context())
	began := time.Now()
	var waiting sync.WaitGroup
	waiting.Go(func() { _, _ = f.Chat(ctx, request("hello")) })
	n.await(t, "no usable reply since")
	if got := f.Waits(); got.Before(began.Add(time.Hour)) || got.After(time.Now().Add(time.Hour)) {
		t.Errorf("the calls wait until %v, want an hour from %v", got, began)
	}
	cancel()
	waiting.Wait()
}

// A server that joins and cannot be used is named with the reason, once.
func TestServerThatCannotJoin(t *testing.T) {
	a, b := newHost(t, "r"), newHost(t, "other")
	b.Leave()
	list := []string{a.url()}
	f, n := open(t, Options{List: func() ([]string, error) { return append(list, b.url(), b.url()+"/"), nil }}, a)
	sharedtest.OK(t, sharedtest.Err(f.server(context.Background())))
	n.await(t, b.url()+" is not used: ")
	b.Come()
	n.await(t, b.url()+" is not used: it differs from the server that the run began with: "+
		`the root of the model is "r" and "other"`)
	root := "r"
	b.root.Store(&root)
	n.await(t, b.url()+" is in use")
	sharedtest.Equal(t, len(n.lines), 3, "told", n.lines)
}

// hanging is a server that never answers.
type hanging struct{}

// RoundTrip implements http.RoundTripper.
func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// A server that hangs at the start does not hold up the others for long.
func TestHangingAtStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		works := &simulated{slots: make(chan struct{}, 1), broken: make(chan struct{})}
		var told []string
		f, err := Open(Options{Servers: []string{"http://hangs/v1", "http://works/v1"}, Attempts: 3, Now: time.Now,
			Tell: func(line string) { told = append(told, line) },
			Open: func(address string) (*model.Client, error) {
				o := model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "m"}, BaseURL: address, Now: time.Now,
					Transport: hanging{}}
				if strings.Contains(address, "works") {
					o.Transport = works
				}
				return model.Open(o)
			}})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		start := time.Now()
		if _, err := f.server(context.Background()); err != nil || time.Since(start) > 2*patience {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if len(told) != 1 || !strings.Contains(told[0],
			"http://hangs/v1 is set aside, its episodes continue elsewhere: it has not told about itself within 10s") {
			t.Errorf("told %q", told)
		}
	})
}

// draining is a server that is being stopped: it refuses all but the calls that it has, and gives one of their replies
// each tenth of a second.
type draining struct{ has, refused atomic.Int64 }

// RoundTrip implements http.RoundTripper.
func (d *draining) RoundTrip(r *http.Request) (*http.Response, error) {
	const calls = 16
	n := d.has.Add(1)
	if n > calls {
		d.refused.Add(1)
		return nil, errAway
	}
	select {
	case <-time.After(time.Duration(n) * time.Second / 10):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: r, Body: io.NopCloser(
		strings.NewReader(`{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`))}, nil
}

// A server that is being stopped is asked a few times a second at most, however many calls wait for it, and counts as
// gone soon after its last reply.
func TestDrainingServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, began, out := &draining{}, time.Now(), time.Duration(0)
		f := sharedtest.Must(Open(Options{Servers: []string{"http://drains/v1"}, Attempts: 3, Now: time.Now,
			Tell: func(string) { out = time.Since(began) },
			Open: func(address string) (*model.Client, error) {
				return model.Open(model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "m"}, BaseURL: address,
					Now: time.Now, Transport: server})
			}}))(t)
		defer f.Close()
		const calls, limit = 64, 30 * time.Second
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		var answered atomic.Int64
		var episodes sync.WaitGroup
		for range calls {
			episodes.Go(func() {
				if _, err := f.Chat(ctx, request("hello")); err == nil {
					answered.Add(1)
				}
			})
		}
		episodes.Wait()
		if got, most := server.refused.Load(), int64(calls+5*limit/time.Second); got > most {
			t.Errorf("it refused %d requests, want at most %d", got, most)
		}
		if answered.Load() != 16 || out < 1600*time.Millisecond || out > 3*time.Second {
			t.Errorf("%d replies; it counts as gone after %v", answered.Load(), out)
		}
	})
}

// What differs is named: the model first, because the rest follows from it.
func TestSame(t *testing.T) {
	good := record.ServerReport{Software: "vllm", Models: []string{"m"}, Present: true, ContextLength: 8192, Root: "a"}
	for want, other := range map[string]record.ServerReport{
		"only one of them has a model of the name; the other one has x, y": {
			Software: "vllm", Models: []string{"x", "y"}},
		"only one of them tells the names of its models": {},
		`the context length is "8192" and "4096"`: {Software: "vllm", Models: []string{"m"}, Present: true,
			ContextLength: 4096, Root: "a"},
		`the root of the model is "a" and "b"; --set same-weights says that both hold the same weights`: {Software: "vllm", Models: []string{"m"}, Present: true,
			ContextLength: 8192, Root: "b"},
	} {
		if err := (&Fleet{}).same(good, other); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A start without an answer does not stay silent.
func TestSilentStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan string, 10)
		f := sharedtest.Must(Open(Options{Servers: []string{"http://hangs/v1"}, Attempts: 3, Now: time.Now,
			Tell: func(line string) { told <- line },
			Open: func(address string) (*model.Client, error) {
				return model.Open(model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "m"}, BaseURL: address,
					Now: time.Now, Transport: hanging{}})
			}}))(t)
		defer f.Close()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var asking sync.WaitGroup
		asking.Go(func() { _, _ = f.server(ctx) })
		if line := <-told; line != "the run waits for its model servers: http://hangs/v1: http://hangs/v1/models gave no usable reply in 1 attempt: no reply within 10s" {
			t.Error(line)
		}
		cancel()
		asking.Wait()
	})
}

// cutShort is a server that is asked for its version while the run is stopped.
type cutShort func()

func (stop cutShort) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == "/version" {
		stop()
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: http.StatusOK, Request: r,
		Body: io.NopCloser(strings.NewReader(`{"data":[{"id":"m","owned_by":"vllm"}]}`))}, nil
}

// A report that a signal cut short is none: it would be recorded as another server's.
func TestReportCutShort(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	client, err := model.Open(model.Options{Spec: model.Spec{Provider: model.VLLM, Name: "m"}, BaseURL: "http://h/v1",
		Now: time.Now, Transport: cutShort(cancel)})
	if err != nil {
		t.Fatal(err)
	}
	heard := func() { t.Error("it counts as heard") }
	if _, errs := interview(ctx, []*server{{client: client}}, heard); !errors.Is(errs[0], context.Canceled) {
		t.Error(errs)
	}
}
