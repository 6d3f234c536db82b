package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
	"heldout/eval/fleet/fleettest"
	"heldout/eval/model"
	"heldout/scoring/record"
)

// host is a model server that can go and come back at its address.
type host struct {
	*fleettest.Switchable
	root atomic.Pointer[string]
	// calls counts the chats that were answered.
	calls atomic.Int64
	// chat, if set, answers a chat instead.
	chat func(http.ResponseWriter, *http.Request)
}

func newHost(t *testing.T, root string) *host {
	h := &host{}
	h.root.Store(&root)
	h.Switchable = fleettest.New(t, h)
	return h
}

func (h *host) url() string { return h.URL + "/v1" }

func (h *host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/models"):
		fmt.Fprintf(w, `{"data":[{"id":"m","root":%q,"max_model_len":4096}]}`, *h.root.Load())
	case h.chat != nil:
		h.chat(w, r)
	default:
		h.calls.Add(1)
		fmt.Fprint(w,
			`{"choices":[{"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`)
	}
}

// notes collects what a fleet tells.
type notes struct {
	mu    sync.Mutex
	lines []string
	came  chan string
}

func (n *notes) tell(line string) {
	n.mu.Lock()
	n.lines = append(n.lines, line)
	n.mu.Unlock()
	n.came <- line
}

// await returns once a line with that text has come.
func (n *notes) await(t *testing.T, text string) {
	t.Helper()
	limit := sharedtest.Limited(t).Done()
	for {
		select {
		case line := <-n.came:
			if strings.Contains(line, text) {
				return
			}
		case <-limit:
			t.Fatalf("no note with %q in %q", text, n.lines)
		}
	}
}

func open(t *testing.T, o Options, hosts ...*host) (*Fleet, *notes) {
	t.Helper()
	n := &notes{came: make(chan string, 1000)}
	for _, h := range hosts {
		o.Servers = append(o.Servers, h.url())
	}
	o.Tell, o.Now, o.Attempts, o.Pace, o.ListPace = n.tell, time.Now, 3, 5*time.Millisecond, 5*time.Millisecond
	o.Open = func(address string) (*model.Client, error) {
		return model.Open(model.Options{
			Spec: model.Spec{Provider: model.OpenAI, Name: "m"}, BaseURL: address, Now: time.Now,
			Concurrency: 8, Retry: model.Retry{Attempts: 3, FirstWait: time.Millisecond, MaxWait: time.Millisecond},
		})
	}
	f := sharedtest.Must(Open(o))(t)
	t.Cleanup(f.Close)
	return f, n
}

func request(text string) model.Request {
	return model.Request{Messages: []model.Message{{Role: model.User, Content: text}}, Decoding: record.Decoding{
		MaxTokens: 8, TopP: 1}}
}

func ask(t *testing.T, m model.Model) model.Reply {
	t.Helper()
	return sharedtest.Must(m.Chat(context.Background(), request("hello")))(t)
}

// An episode stays with its server, and new ones go where the fewest tokens are in flight.
func TestEpisodesStay(t *testing.T) {
	a, b := newHost(t, "r"), newHost(t, "r")
	begun, held := make(chan struct{}), make(chan struct{})
	a.chat = func(w http.ResponseWriter, r *http.Request) { close(begun); <-held; (&host{}).ServeHTTP(w, r) }
	f, _ := open(t, Options{}, a, b)
	var calls sync.WaitGroup
	calls.Go(func() { ask(t, f.Conversation()) }) // the first server of two that are idle
	<-begun
	two := f.Conversation()
	for range 5 {
		sharedtest.Equal(t, ask(t, two).Server, b.url(), "the call goes to")
	}
	close(held)
	calls.Wait()
	sharedtest.Equal(t, ask(t, two).Server, b.url(), "the episode has moved to")
}

// An episode leaves a server that has far more to do than another one.
func TestOverloaded(t *testing.T) {
	for _, c := range []struct {
		mine, other, call int
		want              bool
	}{
		{100, 100, 10, false},
		{100, 70, 10, false},
		{100, 20, 10, true},
		{10, 0, 10, false},
	} {
		mine, other := &server{tokens: c.mine}, &server{tokens: c.other}
		sharedtest.Equal(t, mine.overloaded(other, c.call), c.want, c)
	}
}

// A server that is gone is set aside and taken back; its episode moves, and no call fails.
func TestServerLeavesAndComesBack(t *testing.T) {
	a, b := newHost(t, "r"), newHost(t, "r")
	f, n := open(t, Options{}, a, b)
	c := f.Conversation()
	if got := ask(t, c).Server; got != a.url() {
		t.Fatalf("the first call goes to %s", got)
	}
	a.Leave()
	if reply := ask(t, c); reply.Server != b.url() {
		t.Errorf("%+v", reply)
	}
	n.await(t, a.url()+" is set aside")
	a.Come()
	n.await(t, a.url()+" is back")
	b.Leave()
	sharedtest.Equal(t, ask(t, c).Server, a.url(), "the call goes to")
}

// While all servers are gone, calls wait and use no attempts up.
func TestCallsWait(t *testing.T) {
	a := newHost(t, "r")
	f, n := open(t, Options{}, a)
	ask(t, f)
	a.Leave()
	const calls = 20
	replies := make(chan model.Reply, calls)
	for range calls {
		go func() { replies <- ask(t, f.Conversation()) }()
	}
	n.await(t, "no model server answers")
	a.Come()
	for range calls {
		if reply := <-replies; reply.Attempts > 2 || reply.Server != "" {
			t.Errorf("%+v", reply)
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if got := slices.DeleteFunc(slices.Clone(n.lines), func(l string) bool {
		return !strings.Contains(l, "no model server")
	}); len(got) != 1 {
		t.Errorf("told %d times: %q", len(got), got)
	}
}

// A call that a server breaks off, but not others, costs attempts.
func TestBrokenCallsEnd(t *testing.T) {
	a := newHost(t, "r")
	a.chat = func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), "hello") {
			panic(http.ErrAbortHandler)
		}
		(&host{}).ServeHTTP(w, r)
	}
	f, _ := open(t, Options{}, a)
	_, err := f.Chat(context.Background(), request("hello"))
	var unavailable *model.UnavailableError
	if !errors.As(err, &unavailable) || unavailable.Attempts != 3 {
		t.Errorf("%+v", err)
	}
}

func TestGiveUp(t *testing.T) {
	a := newHost(t, "r")
	f, _ := open(t, Options{GiveUpAfter: time.Millisecond}, a)
	a.Leave()
	_, err := f.Chat(context.Background(), request("hello"))
	var lost *LostError
	if !errors.As(err, &lost) || !strings.Contains(err.Error(), a.url()) {
		t.Errorf("%v", err)
	}
	if _, err := f.Chat(context.Background(), request("hello")); !errors.As(err, &lost) {
		t.Errorf("a later call: %v", err)
	}
}

// All servers must serve the same model, also those that come back.
func TestSameModel(t *testing.T) {
	a, b := newHost(t, "one"), newHost(t, "two")
	f, n := open(t, Options{}, a, b)
	sharedtest.Fails(t, sharedtest.Err(f.server(context.Background())), `the root of the model is "one" and "two"`)
	copies, _ := open(t, Options{SameWeights: true}, a, b)
	about, err := copies.server(context.Background())
	if err != nil || !slices.Equal(about.Roots, []string{"one", "two"}) {
		t.Errorf("copies: %+v, %v", about, err)
	} else if changes := record.Changes(record.ServerReport{Root: "three"}, about); changes != nil {
		t.Errorf("copies in another folder: %q", changes)
	}
	b.root.Store(a.root.Load())
	about, err = f.server(context.Background())
	if diff := cmp.Diff(record.ServerReport{Models: []string{"m"}, Present: true, ContextLength: 4096, Root: "one"},
		about); diff != "" || err != nil {
		t.Error(err, diff)
	}
	a.Leave()
	ask(t, f)
	n.await(t, "is set aside")
	other := "two"
	a.root.Store(&other)
	a.Come()
	n.await(t, "is not used: it differs from the server that the run began with: the root of the model is")
	for range 5 {
		sharedtest.Equal(t, ask(t, f).Server, b.url(), "the call goes to")
	}
}

// A server that is absent at the start is set aside, unless no other is there.
func TestAbsentAtStart(t *testing.T) {
	a, b := newHost(t, "r"), newHost(t, "r")
	a.Leave()
	f, n := open(t, Options{}, a, b)
	sharedtest.OK(t, sharedtest.Err(f.server(context.Background())))
	n.await(t, a.url()+" is set aside")
	a.Come()
	n.await(t, "is back")
	a.Leave()
	b.Leave()
	f, _ = open(t, Options{}, a, b)
	if _, err := f.server(context.Background()); err == nil {
		t.Error("no server is there")
	}
}

// The list of servers is followed: new ones join, others get no further calls.
func TestList(t *testing.T) {
	a, b := newHost(t, "r"), newHost(t, "r")
	var list atomic.Pointer[[]string]
	list.Store(&[]string{a.url()})
	f, n := open(t, Options{List: func() ([]string, error) {
		if l := *list.Load(); len(l) > 0 {
			return l, nil
		}
		return nil, errors.New("the file is empty")
	}}, a)
	c := f.Conversation()
	ask(t, c)
	list.Store(&[]string{b.url()})
	n.await(t, b.url()+" is in use")
	if ask(t, c); b.calls.Load() != 1 {
		t.Error("the call went to the server that has left")
	}
	list.Store(&[]string{})
	n.await(t, "the servers stay as they are: the file is empty")
	if ask(t, c); b.calls.Load() != 2 {
		t.Error("the list was lost")
	}
}

// A server that has left gets no more calls than those in flight, one of each episode that it holds.
func TestRemovedServer(t *testing.T) {
	a, b := newHost(t, "r"), newHost(t, "r")
	both := []string{a.url(), b.url()}
	var list atomic.Pointer[[]string]
	list.Store(&both)
	f, n := open(t, Options{List: func() ([]string, error) { return *list.Load(), nil }}, a, b)
	const episodes = 16
	stop := make(chan struct{})
	var playing sync.WaitGroup
	for range episodes {
		playing.Go(func() {
			for c := f.Conversation(); ; {
				ask(t, c)
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for a.calls.Load() < 100 {
		ask(t, f)
	}
	list.Store(&[]string{b.url()})
	n.await(t, a.url()+" has left")
	then, there := a.calls.Load(), b.calls.Load()
	for b.calls.Load() < there+1000 {
		ask(t, f)
	}
	close(stop)
	playing.Wait()
	if got := a.calls.Load() - then; got > episodes {
		t.Errorf("%d calls after it left, want at most %d", got, episodes)
	}
}

func TestServerTwice(t *testing.T) {
	a := newHost(t, "r")
	_, err := Open(Options{Servers: []string{a.url(), a.url() + "/"},
		Open: func(address string) (*model.Client, error) {
			return model.Open(model.Options{Spec: model.Spec{Provider: model.OpenAI, Name: "m"}, BaseURL: address,
				Now: time.Now})
		}})
	sharedtest.Fails(t, err, "twice")
}
