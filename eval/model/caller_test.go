package model

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

func FuzzRetryAfter(f *testing.F) {
	for _, value := range []string{"", "0", "1", "-1", "1.5", "1e9", "1e999", "NaN", "Inf", "-Inf", "0x10p4", "soon",
		"Fri, 31 Dec 1999 23:59:59 GMT",
		"Friday, 31-Dec-99 23:59:59 GMT", "Fri Dec 31 23:59:59 9999"} {
		f.Add(value)
	}
	now := time.Date(1999, 12, 31, 23, 59, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value string) {
		if wait := retryAfter(http.Header{"Retry-After": {value}}, now); wait < 0 || wait > 101*365*24*time.Hour {
			t.Errorf("Retry-After %q gives a wait of %v", value, wait)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(1999, 12, 31, 23, 59, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"":                               0,
		"120":                            2 * time.Minute,
		"1.5":                            1500 * time.Millisecond,
		"1e9":                            1e9 * time.Second,
		"Fri, 31 Dec 1999 23:59:59 GMT":  59 * time.Second,
		"Friday, 31-Dec-99 23:59:59 GMT": 59 * time.Second,
		"Fri Dec 31 23:59:59 1999":       59 * time.Second,
		"Fri, 31 Dec 1999 23:00:00 GMT":  0,
		"later":                          0,
	} {
		sharedtest.Equal(t, retryAfter(http.Header{"Retry-After": {value}}, now), want, "Retry-After", value,
			"gives a wait of")
	}
}

// An address that is none is an error of the question, not an empty answer.
func TestGetOfNoAddress(t *testing.T) {
	var list struct{}
	if err := (&exchange{}).fetch(t.Context(), "http://\x7f", nil, &list); err == nil {
		t.Error("there is no error")
	}
}

// paused is the body of a reply that stops after its first half until it is released.
type paused struct {
	first, second   io.Reader
	begun, released chan struct{}
}

func (p *paused) Read(b []byte) (int, error) {
	n, err := p.first.Read(b)
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if p.begun != nil {
		close(p.begun)
		p.begun = nil
		<-p.released
	}
	return p.second.Read(b)
}

func (p *paused) Close() error { return nil }

// bodies is a transport that answers with one body after the other.
type bodies chan io.ReadCloser

func (b bodies) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: <-b, ContentLength: -1}, nil
}

// Replies that are read at the same time share one budget: one that no longer fits
// is an error, and what was taken is given back.
func TestRepliesShareABudget(t *testing.T) {
	body := `{"choices":[{"message":{"content":"` + strings.Repeat("x", 6000) + `"},"finish_reason":"stop"}]}`
	whole := func() io.ReadCloser { return io.NopCloser(strings.NewReader(body)) }
	half := &paused{strings.NewReader(body[:5000]), strings.NewReader(body[5000:]), make(chan struct{}),
		make(chan struct{})}
	begun := half.begun
	replies := make(bodies, 1)
	c := sharedtest.Must(Open(Options{Spec: Spec{Provider: OpenAI, Name: "m"}, Transport: replies, Now: time.Now,
		Retry: Retry{Attempts: 1}}))(t)
	defer c.Close()
	held := c.backend.(*openAI).inUse
	c.backend.(*openAI).budget = 12 << 10
	ask := func() error {
		reply, err := c.Chat(t.Context(), Request{Messages: []Message{{Role: User, Content: "hello"}},
			Decoding: record.Decoding{TopP: 1, MaxTokens: 1000}})
		if err == nil && len(reply.Text) != 6000 {
			t.Errorf("a reply of %d bytes", len(reply.Text))
		}
		return err
	}
	replies <- half
	slow := make(chan error)
	go func() { slow <- ask() }()
	<-begun // it has room for 8 KiB by now
	replies <- whole()
	sharedtest.Fails(t, ask(), "the replies that are being read take more than 12 KiB together")
	sharedtest.Equal(t, held.Load(), 8<<10, "bytes are held by one reply")
	close(half.released)
	sharedtest.OK(t, <-slow)
	replies <- whole()
	sharedtest.OK(t, ask())
	sharedtest.Equal(t, held.Load(), 0, "bytes are held by nobody")
}

func TestWaitsInBodies(t *testing.T) {
	for body, want := range sharedtest.Table[time.Duration](t, "waits.yaml") {
		sharedtest.Equal(t, waitIn([]byte(body)), want, body)
	}
}

func TestSpentQuotas(t *testing.T) {
	for body, want := range sharedtest.Table[bool](t, "spentquotas.yaml") {
		said, _ := readWords([]byte(body))
		sharedtest.Equal(t, said.spent(waitIn([]byte(body)), []byte(body)), want, body)
	}
}

// What a proxy refuses does not look like the server's refusal, and requests name the program.
func TestProxyAndUserAgent(t *testing.T) {
	var agents []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents = append(agents, r.UserAgent())
		http.Error(w, "blocked by policy", http.StatusForbidden)
	}))
	defer proxy.Close()
	at := sharedtest.Must(url.Parse(proxy.URL))(t)
	at.User = url.UserPassword("me", "sesame")
	for _, base := range []string{"http://model.test/v1", "https://model.test/v1"} {
		c := sharedtest.Must(Open(Options{Spec: Spec{Provider: VLLM, Name: "m"}, BaseURL: base,
			UserAgent: "heldout/1", Now: time.Now, Proxy: http.ProxyURL(at), Retry: Retry{Attempts: 1}}))(t)
		_, err := c.Chat(t.Context(), Request{Messages: []Message{{Role: User, Content: "hello"}},
			Decoding: record.Decoding{TopP: 1, MaxTokens: 5}})
		c.Close()
		want := "the request went through the proxy " + at.Host + ", which may have answered in the server's place"
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v", base, err)
		}
	}
	if len(agents) == 0 || agents[0] != "heldout/1" {
		t.Errorf("%q", agents)
	}
}

// A body is free once it is sent, and can be sent again.
func TestBodiesPass(t *testing.T) {
	req, _ := http.NewRequest(http.MethodGet, "http://host", nil)
	want, free := strings.Repeat("text", 1<<10), make(chan bool, 3)
	sharedtest.OK(t, post(req, func() ([]byte, error) {
		text := []byte(want)
		runtime.AddCleanup(&text[0], func(c chan bool) { c <- true }, free)
		return text, nil
	}))
	for range 2 {
		got, _ := io.ReadAll(req.Body)
		sharedtest.Equal(t, string(got), want)
		defer runtime.KeepAlive(req.Body)
		req.Body, _ = req.GetBody()
	}
	runtime.GC()
	_, _ = <-free, <-free
}
