package wiki

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// fakeWiki is a MediaWiki that speaks both flows. Pages are by title; a text that
// is no title is searched for in the titles.
type fakeWiki struct {
	pages     map[string]string // HTML of the body
	redirects map[string]string
	// trouble, if not nil, may answer a request badly; n counts from 1. It
	// returns false where the request may go on.
	trouble func(n int, w http.ResponseWriter, r *http.Request) bool

	mu       sync.Mutex
	requests []*http.Request
}

var fakePages = map[string]string{
	"Pluto": `<div class="mw-parser-output"><p><b>Pluto</b> is a dwarf planet.<style>p{}</style></p>` +
		`<p>It is far<b>  </b>&amp; cold.</p><ul><li>Charon is its moon</li></ul></div>`,
	"Mercury":        `<p><b>Mercury</b> may refer to:</p><ul><li>a planet and so on</li></ul>`,
	"Mercury planet": `<p>Mercury is a planet.</p>`,
	"Söul & Co":      `<p>A page with signs.</p>`,
}

func startFake(t testing.TB, f *fakeWiki) string {
	t.Helper()
	if f.pages == nil {
		f.pages = fakePages
	}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL + "/w"
}

func (f *fakeWiki) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.requests = append(f.requests, r)
	n := len(f.requests)
	f.mu.Unlock()
	if f.trouble != nil && f.trouble(n, w, r) {
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	defer z.Close()
	switch r.URL.Path {
	case "/w/api.php":
		f.api(z, r)
	case "/w/index.php":
		f.index(w, z, r)
	case "/wiki/" + strings.TrimPrefix(r.URL.Path, "/wiki/"):
		f.article(z, strings.TrimPrefix(r.URL.Path, "/wiki/"))
	default:
		http.NotFound(w, r)
	}
}

// sent counts the requests.
func (f *fakeWiki) sent() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.requests)
}

// near finds the title that a query is meant for.
func (f *fakeWiki) near(query string) string {
	if to, ok := f.redirects[query]; ok {
		return to
	}
	for title := range f.pages {
		if strings.EqualFold(title, query) {
			return title
		}
	}
	return ""
}

// similar finds titles with a word of the query, in a fixed order.
func (f *fakeWiki) similar(query string) (out []hit) {
	query = strings.ToLower(strings.Trim(query, "[]"))
	for _, title := range []string{"Mercury", "Mercury planet", "Pluto", "Söul & Co"} {
		for _, word := range strings.Fields(query) {
			if strings.Contains(strings.ToLower(title), word) {
				out = append(out, hit{Title: title})
				break
			}
		}
	}
	if strings.Contains(query, "planet") {
		out = append(out, hit{Title: "Pluto", Redirect: "Planet X"}, hit{Title: "Pluto", Section: "Status"})
	}
	return out
}

func (f *fakeWiki) api(w io.Writer, r *http.Request) {
	q := r.URL.Query()
	answer := map[string]any{}
	switch {
	case q.Get("format") != "json" || q.Get("formatversion") != "2" || q.Get("maxlag") != "5":
		answer["error"] = map[string]string{"code": "badrequest", "info": r.URL.RawQuery}
	case q.Get("action") == "query" && q.Get("srwhat") == "nearmatch":
		hits := []hit{}
		if t := f.near(q.Get("srsearch")); t != "" {
			hits = append(hits, hit{Title: t})
		}
		answer["query"] = map[string]any{"search": hits}
	case q.Get("action") == "query":
		answer["query"] = map[string]any{"search": f.similar(q.Get("srsearch"))}
	case q.Get("action") == "parse" && f.pages[q.Get("page")] != "":
		answer["parse"] = map[string]string{"title": q.Get("page"), "text": f.pages[q.Get("page")]}
	default:
		answer["error"] = map[string]string{"code": "missingtitle", "info": "there is none"}
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		panic(err)
	}
}

func (f *fakeWiki) index(h http.ResponseWriter, w io.Writer, r *http.Request) {
	query := r.URL.Query().Get("search")
	if title := f.near(query); title != "" {
		h.Header().Set("Location", "/wiki/"+title)
		h.WriteHeader(http.StatusFound)
		return
	}
	fmt.Fprint(w, `<html><body><ul class="mw-search-results">`)
	hits := f.similar(query)
	for _, hit := range hits {
		fmt.Fprintf(w, `<li><div class="a mw-search-result-heading"> <a>%s</a> </div><p>three words here</p></li>`,
			html.EscapeString(hit.heading()))
	}
	if len(hits) == 0 {
		fmt.Fprint(w, `<p class="mw-search-nonefound">There were no results matching the query.</p>`)
	}
	fmt.Fprint(w, `</ul></body></html>`)
}

func (f *fakeWiki) article(w io.Writer, title string) {
	fmt.Fprintf(w, `<html><body><h1 id="firstHeading">%s</h1>%s<ul><li>Main page and more</li></ul></body></html>`,
		html.EscapeString(title), f.pages[title])
}
