package browser

import (
	"context"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heldout/envs/sharedtest"
)

// TestMain ends the browser of the tests.
func TestMain(m *testing.M) {
	defer Stop()
	m.Run()
}

// file writes a file and returns its address.
func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	sharedtest.OK(t, os.WriteFile(path, []byte(content), 0o600))
	return "file://" + path
}

// A page is as wide as its window, answers, follows clicks, and has its picture taken.
func TestPageInABrowser(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "page.png")
	address := file(t, "page.html", `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>One</title>`+
		`</head><body><main><h1>One</h1><button onclick="document.title = 'Two'">More</button></main></body></html>`)
	p := Start(t).Open(t, address, "file://", Look{Width: 320, Height: 200, Dark: true})
	p.Until("document.title === 'One'")
	sharedtest.Equal(t, p.Eval("String(matchMedia('(prefers-color-scheme: dark)').matches)"), "true",
		"the page is dark")
	p.Click("button")
	p.Until("document.title === 'Two'")
	sharedtest.Equal(t, p.text(), "One\nMore", "the page says")
	p.Picture(picture)
	f := sharedtest.Must(os.Open(picture))(t)
	defer f.Close()
	if about, err := png.DecodeConfig(f); err != nil || about.Width != 320 || about.Height != 200 {
		t.Errorf("the picture is %+v, %v", about, err)
	}
}

// The keyboard reaches a page, a list takes one of its values, and the window changes.
func TestFormInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	address := file(t, "form.html", `<!doctype html><title>Form</title><select><option>a<option>b</select>`+
		`<form onsubmit="document.title = this[0].value; return false"><input></form>`)
	p := Start(t).Open(t, address, "file://", Look{Width: 320, Height: 200})
	p.Choose("select", "b")
	sharedtest.Equal(t, p.Eval("document.querySelector('select').value"), "b", "the list has")
	p.Type("input", "typed")
	p.Until("document.title === 'typed'")
	p.Press("!")
	p.Until("document.querySelector('input').value === 'typed!'")
	p.Look(Look{Width: 480, Height: 200, Dark: true})
	sharedtest.Equal(t, p.Eval("[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]"), "480,true",
		"the window is")
}

// A wait lasts until the page has loaded, so that its script hears the next key.
func TestPageLoadsInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	rest := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			fmt.Fprint(w, "<!doctype html><title>Slow</title><script>setTimeout(() => fetch('/rest'), 500)</script>")
			w.(http.Flusher).Flush()
			select {
			case <-rest:
			case <-r.Context().Done(): // the test has failed
				return
			}
			fmt.Fprint(w, "<script>addEventListener('keydown', (e) => { document.title = e.key })</script>")
		case "/rest":
			close(rest)
		default:
			fmt.Fprint(w, "<!doctype html><title>First</title><a href=/slow>Slow</a>")
		}
	}))
	t.Cleanup(s.Close)
	p := Start(t).Open(t, s.URL, s.URL, Look{Width: 320, Height: 200})
	p.Click("a")
	p.Until("document.title === 'Slow'")
	p.Press("k")
	p.Until("document.title === 'k'")
}

// recorder is a test whose failures are its result.
type recorder struct {
	testing.TB
	said []string
	ends []func()
}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}
func (r *recorder) Cleanup(f func()) { r.ends = append(r.ends, f) }

// end ends the test and returns its failures.
func (r *recorder) end() string {
	for i := range r.ends {
		r.ends[len(r.ends)-1-i]()
	}
	return strings.Join(r.said, "\n")
}

// All that a page must not do fails its test.
func TestFaultsInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	address := file(t, "faults.html", `<!doctype html><title>Faults</title><script>console.error('an error');`+
		`console.warn('a warning'); console.assert(false, 'a claim'); console.log('a remark');`+
		`new Image().src = 'http://127.0.0.1:1/picture'; setTimeout(() => { throw new Error('an exception') });`+
		`</script>`)
	b, r := Start(t), &recorder{TB: t}
	p := b.Open(r, address, "file://", Look{Width: 320, Height: 200})
	limit, again := sharedtest.Limited(t), time.NewTicker(time.Millisecond)
	defer again.Stop()
	for n := 0; n < 5; { // faults are heard of in their own time
		select {
		case <-limit.Done():
			t.Fatalf("%v: %d faults", context.Cause(limit), n)
		case <-again.C:
		}
		p.mu.Lock()
		n = len(p.faults)
		p.mu.Unlock()
	}
	said := r.end()
	for _, want := range []string{"an error", "a warning", "a claim", "asks for http://127.0.0.1:1/picture",
		"Error: an exception"} {
		sharedtest.Contains(t, said, want)
	}
	if t.Failed() || strings.Contains(said, "a remark") {
		t.Errorf("the failures are:\n%s", said)
	}
}

// What axe-core finds fails a test.
func TestAuditInABrowser(t *testing.T) {
	sharedtest.Heavy(t)
	axe := file(t, "axe.js", `window.axe = { run: async (options) => ({ violations: window.title ? [] : [{ id: 'a-rule',`+
		` help: options.resultTypes[0], nodes: [{ target: ['img'], failureSummary: 'a reason' }] }] }) };`)
	b, r := Start(t), &recorder{TB: t}
	p := b.Open(r, file(t, "page.html", "<!doctype html><title>Page</title>"), "file://", Look{Width: 320, Height: 200})
	p.Audit(strings.TrimPrefix(axe, "file://"))
	sharedtest.Equal(t, r.end(), "axe-core:\na-rule: violations\n  img a reason", "axe-core finds", r.said)
}
