package wiki

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/pytext"
	"heldout/envs/sharedtest"
)

// recorderTransport hands requests to a handler in this process, so that a test
// with a clock of its own can wait for nothing.
type recorderTransport struct{ http.Handler }

func (r recorderTransport) RoundTrip(req *http.Request) (resp *http.Response, err error) {
	defer func() {
		if p := recover(); p != nil { // a handler that breaks the connection
			err = errors.New("connection reset")
		}
	}()
	w := httptest.NewRecorder()
	req.RequestURI = ""
	r.ServeHTTP(w, req)
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	resp = w.Result()
	if resp.Header.Get("Content-Encoding") == "gzip" {
		resp.Body = io.NopCloser(gunzip(resp.Body))
	}
	resp.Request = req
	return resp, nil
}

func newTestLive(t testing.TB, o Options) *Live {
	t.Helper()
	o.Now, o.UserAgent = time.Now, "heldout/test (loopback)"
	if o.Flow == "" {
		o.Flow = JSON
	}
	return sharedtest.Must(NewLive(o))(t)
}

// inBubble plays a fake Wikipedia with a clock of its own.
func inBubble(t *testing.T, f *fakeWiki, flow Flow, test func(t *testing.T, l *Live)) {
	t.Helper()
	if f.pages == nil {
		f.pages = fakePages
	}
	synctest.Test(t, func(t *testing.T) {
		test(t, newTestLive(t, Options{URL: "http://wiki.test/w", Flow: flow, Transport: recorderTransport{f}}))
	})
}

func TestFlows(t *testing.T) {
	for _, c := range sharedtest.Cases[struct {
		Query      string
		JSON, HTML Answer
	}](t, "flows.yaml") {
		for flow, want := range map[Flow]Answer{JSON: c.JSON, HTML: c.HTML} {
			f := &fakeWiki{pages: fakePages, redirects: map[string]string{"Planet IX": "Pluto"}}
			synctest.Test(t, func(t *testing.T) {
				l := newTestLive(t, Options{URL: "http://wiki.test/w", Flow: flow, Transport: recorderTransport{f}})
				got, err := l.Search(t.Context(), c.Query)
				if diff := cmp.Diff(want, got); err != nil || diff != "" {
					t.Errorf("%s %q: %v %s", flow, c.Query, err, diff)
				}
			})
		}
	}
}

// Over a real connection: one request at a time, with our name, compressed.
func TestManners(t *testing.T) {
	t.Parallel()
	var at, most int
	var mu sync.Mutex
	f := &fakeWiki{}
	f.trouble = func(int, http.ResponseWriter, *http.Request) bool {
		mu.Lock()
		at++
		most = max(most, at)
		mu.Unlock()
		mu.Lock()
		at--
		mu.Unlock()
		return false
	}
	l := newTestLive(t, Options{URL: startFake(t, f)})
	var all sync.WaitGroup
	for i := range 3 {
		all.Go(func() {
			if _, err := l.Search(t.Context(), fmt.Sprint("nothing ", i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most != 1 || f.sent() != 6 {
		t.Errorf("%d requests, %d at once", f.sent(), most)
	}
	for _, r := range f.requests {
		if r.Header.Get("User-Agent") != "heldout/test (loopback)" ||
			!strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			t.Errorf("%v", r.Header)
		}
	}
}

// Requests keep their distance.
func TestRate(t *testing.T) {
	inBubble(t, &fakeWiki{}, HTML, func(t *testing.T, l *Live) {
		start := time.Now()
		for range 5 {
			if _, err := l.Search(t.Context(), "nothing"); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took != 4*gap {
			t.Errorf("five requests took %v", took)
		}
	})
}

// say answers a request with a status, headers and a body.
func say(status int, body string, headers ...string) func(int, http.ResponseWriter, *http.Request) bool {
	return func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
		return true
	}
}

// slow takes longer for an answer than anybody waits.
func slow(int, http.ResponseWriter, *http.Request) bool {
	time.Sleep(2 * timeout) // in the time of the test's own clock
	return false
}

// Trouble that passes is waited for.
func TestPassingTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		trouble func(int, http.ResponseWriter, *http.Request) bool
		least   time.Duration // of waiting
	}{
		"429":              {say(429, "", "Retry-After", "20"), 20 * time.Second},
		"429 until a date": {say(429, "", "Retry-After", "Sat, 01 Jan 2000 00:00:40 GMT"), 40 * time.Second},
		"503":              {say(503, "down for maintenance"), time.Second / 2},
		"500":              {say(500, ""), time.Second / 2},
		"lag": {say(200, `{"error":{"code":"maxlag","info":"Waiting for a server: 6 seconds lagged"}}`,
			"Retry-After", "5"), 5 * time.Second},
		"rate limit": {say(200, `{"error":{"code":"ratelimited","info":"slow down"}}`), time.Second / 2},
		"nonsense":   {say(200, `<html>captive portal</html>`), time.Second / 2},
		"cut off":    {say(200, `{"query":{"sea`), time.Second / 2},
		"nothing":    {say(200, `{}`), time.Second / 2},
		"slow":       {slow, timeout},
		"reset": {func(int, http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) },
			time.Second / 2},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeWiki{}
			f.trouble = func(n int, w http.ResponseWriter, r *http.Request) bool { return n <= 2 && c.trouble(n, w, r) }
			inBubble(t, f, JSON, func(t *testing.T, l *Live) {
				start := time.Now() // synctest's clock starts with 2000
				got := sharedtest.Must(l.Search(t.Context(), "Pluto"))(t)
				sharedtest.Equal(t, got.Title, "Pluto", got)
				if took := time.Since(start); took < c.least || took > 3*time.Minute || f.sent() != 4 {
					t.Errorf("%d requests in %v", f.sent(), took)
				}
			})
		})
	}
}

// Trouble that stays ends the search with an error that says what it is, after a
// bounded number of requests, and later searches are brief.
func TestLastingTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		trouble      func(int, http.ResponseWriter, *http.Request) bool
		want         string
		first, later int // requests of the first search and of both
	}{
		"refused": {say(403, "set a user agent"),
			"refuses us: 403 Forbidden; we say that we are \"heldout/test (loopback)\"", 1, 1},
		"429":         {say(429, ""), "429 Too Many Requests", attempts, attempts + 1},
		"429 for 1 h": {say(429, "", "Retry-After", "3600"), "asks for no requests for another 59m", 1, 1},
		"nonsense":    {say(200, "<p>Welcome to our hotel"), "not of MediaWiki", attempts, attempts + 1},
		"slow":        {slow, "does not answer", attempts, attempts + 1},
		"404":         {say(404, ""), "404 Not Found", 1, 2},
		"gone": {func(int, http.ResponseWriter, *http.Request) bool { panic(http.ErrAbortHandler) },
			"does not answer", attempts, attempts + 1},
		"bad request": {say(200, `{"error":{"code":"badvalue","info":"odd"}}`), "MediaWiki says badvalue: odd", 1, 2},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeWiki{trouble: c.trouble}
			inBubble(t, f, JSON, func(t *testing.T, l *Live) {
				for i, want := range []int{c.first, c.later} {
					_, err := l.Search(t.Context(), "Pluto")
					if err == nil || !strings.Contains(err.Error(), c.want) || f.sent() != want {
						t.Errorf("search %d: %v after %d requests, want %d", i+1, err, f.sent(), want)
					}
				}
				f.trouble = nil
				if _, err := l.Search(t.Context(), "Pluto"); name == "gone" && (err != nil || l.away) {
					t.Errorf("Wikipedia is back: %v", err)
				}
			})
		})
	}
}

// A page that is deleted between the two requests is not there.
func TestDeletedPage(t *testing.T) {
	f := &fakeWiki{redirects: map[string]string{"old mercury": "Deleted"}}
	inBubble(t, f, JSON, func(t *testing.T, l *Live) {
		got, err := l.Search(t.Context(), "old mercury")
		if diff := cmp.Diff(Answer{List: true, Titles: []string{"Mercury", "Mercury planet"}}, got); err != nil ||
			diff != "" || l.away {
			t.Errorf("%v %s", err, diff)
		}
	})
}

// Who waits can be called off, in line and between attempts.
func TestCancel(t *testing.T) {
	f := &fakeWiki{trouble: say(503, "")}
	inBubble(t, f, JSON, func(t *testing.T, l *Live) {
		ctx, stop := context.WithTimeout(t.Context(), 3*time.Second)
		defer stop()
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if _, err := l.Search(ctx, "Pluto"); !errors.Is(err, context.DeadlineExceeded) {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

func TestHugeAnswer(t *testing.T) {
	t.Parallel()
	f := &fakeWiki{trouble: func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		io.WriteString(w, "<p>"+strings.Repeat("long text ", maxBody/10+1))
		return true
	}}
	inBubble(t, f, HTML, func(t *testing.T, l *Live) {
		if _, err := l.Search(t.Context(), "Pluto"); err == nil || !strings.Contains(err.Error(), "more than") ||
			f.sent() != 1 {
			t.Errorf("%d requests, %v", f.sent(), err)
		}
	})
}

func TestQuoted(t *testing.T) {
	for query, want := range map[string]string{
		"New York": "New+York", "[Mercury]": "%5BMercury%5D", "AC/DC": "AC/DC", "a&b": "a&b", "C# x": "C",
		"100%": "100%25", "%41": "%41", "%4x": "%254x",
		"é": "%C3%A9", `"`: "%22", "a\nb": "a%0Ab", "": "",
	} {
		sharedtest.Equal(t, quoted(query), want, "quoted", query)
	}
}

// Addresses with a secret are refused, and the error does not repeat it.
func TestAddress(t *testing.T) {
	for address, want := range sharedtest.Table[string](t, "addresses.yaml") {
		_, err := NewLive(Options{URL: address, Flow: JSON, Now: time.Now})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v, want %s", address, err, want)
		}
	}
}

// Errors of the transport quote where a server leads to; what may be secret in it is left out.
func TestErrorsQuotePlainAddresses(t *testing.T) {
	f := &fakeWiki{trouble: func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Location", "https://me:sesame@wiki.test:port/w?token=sesame")
		w.WriteHeader(http.StatusFound)
		return true
	}}
	inBubble(t, f, JSON, func(t *testing.T, l *Live) {
		_, err := l.Search(t.Context(), "Pluto")
		if err == nil || !strings.Contains(err.Error(), "https://wiki.test:port/w") ||
			strings.Contains(err.Error(), "sesame") {
			t.Error(err)
		}
	})
}

func gunzip(r io.Reader) io.Reader {
	z, err := gzip.NewReader(r)
	if err != nil {
		return strings.NewReader("") // an answer without a body
	}
	return z
}

func FuzzParsePage(f *testing.F) {
	f.Add(`<html><body><h1 id="firstHeading">A</h1><p>One <b>two</b> three.</p><ul><li>x<ul><li>y</ul></ul>`)
	f.Add(`<div class="mw-search-result-heading"><a>A</a> (redirect from B)</div>`)
	f.Add(`<p><template><p>x</template><noscript>y</noscript><style>z</style>`)
	f.Fuzz(func(t *testing.T, page string) {
		a, err := ParsePage(strings.NewReader(page))
		if err != nil {
			return
		}
		if a.List != (a.Titles != nil) || a.List && a.Blocks != nil {
			t.Errorf("%+v", a)
		}
		for _, s := range append(a.Titles, a.Blocks...) {
			if pytext.Strip(s) != s || !utf8.ValidString(s) {
				t.Errorf("%q", s)
			}
		}
	})
}

func FuzzParseResponse(f *testing.F) {
	f.Add(`{"query":{"search":[{"title":"A","redirecttitle":"B"}]}}`)
	f.Add(`{"parse":{"title":"A","text":"<p>x</p>"}}`)
	f.Add(`{"error":{"code":"maxlag","info":"Waiting"}}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, body string) {
		r, err := parseResponse(strings.NewReader(body))
		if (r == nil) == (err == nil) {
			t.Errorf("%v, %v", r, err)
		}
	})
}

func FuzzQuoted(f *testing.F) {
	f.Add("New York [x] 100% #1 &c")
	f.Fuzz(func(t *testing.T, query string) {
		for _, c := range quoted(query) {
			if c <= ' ' || c >= 0x7f || c == '#' {
				t.Errorf("quoted(%q) has %q", query, c)
			}
		}
	})
}
