package wiki

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"heldout/envs/pytext"
)

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
