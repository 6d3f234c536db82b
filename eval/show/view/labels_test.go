package view

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"heldout/envs/sharedtest"
	"heldout/scoring/record"
)

// post changes a request into a form from the server's own page on this machine.
func post(form url.Values, change ...func(*http.Request)) func(*http.Request) {
	return func(r *http.Request) {
		r.Method, r.RemoteAddr = http.MethodPost, "127.0.0.1:5555"
		r.Body = io.NopCloser(strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://127.0.0.1:8080")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		for _, c := range change {
			c(r)
		}
	}
}

// Labels that a run's page sends are kept, shown as text, found and, of archived runs, hidden.
func TestLabelsAreSet(t *testing.T) {
	dir := t.TempDir()
	a, b := newTestRun(t, filepath.Join(dir, "a"), 1, "m").dir, newTestRun(t, filepath.Join(dir, "b"), 1, "m").dir
	s := patient(New(Options{Runs: runsOf(a, b), Now: time.Now}))
	r := get(t, s, "/runs/a/labels", post(url.Values{"tags": {" paper, <b>x</b>,paper, "}, "note": {"one\r\ntwo <i>"},
		"archived": {"yes"}}))
	if r.StatusCode != 303 || r.Header.Get("Location") != "../../runs/a/" {
		t.Fatalf("status %d, to %s: %s", r.StatusCode, r.Header.Get("Location"), body(t, r))
	}
	want := record.Labels{Schema: record.Schema, Tags: []string{"paper", "<b>x</b>"}, Note: "one\ntwo <i>",
		Archived: true}
	if got, err := (record.Parts{a}).Labels(); err != nil || !cmp.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	local := func(r *http.Request) { r.RemoteAddr = "[::1]:5555" }
	text := body(t, get(t, s, "/runs/a/", local))
	for _, want := range []string{"&lt;b&gt;x&lt;/b&gt;", "two &lt;i&gt;", "archived", `action="../../runs/a/labels"`} {
		sharedtest.Contains(t, text, want, "the page")
	}
	far := body(t, get(t, s, "/runs/a/"))
	if strings.Contains(far, `<form method="post"`) || !strings.Contains(far, "paper") {
		t.Error("a reader from another machine gets a form, or no labels")
	}
	for path, shown := range map[string]bool{"/": false, "/?archived=yes": true, "/?archived=yes&text=PAPER": true,
		"/?archived=yes&text=nowhere": false} {
		text := body(t, get(t, s, path))
		sharedtest.Equal(t, strings.Contains(text, `href="./runs/a/"`), shown, path, "want run a")
		if shown && (!strings.Contains(text, "&lt;b&gt;x&lt;/b&gt;") || strings.Contains(text, "<b>x</b>")) {
			t.Errorf("%s: tags are not shown as text", path)
		}
	}
	sharedtest.Equal(t, get(t, s, "/runs/a/labels", post(url.Values{})).StatusCode, 303, "status")
	if _, err := os.Stat(filepath.Join(a, "labels.json")); !os.IsNotExist(err) {
		t.Errorf("without labels: %v", err)
	}
}

// Labels are set by this machine's readers from the server's own pages, within their limits.
func TestLabelsAreRefused(t *testing.T) {
	dir := newTestRun(t, filepath.Join(t.TempDir(), "a"), 1, "m").dir
	s := serverOf(dir)
	header := func(key, value string) func(*http.Request) { return func(r *http.Request) { r.Header.Set(key, value) } }
	same := func(*http.Request) {}
	for _, c := range []struct {
		name, path string
		form       url.Values
		change     func(*http.Request)
		code       int
	}{
		{"another machine", "/runs/a/labels", nil, func(r *http.Request) { r.RemoteAddr = "192.0.2.7:1" }, 405},
		{"no origin", "/runs/a/labels", nil, func(r *http.Request) { r.Header.Del("Origin") }, 405},
		{"another site", "/runs/a/labels", nil, header("Origin", "http://evil.example"), 403},
		{"a link from elsewhere", "/runs/a/labels", nil, header("Sec-Fetch-Site", "same-site"), 405},
		{"another method", "/runs/a/labels", nil, func(r *http.Request) { r.Method = http.MethodDelete }, 405},
		{"another page", "/runs/a/", nil, same, 405},
		{"unknown run", "/runs/z/labels", nil, same, 404},
		{"too many tags", "/runs/a/labels", url.Values{"tags": {letters(30)}}, same, 400},
		{"a long tag", "/runs/a/labels", url.Values{"tags": {strings.Repeat("a", 61)}}, same, 400},
		{"a long note", "/runs/a/labels", url.Values{"note": {strings.Repeat("a", 10_001)}}, same, 400},
		{"a flood", "/runs/a/labels", url.Values{"note": {strings.Repeat("a", 2<<20)}}, same, 400},
	} {
		if c.form == nil {
			c.form = url.Values{"tags": {"paper"}}
		}
		sharedtest.Equal(t, get(t, s, c.path, post(c.form, c.change)).StatusCode, c.code, c.name, "status")
		if _, err := os.Stat(filepath.Join(dir, "labels.json")); !os.IsNotExist(err) {
			t.Fatalf("%s: labels are written: %v", c.name, err)
		}
	}
	sharedtest.OK(t, os.WriteFile(filepath.Join(dir, "labels.json"), []byte("{"), 0o600))
	text := body(t, get(t, s, "/runs/a/"))
	if !strings.Contains(text, "labels.json: ") || !strings.Contains(text, "Episodes") {
		t.Error("damaged labels hide the run or are not told")
	}
}

// letters are so many different tags.
func letters(n int) string {
	var tags []string
	for i := range n {
		tags = append(tags, string(rune('a'+i%26))+string(rune('a'+i/26)))
	}
	return strings.Join(tags, ",")
}
